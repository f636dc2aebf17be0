/** What stands in place of a part of the page whose scripts did not arrive: why, Retry, and a reload as the second way. */

import { html, nothing, render } from "lit";
import { asError } from "./errors.js";
import { keepFocus } from "./keep-focus.js";

/**
 * Whether the server has another version of this page than the one that is open, whose further scripts it then no longer has.
 * @returns {Promise<boolean>} false where it does not answer
 */
export async function isReplaced() {
  const { version } = document.documentElement.dataset;
  try {
    const response = await fetch(location.pathname, { cache: "no-cache" });
    return response.ok && !(await response.text()).includes(`data-version="${version}"`);
  } catch {
    return false;
  }
}

/** What a reader is told who has an older version than the server. */
export const REPLACED = "The site has a newer version of this page by now: reload the page to get it.";

/**
 * Fetches a part, as often as it is wanted until it is there, and keeps how that went.
 * @template {object} T
 */
export class Part {
  #load;
  #words;
  #onChange;
  #failures = 0;
  #isReplaced = false;

  /**
   * @param {object} options
   * @param {() => Promise<T>} options.load an `import()` of the part
   * @param {string} options.words what cannot be loaded, such as "The editor"
   * @param {() => void} options.onChange called when `problem` has changed
   */
  constructor({ load, words, onChange }) {
    this.#load = load;
    this.#words = words;
    this.#onChange = onChange;
    /** Why it is not there, or null. @type {string | null} */
    this.problem = null;
  }

  /** @returns {Promise<T|null>} what the part exports; null if it did not come, and `problem` says why */
  async get() {
    this.#tell(null);
    try {
      return await this.#load();
    } catch (error) {
      this.#failures += 1;
      this.#isReplaced = await isReplaced();
      this.#tell(`${this.#words} could not be loaded (${asError(error).message}).${this.#isReplaced ? ` ${REPLACED}` : ""}`);
      return null;
    }
  }

  /** @param {string | null} problem */
  #tell(problem) {
    this.problem = problem;
    this.#onChange();
  }

  /** @returns {boolean} whether to try again has not helped, or cannot */
  get offersReload() {
    return this.#failures > 1 || this.#isReplaced;
  }
}

/**
 * @param {Part<object>} part that has a problem
 * @param {() => void} retry
 * @returns {import("lit").TemplateResult} the problem, and what to do
 */
export function retryOffer(part, retry) {
  return html`<p class="error">${part.problem}</p>
    <p class="action">
      <button type="button" class="button" @click=${retry}>Retry</button>
      ${part.offersReload ? reloadButton() : nothing}
    </p>`;
}

/** @returns {import("lit").TemplateResult} */
export function reloadButton() {
  return html`<button type="button" class="button" @click=${() => location.reload()}>Reload the page</button>`;
}

/**
 * Fetch the scripts of elements that stand in the page already. Where these do not come, each says so in place of what it
 * holds, and gets that back when it is tried again.
 *
 * @param {Element[]} places
 * @param {{load: () => Promise<object>, words: string}} options as of `Part`
 */
export async function bringToLife(places, options) {
  const contents = new Map(places.map((place) => [place, [...place.childNodes]]));
  const part = new Part({
    ...options,
    onChange() {
      for (const [place, content] of contents) {
        const restore = keepFocus(place);
        place.replaceChildren(...(part.problem ? [offer()] : content));
        restore();
      }
    },
  });
  const offer = () => {
    const box = document.createElement("div");
    render(retryOffer(part, () => part.get()), box);
    return box;
  };
  await part.get();
}
