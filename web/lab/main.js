/** Starts the page: the lab in its place, the theme, Python in the background, and then the chapter's labs. */

import data from "lab-data";
import "./elements/lab-app.js";
import { createEvents } from "./events.js";
import { Lab } from "./lab.js";
import { startPythonWorker } from "./python-worker.js";
import { offerReload } from "./reload.js";
import { refuseStrayFiles } from "./stray-files.js";

refuseStrayFiles(window);
const params = new URLSearchParams(location.search);
const lab = new Lab({ data, start: startPythonWorker, events: createEvents(document), params });
if (lab.theme !== "auto") document.documentElement.dataset.theme = lab.theme;

const app = document.createElement("lab-app");
app.lab = lab;
document.getElementById("lab").replaceChildren(app);
lab.begin();

for (const element of document.querySelectorAll("probe-card, reader-number, lab-code, lab-console")) element.lab = lab;
import("./elements/chapter.js").catch((error) => {
  for (const place of document.querySelectorAll("probe-card, lab-code, lab-console")) {
    offerReload(place, `The scripts of this lab could not be loaded (${error.message}).`);
  }
});
