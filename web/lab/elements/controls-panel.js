/** <lab-controls>: "Change the experiment", every setting of the table with its range, its help and its errors. */

import { html, nothing } from "lit";
import { LISTS, MOST_SEEDS } from "../settings.js";
import { LabElement } from "./lab-element.js";
import "./own-text.js";
import { settingField } from "./setting-field.js";
/** @import { Setting, State } from "../kinds.js" */

/** The controls in the order a reader thinks of them; a setting that is named in no group joins the last one. */
const GROUPS = [
  { title: "Text and training", names: ["corpus", "steps", "batch", "lr"] },
  { title: "Model", names: ["d", "layers", "heads", "context", "tied"] },
  { title: "Start", names: ["init_std", "position_scale"] },
];

class LabControls extends LabElement {
  static watches = ["values", "seeds", "encodings", "errors", "blocked", "phase", "locks"];
  /** @type {State["blocked"]} */
  #shown = null;

  render() {
    const { seeds, errors, phase } = this.state;
    const busy = phase === "running" || phase === "paused";
    return html`<details class="controls">
      <summary>Change the experiment</summary>
      <div class="settings">
        ${busy ? html`<p class="note">A run is under way with the settings it began with; changes count from the next Run.</p>` : nothing}
        ${this.#groups().map(
          ({ title, settings }, index, groups) => html`<fieldset>
            <legend>${title}</legend>
            ${settings.map((setting) => this.#field(setting))}
            ${index === groups.length - 1
              ? settingField({
                  setting: SEEDS,
                  value: seeds,
                  error: errors.seeds,
                  change: (text) => this.lab.setSeeds(String(text)),
                  isLocked: this.lab.isLocked("seeds"),
                })
              : nothing}
          </fieldset>`,
        )}
        <p class="after">
          <button type="button" class="button" @click=${() => this.lab.restoreDefaults()}>Restore the defaults</button>
          ${this.lab.isEmbedded ? nothing : html`<a href="?${this.lab.query()}">Link to this experiment</a>`}
        </p>
      </div>
    </details>`;
  }

  #groups() {
    // The lists of an experiment have controls of their own: the chips, and the seeds below.
    const settings = this.lab.data.settings.filter(({ name }) => !Object.hasOwn(LISTS, name));
    const grouped = GROUPS.flatMap(({ names }) => names);
    const others = settings.filter(({ name }) => !grouped.includes(name));
    return GROUPS.map(({ title, names }, index) => ({
      title,
      settings: [
        ...names.flatMap((name) => settings.find((setting) => setting.name === name) ?? []),
        ...(index === GROUPS.length - 1 ? others : []),
      ],
    }));
  }

  /** @param {Setting} setting */
  #field(setting) {
    const { values, errors } = this.state;
    const { name } = setting;
    const isLocked = this.lab.isLocked(name);
    const own = name === "corpus" && values.corpus === "own" && !isLocked;
    return html`${settingField({
      setting,
      value: values[name],
      error: own ? undefined : errors[name],
      change: (value) => this.lab.setValue(name, value),
      isLocked,
    })}${own ? html`<lab-own-text .lab=${this.lab}></lab-own-text>` : nothing}`;
  }

  /** A Run that was refused opens the panel and leads to the control to correct. */
  updated() {
    const { blocked } = this.state;
    if (!blocked || blocked === this.#shown) return;
    this.#shown = blocked;
    const { field } = blocked;
    const text = field === "corpus" ? this.within("#own-text") : null;
    const control = text ?? this.within(`[name="${field}"]`);
    const details = this.querySelector("details");
    if (!control || !details) return;
    details.open = true;
    control.focus();
  }
}

/** @type {import("../kinds.js").TextSetting} */
const SEEDS = {
  name: "seeds",
  label: "Seeds",
  kind: "list",
  default: "",
  help: `Whole numbers with commas between, at most ${MOST_SEEDS}: each encoding is trained once with each seed.`,
};

customElements.define("lab-controls", LabControls);
