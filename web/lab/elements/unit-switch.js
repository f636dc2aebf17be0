/** <lab-units>: the unit in which the whole page writes losses. */

import { html } from "lit";
import { UNITS } from "../../charts/units.js";
import { LabElement } from "./lab-element.js";

class LabUnits extends LabElement {
  static watches = ["unit"];

  render() {
    // No fieldset: WebKit sets its legend above the buttons even where it floats.
    return html`<div class="units" role="group" aria-label="Losses in">
      <span aria-hidden="true">Losses in</span>
      ${Object.values(UNITS).map(
        ({ name, title, per }) => html`<label title=${per}>
          <input type="radio" name="unit" value=${name} .checked=${name === this.state.unit} @change=${() => this.lab.setUnit(name)} />
          ${title}
        </label>`,
      )}
    </div>`;
  }
}

customElements.define("lab-units", LabUnits);
