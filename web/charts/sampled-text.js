/** <sampled-text>: a text that a model wrote, and for each of its characters the distribution that it was drawn from. */

import "./bar-list.js";
import { ChartElement, make, setText } from "./chart-element.js";
import { characterLabel, characterName, glyph, joinsOn } from "./characters.js";
import { count, nats, percent } from "./numbers.js";

/** A character in the text: a line break is drawn, so that it can be chosen, and still breaks the line. */
function inText(character) {
  if (character === "\n") return `${glyph(character).text}\n`;
  return /\s/.test(character) || joinsOn(character) ? character : glyph(character).text;
}

/**
 * Light-DOM custom element. Properties (setting one redraws in the next frame):
 * - `prompt` {string} what the text continues
 * - `steps` {{character: string, probability: number, entropy: number, top: {character, probability}[]}[]} one a
 *   character; entropy in nats
 * - `temperature` {number}
 */
export class SampledText extends ChartElement {
  static properties = { prompt: "", steps: [], temperature: 1 };

  #place = 0;
  #shown = null;

  build() {
    this.text = make("p", "st-text");
    this.text.addEventListener("click", (event) => {
      const place = event.target.dataset?.place;
      if (place !== undefined) this.#show(Number(place));
    });
    this.choose = make("label", "st-choose");
    this.said = make("span", "st-said");
    this.slider = make("input", "gs-slider");
    this.slider.type = "range";
    this.slider.min = 1;
    this.slider.addEventListener("input", () => this.#show(Number(this.slider.value) - 1));
    this.choose.append(this.said, this.slider);
    this.bars = document.createElement("bar-list");
    this.append(this.text, this.choose, this.bars);
  }

  draw() {
    if (this.steps.length === 0) return;
    if (this.#shown !== this.steps) {
      this.#shown = this.steps;
      this.#place = 0;
      this.text.replaceChildren(make("span", "st-prompt", this.prompt), ...this.steps.map(({ character }, place) => {
        const written = make("span", "st-character", inText(character));
        written.dataset.place = place;
        return written;
      }));
    }
    this.slider.max = this.steps.length;
    this.#showStep();
  }

  #show(place) {
    this.#place = place;
    this.#showStep();
  }

  #showStep() {
    const { character, probability, entropy, top } = this.steps[this.#place];
    this.slider.value = this.#place + 1;
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

const written = (probability) => percent(probability, probability < 0.1 ? 1 : 0);

SampledText.register("sampled-text");
