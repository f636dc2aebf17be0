/** View of the lab that lets a model write. */

import { html } from "lit";
import { count } from "../../charts/numbers.js";
import { UNITS } from "../../charts/units.js";
import { counted, lossWords } from "../format.js";
import { figure } from "./figure.js";
import { isSaid, readingNotes } from "./words.js";
/** @import { Results } from "../results.js" */
/** @import { View } from "./index.js" */

/**
 * The text, and for each of its characters what the model expected, in nats as the bars have it.
 * @param {Results["generate"]} result
 * @returns {View}
 */
export function generate({ prompt, temperature, steps, context }) {
  const entropy = steps.reduce((sum, step) => sum + step.entropy, 0) / steps.length;
  const { cut, ...reading } = prompt;
  return {
    number: null,
    figure: figure(
      "The text, and what was expected at each of its characters",
      html`<sampled-text .prompt=${prompt.used} .steps=${steps} .temperature=${temperature}></sampled-text>`,
    ),
    notes: [
      `${counted(steps.length, "character")} at temperature ${temperature}; the distributions had an entropy of ${lossWords(UNITS.nats, entropy, 2)} on average.`,
      cut > 0 && `The model sees ${count(context)} characters at once, so the first ${counted(cut, "character")} of the prompt had no say.`,
      ...readingNotes({ ...reading, cut: 0 }, "the prompt"),
    ].filter(isSaid),
  };
}
