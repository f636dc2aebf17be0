/** <lab-app>: the whole lab, in the order in which it is read; in a frame, in the order that the page around it asks for. */

import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { isFigure, probeOf, sideBySide } from "../panels.js";
import { Part, retryOffer } from "../retry.js";
import "./announcer.js";
import "./consent.js";
import "./controls-panel.js";
import "./curves-figure.js";
import "./encoding-chips.js";
import "./encoding-editor.js";
import "./gap-table.js";
import "./geometry-figure.js";
import { LabElement } from "./lab-element.js";
import "./interrupted-notice.js";
import "./lab-link.js";
import "./loading-view.js";
import "./run-bar.js";
import "./run-list.js";
import "./share-panel.js";
import "./task-report.js";
import "./text-facts.js";

/** What the chapter page fetches with its chapter, and a frame only where a panel shows it. */
/** @type {Record<string, () => Promise<object>>} */
const LOADS = { probe: () => import("./probe-card.js"), code: () => import("./code-view.js") };

export class LabApp extends LabElement {
  static watches = ["panels", "locks"];
  /** The parts that a panel has needed, by their names in LOADS. @type {Map<string, Part<object>>} */
  #parts = new Map();

  render() {
    const { lab } = this;
    return html`${lab.isEmbedded ? html`<h1 class="visually-hidden">Embedding Lab</h1>` : nothing}
      <div class="bench">
        <lab-encodings .lab=${lab}></lab-encodings>
        <lab-run-bar .lab=${lab}></lab-run-bar>
        <lab-task .lab=${lab}></lab-task>
        <lab-loading .lab=${lab}></lab-loading>
        <lab-interrupted .lab=${lab}></lab-interrupted>
        <lab-facts .lab=${lab}></lab-facts>
      </div>
      <lab-consent .lab=${lab}></lab-consent>
      ${repeat(sideBySide(this.state.panels), String, (row) => this.#row(row))}
      ${lab.isEmbedded ? html`<lab-link .lab=${lab}></lab-link>` : html`<lab-share .lab=${lab}></lab-share>`}
      <lab-announcer .lab=${lab}></lab-announcer>`;
  }

  /** @param {string[]} row */
  #row(row) {
    const kind = row.length > 1 ? "figures pair" : isFigure(row[0]) ? "figures" : "panel";
    return html`<div class=${kind}>${row.map((name) => this.#panel(name))}</div>`;
  }

  /** @param {string} name */
  #panel(name) {
    const { lab } = this;
    switch (name) {
      case "loss":
        return html`<div>
          <lab-curves .lab=${lab}></lab-curves>
          <lab-runs .lab=${lab}></lab-runs>
        </div>`;
      case "geometry":
        return html`<lab-geometry .lab=${lab}></lab-geometry>`;
      case "gaps":
        return html`<lab-gaps .lab=${lab}></lab-gaps>`;
      case "controls":
        // Hidden rather than removed: what the reader has written stays.
        return html`<lab-controls .lab=${lab}></lab-controls>
          <lab-encoding-editor .lab=${lab} ?hidden=${!lab.offersEditor}></lab-encoding-editor>`;
      case "code":
        return this.#missing("code") ?? html`<lab-code .lab=${lab}>Choose a file.</lab-code>`;
      default:
        return (
          this.#missing("probe") ??
          html`<probe-card id=${probeOf(name)} probe=${probeOf(name)} .lab=${lab}>
            This lab appears here once Python has loaded.
          </probe-card>`
        );
    }
  }

  /**
   * What stands in place of a panel whose part did not come; null where it did, or may come yet.
   * @param {string} name
   */
  #missing(name) {
    const part = this.#parts.get(name);
    return part?.problem ? html`<div role="alert">${retryOffer(part, () => part.get())}</div>` : null;
  }

  updated() {
    const { panels } = this.state;
    if (panels.includes("code")) this.#need("code");
    if (panels.some(probeOf)) this.#need("probe");
  }

  /** @param {string} name */
  #need(name) {
    if (this.#parts.has(name)) return;
    const part = new Part({ load: LOADS[name], words: "The scripts of this lab", onChange: () => this.requestUpdate() });
    this.#parts.set(name, part);
    part.get();
  }
}

customElements.define("lab-app", LabApp);
