/** What was measured over many seeds, in a line: what it is, and the command that made it. */

import { html } from "lit";
import { counted } from "../format.js";

/**
 * @param {{seeds: number[], command: string}} measured of lab-data
 * @param {string} what is drawn or written of it, a sentence's beginning
 */
export const measuredNote = ({ seeds, command }, what) => html`<details class="measured-note">
  <summary>${what} of ${counted(seeds.length, "seed")}, measured before with the same settings</summary>
  <p>Made on another machine by <code>${command}</code>, which you can run yourself.</p>
</details>`;
