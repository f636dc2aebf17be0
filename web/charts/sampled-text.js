/** <sampled-text>: a text that a model wrote, and for each of its characters the distribution that it was drawn from. */

import { BarList } from "./bar-list.js";
import { chartWith, make, setText } from "./chart-element.js";
import { characterLabel, characterName, glyph, joinsOn } from "./characters.js";
import { count, nats, percent } from "./numbers.js";
import { scrollBox } from "./scroll-box.js";

/**
 * A character in the text: a line break is drawn, so that it can be chosen, and still breaks the line.
 * @param {string} character
 */
function inText(character) {
  if (character === "\n") return `${glyph(character).text}\n`;
  return /\s/.test(character) || joinsOn(character) ? character : glyph(character).text;
}

/**
 * @typedef {{character: string, probability: number}} Choice
 * @typedef {Choice & {entropy: number, top: Choice[]}} Step of one character; entropy in nats
 *
 * @typedef {object} Properties
 * @property {string} prompt   what the text continues
 * @property {Step[]} steps
 * @property {number} temperature
 */

/** @type {Properties} */
const PROPERTIES = { prompt: "", steps: [], temperature: 1 };

/** Light-DOM custom element; setting one of its properties redraws in the next frame. */
export class SampledText extends chartWith(PROPERTIES) {
  text = scrollBox("st-text", "The text that the model wrote");
  choose = make("label", "st-choose");
  said = make("span", "st-said");
  slider = make("input", "gs-slider");
  bars = new BarList();

  #place = 0;
  /** @type {Step[] | null} */
  #shown = null;

  build() {
    this.text.addEventListener("click", ({ target }) => {
      const place = target instanceof HTMLElement ? target.dataset.place : undefined;
      if (place !== undefined) this.#show(Number(place));
    });
    this.slider.type = "range";
    this.slider.min = "1";
    this.slider.addEventListener("input", () => this.#show(Number(this.slider.value) - 1));
    this.choose.append(this.said, this.slider);
    this.append(this.text, this.choose, this.bars);
  }

  draw() {
    if (this.steps.length === 0) return;
    if (this.#shown !== this.steps) {
      this.#shown = this.steps;
      this.#place = 0;
      this.text.replaceChildren(make("span", "st-prompt", this.prompt), ...this.steps.map(({ character }, place) => {
        const written = make("span", "st-character", inText(character));
        written.dataset.place = String(place);
        return written;
      }));
    }
    this.slider.max = String(this.steps.length);
    this.#showStep();
  }

  /** @param {number} place */
  #show(place) {
    this.#place = place;
    this.#showStep();
  }

  #showStep() {
    const { character, probability, entropy, top } = this.steps[this.#place];
    this.slider.value = String(this.#place + 1);
    this.text.querySelector("[aria-current]")?.removeAttribute("aria-current");
    this.text.children[this.#place + 1].setAttribute("aria-current", "true");
    const drawn = `character ${count(this.#place + 1)} of ${count(this.steps.length)}: ${characterName(character)}`;
    setText(this.said, drawn);
    this.slider.setAttribute("aria-valuetext", drawn);
    const listed = top.some((each) => each.character === character) ? top : [...top, { character, probability }];
    Object.assign(this.bars, {
      labels: "next",
      quantity: `probability at temperature ${this.temperature}`,
      range: [0, 1],
      summary: `What the model expected here: entropy ${nats(entropy, 2)} nats, and it drew ${characterName(character)}, at ${written(probability)}.`,
      bars: listed.map((each) => ({
        label: characterLabel(each.character),
        value: each.probability,
        text: written(each.probability),
        marked: each.character === character,
      })),
    });
  }
}

/** @param {number} probability */
const written = (probability) => percent(probability, probability < 0.1 ? 1 : 0);

SampledText.register("sampled-text");
