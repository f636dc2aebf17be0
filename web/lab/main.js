/** Starts the page: the lab in its place, the theme, Python in the background, the chapter's labs, and that the site is kept. */

import data from "lab-data";
import { LabApp } from "./elements/lab-app.js";
import { createEvents } from "./events.js";
import { noteWhatTrains } from "./interrupted.js";
import { keepFocus } from "./keep-focus.js";
import { keepSite } from "./keep-site.js";
import { Lab } from "./lab.js";
import { startPythonWorker } from "./python-worker.js";
import { bringToLife } from "./retry.js";
import { refuseStrayFiles } from "./stray-files.js";
import { holdWhileTraining } from "./training-lock.js";

refuseStrayFiles(window);
const params = new URLSearchParams(location.search);
const lab = new Lab({ data, start: startPythonWorker, events: createEvents(document), params });
if (lab.theme !== "auto") document.documentElement.dataset.theme = lab.theme;

const app = new LabApp();
app.lab = lab;
const place = document.getElementById("lab");
const restore = keepFocus(place); // which may be on a Retry of boot.js
place?.replaceChildren(app);
restore();
holdWhileTraining(lab.store);
noteWhatTrains(lab.store);
lab.begin();

const places = [...document.querySelectorAll("probe-card, reader-number, number-list, lab-code, lab-console")];
for (const element of places) Object.assign(element, { lab });
bringToLife(places.filter((element) => !element.localName.includes("number")), {
  load: () => import("./elements/chapter.js"),
  words: "The scripts of this lab",
});

keepSite(lab.store);
