/** <lab-app>: the whole lab, in the order in which it is read. */

import { html } from "lit";
import "./announcer.js";
import "./consent.js";
import "./controls-panel.js";
import "./curves-figure.js";
import "./encoding-chips.js";
import "./encoding-editor.js";
import "./gap-table.js";
import "./geometry-figure.js";
import { LabElement } from "./lab-element.js";
import "./loading-view.js";
import "./run-bar.js";
import "./run-list.js";
import "./share-panel.js";
import "./text-facts.js";

class LabApp extends LabElement {
  render() {
    const { lab } = this;
    return html`<div class="bench">
        <lab-encodings .lab=${lab}></lab-encodings>
        <lab-run-bar .lab=${lab}></lab-run-bar>
        <lab-loading .lab=${lab}></lab-loading>
        <lab-facts .lab=${lab}></lab-facts>
      </div>
      <lab-consent .lab=${lab}></lab-consent>
      <lab-controls .lab=${lab}></lab-controls>
      <lab-encoding-editor .lab=${lab}></lab-encoding-editor>
      <div class="figures">
        <div>
          <lab-curves .lab=${lab}></lab-curves>
          <lab-runs .lab=${lab}></lab-runs>
        </div>
        <lab-geometry .lab=${lab}></lab-geometry>
      </div>
      <lab-gaps .lab=${lab}></lab-gaps>
      <lab-share .lab=${lab}></lab-share>
      <lab-announcer .lab=${lab}></lab-announcer>`;
  }
}

customElements.define("lab-app", LabApp);
