/** <encoding-mark encoding="rope">: the coloured sign of an encoding, the same one as on its curve. */

import { encodingColor, encodingSign } from "../../charts/palette.js";
import { signElement } from "../../charts/signs.js";

class EncodingMark extends HTMLElement {
  static observedAttributes = ["encoding"];

  /** @param {string} _ @param {string | null} before @param {string | null} encoding */
  attributeChangedCallback(_, before, encoding) {
    if (encoding === null || before === encoding) return;
    this.style.color = encodingColor(encoding);
    this.replaceChildren(signElement(encodingSign(encoding)));
  }
}

customElements.define("encoding-mark", EncodingMark);
