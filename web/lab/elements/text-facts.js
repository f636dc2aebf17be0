/** <lab-facts>: which text is learned, how it is divided, and what the address asked for in vain. */

import { html, nothing } from "lit";
import { count } from "../../charts/numbers.js";
import { counted } from "../format.js";
import { LabElement } from "./lab-element.js";

class LabFacts extends LabElement {
  static watches = ["runs", "values", "problems", "textFacts", "textName"];

  render() {
    const { problems } = this.state;
    return html`<p class="facts">${this.#text()}</p>
      ${problems.length
        ? html`<div class="problems" role="note" aria-label=${this.lab.isEmbedded ? "What the page around the lab asks for" : "Address of this page"}>
            <p>${this.lab.isEmbedded ? "The page around this lab" : "The address of this page"} asks for something that cannot be had:</p>
            <ul>
              ${problems.map(({ name, message }) => html`<li data-name=${name}>${message}</li>`)}
            </ul>
          </div>`
        : nothing}`;
  }

  #text() {
    const { runs, values, textFacts, textName } = this.state;
    const name = runs[0]?.config.corpus ?? values.corpus;
    const facts = runs.length ? runs.find((run) => run.facts)?.facts : name === "own" ? textFacts : null;
    const corpus = this.lab.data.corpora.find((candidate) => candidate.name === name);
    const own = runs.length === 0 && textName ? html`Your own text, <bdi>${textName}</bdi>` : "Your own text";
    const title = corpus ? html`<cite>${corpus.title}</cite> (${corpus.origin})` : own;
    const vocabulary = facts?.vocabulary.length ?? corpus?.vocabulary;
    const rare = facts?.rare ? `, one of them for ${counted(facts.rare.characters.length, "rare character")}` : "";
    const distinct = vocabulary ? html`, V = ${count(vocabulary)} distinct characters${rare}` : "";
    const split = facts
      ? html`: the first ${count(facts.characters.train)} characters train, the last ${count(facts.characters.validation)} validate`
      : corpus
        ? html`: ${count(corpus.characters)} characters, nine tenths to train, the last tenth to validate`
        : "";
    return html`${title}${distinct}${split}.`;
  }
}

customElements.define("lab-facts", LabFacts);
