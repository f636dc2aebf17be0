/** What is shown of a measurement over many seeds, and the command that made it. */

import { html } from "lit";

/**
 * @param {{command: string}} measured of lab-data
 * @param {string} what is drawn or written of it, as a sentence
 */
export const measuredNote = ({ command }, what) => html`<details class="measured-note">
  <summary>How that was measured</summary>
  <p>${what} The settings are exactly those of this experiment. On another machine it was made by <code>${command}</code>,
    which you can run yourself.</p>
</details>`;
