/** Starts the lab alone, in a frame of another page: that page chooses what it shows, is told what happens, and may command. */

import data from "lab-data";
import { LabApp } from "./elements/lab-app.js";
import { createEvents } from "./events.js";
import { noteWhatTrains } from "./interrupted.js";
import { keepFocus } from "./keep-focus.js";
import { Lab } from "./lab.js";
import { ParentPage } from "./parent-page.js";
import { startPythonWorker } from "./python-worker.js";
import { refuseStrayFiles } from "./stray-files.js";
import { holdWhileTraining } from "./training-lock.js";

refuseStrayFiles(window);
const params = new URLSearchParams(location.search);
const events = createEvents(document);
const lab = new Lab({ data, start: startPythonWorker, events, params, isEmbedded: true });

function showTheme() {
  const { dataset } = document.documentElement;
  if (lab.theme === "auto") delete dataset.theme;
  else dataset.theme = lab.theme;
}
showTheme();
lab.store.subscribe(["theme"], showTheme);

const app = new LabApp();
app.lab = lab;
const content = document.getElementById("lab");
const restore = keepFocus(content); // which may be on a Retry of boot.js
content?.replaceChildren(app);
restore();
if (content && window.parent !== window) new ParentPage({ window, content, lab, events });
holdWhileTraining(lab.store);
noteWhatTrains(lab.store);
lab.begin();
