/** <number-list name="…">: a number that every encoding of the lab has, one after another; before that, the words written there. */

import { encodingLabel } from "../../charts/encodings.js";
import { numbersOf } from "../reader-numbers.js";
import "./reader-number.js";
/** @import { Lab } from "../lab.js" */

/** Whoever brings it to life sets `.lab` first. */
class NumberList extends HTMLElement {
  connectedCallback() {
    /** It is set before there is this class, whose field would take its place. @type {Lab} */
    const lab = Object.getOwnPropertyDescriptor(this, "lab")?.value;
    if (this.firstElementChild) return;
    const missing = this.textContent;
    this.replaceChildren(
      ...numbersOf(this.getAttribute("name") ?? "").flatMap(({ encoding, name }, at) => {
        const number = document.createElement("reader-number");
        Object.assign(number, { lab, textContent: at ? "—" : missing });
        number.setAttribute("name", name);
        number.setAttribute("unit", "chosen");
        return [`${at ? ", " : ""}${encodingLabel(encoding)} `, number];
      }),
    );
  }
}

customElements.define("number-list", NumberList);
