/** <lab-units>: the unit in which the whole page writes losses. */

import { html } from "lit";
import { UNITS } from "../../charts/units.js";
import { LabElement } from "./lab-element.js";

class LabUnits extends LabElement {
  static watches = ["unit"];

  render() {
    return html`<fieldset class="units">
      <legend>Losses in</legend>
      ${Object.values(UNITS).map(
        ({ name, title, per }) => html`<label title=${per}>
          <input type="radio" name="unit" value=${name} .checked=${name === this.state.unit} @change=${() => this.lab.setUnit(name)} />
          ${title}
        </label>`,
      )}
    </fieldset>`;
  }
}

customElements.define("lab-units", LabUnits);
