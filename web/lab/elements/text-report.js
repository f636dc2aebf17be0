/** What is in a text of the reader's own, as it is shown under the field: its parts, what counting achieves, what was changed. */

import { html, nothing } from "lit";
import { guard } from "lit/directives/guard.js";
import { count } from "../../charts/numbers.js";
import "../../charts/scroll-box.js";
import { counted, megabytes } from "../format.js";
import { rareList, rareNotice, textNotices } from "../text-notices.js";
/** @import { Rare, TextFacts } from "../kinds.js" */

/** More rare characters than this are folded away, and more than MOST of them are not listed. */
const FOLDED_FROM = 30;
const MOST = 10_000;

/** @type {Record<string, string>} */
const BASELINES = {
  uniform: "all characters alike",
  unigram: "knowing how frequent each is",
  bigram: "knowing the one before",
};

/**
 * @param {TextFacts} facts what `read_text` of the worker says
 * @param {import("../../charts/units.js").Unit} unit in which losses are written
 * @param {number} workers how many train on the text at once
 */
export function textReport(facts, unit, workers) {
  return guard([facts, unit, workers], () => {
    const { characters: { train, validation }, baselines, bytes } = facts;
    return html`<div class="found" role="group" aria-label="What is in your text">
      <p>
        ${counted(train + validation, "character")}: the first ${count(train)} train, the last ${count(validation)} validate.
        ${vocabulary(facts)}
      </p>
      <dl>
        ${Object.entries(BASELINES).map(([name, how]) => html`<div><dt>${name}, ${how}</dt><dd>${unit.loss(baselines[name])}</dd></div>`)}
      </dl>
      <p class="help">Counting alone achieves this on the validation part, in ${unit.per}.</p>
      ${notices(facts)}
      <p class="help">
        ${workers === 1 ? "The worker that trains on it takes" : `Each of the ${count(workers)} workers that train on it at once takes`}
        some ${megabytes(bytes.perWorker)} MB for it, besides the model.
      </p>
    </div>`;
  });
}

/** @param {TextFacts} facts */
function vocabulary({ distinct, vocabulary, rare }) {
  const rows = vocabulary.length;
  if (!rare) return `V = ${count(rows)} distinct characters.`;
  return `${count(distinct)} distinct characters, for which V = ${count(rows)} rows are learned.`;
}

/** @param {TextFacts} facts */
function notices(facts) {
  const { rare } = facts;
  const sentences = [...textNotices(facts), ...(rare ? [rareNotice(rare)] : [])];
  return html`${sentences.length ? html`<ul class="notices">${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>` : nothing}
    ${rare ? rareCharacters(rare.characters) : nothing}`;
}

/** @param {Rare["characters"]} characters */
function rareCharacters(characters) {
  const listed = characters.slice(0, MOST);
  const more = characters.length > MOST ? `, and ${count(characters.length - MOST)} more` : "";
  const list = html`<scroll-box label="Rare characters"><p class="rare">${rareList(listed)}${more}</p></scroll-box>`;
  if (characters.length <= FOLDED_FROM) return list;
  return html`<details><summary>All of them, with how often each occurs</summary>${list}</details>`;
}
