/** The elements that stand in the chapter's text: they come to life where the page already has them. */

import "./check-yourself.js";
import "./code-view.js";
import "./console-panel.js";
import "./number-list.js";
import "./probe-card.js";
import "./reader-number.js";
