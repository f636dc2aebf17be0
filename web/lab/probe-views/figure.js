/** The frame of a picture in a lab: its title, and the chart under it. */

import { html } from "lit";

/** @param {string | import("lit").TemplateResult} title @param {unknown} chart */
export const figure = (title, chart) => html`<figure class="probe-figure">
  <figcaption>${title}</figcaption>
  ${chart}
</figure>`;
