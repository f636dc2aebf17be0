/** Saves a chart as a figure for a paper: an SVG that stands alone, with title, key and settings, or a PNG of it. */

import { context2d, make } from "./chart-element.js";
import { traced } from "./figure-trace.js";
import { svgNode } from "./svg-node.js";
import { allowedInXml } from "./xml.js";

/**
 * The chart drawn anew, in light colours on white, whatever the page's theme and the size on the screen.
 * @param {import("./chart-element.js").ChartElement} chart  in the document, with something to show
 * @param {object} about
 * @param {string} about.title
 * @param {string[]} about.notes    lines in small print under the picture, such as the settings that made it
 * @param {number} [about.width]    CSS px of the figure
 * @param {number} [about.height]   CSS px of the plot with its axes, where the chart has one
 * @returns {string}  the file: XML with a title and a description, without style sheets and outside references
 */
export function figureSvg(chart, { title, notes, width = 760, height = 400 }) {
  const stage = make("div", "figure-stage");
  stage.inert = true;
  stage.style.width = `${width}px`;
  stage.style.setProperty("--chart-height", `${height}px`);
  const twin = chart.twin();
  stage.append(make("p", "figure-title", title), twin, ...notes.map((note) => make("p", "figure-note", note)));
  document.body.append(stage);
  try {
    twin.draw();
    const svg = traced(stage);
    const description = [twin.querySelector('[role="img"]')?.getAttribute("aria-label") ?? twin.values.summary, ...notes];
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-labelledby", "title description");
    svg.prepend(
      svgNode("title", { id: "title" }, title),
      svgNode("desc", { id: "description" }, description.filter(Boolean).join(" ")),
      svgNode("rect", { width: svg.getAttribute("width"), height: svg.getAttribute("height"), fill: "#ffffff" }),
    );
    return `<?xml version="1.0" encoding="UTF-8"?>\n${allowedInXml(new XMLSerializer().serializeToString(svg))}\n`;
  } finally {
    stage.remove();
  }
}

/**
 * @param {string} svg    as figureSvg gives it
 * @param {number} scale  pixels to a CSS px
 * @returns {Promise<Blob>}  a PNG; rejected with an Error where the browser cannot make one so large
 */
export async function figurePng(svg, scale = 2) {
  const image = new Image();
  // The policy of the page allows data: and no blob: for images.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = make("canvas", "");
  canvas.width = Math.round(image.naturalWidth * scale);
  canvas.height = Math.round(image.naturalHeight * scale);
  context2d(canvas).drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => canvas.toBlob((blob) => {
    if (blob) resolve(blob);
    else reject(new Error(`The browser cannot make a PNG of ${canvas.width} by ${canvas.height} pixels; choose a smaller scale.`));
  }, "image/png"));
}
