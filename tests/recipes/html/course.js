// The lesson's own controls: they set the lab, start it, and say its result in the lesson's words.

const lab = document.querySelector("#lab");
const output = document.querySelector("output[for='lab']");
// An async script may come after this one; the methods are there once it has run.
const defined = customElements.whenDefined("embedding-lab");
const supply = document.querySelector("#supply");

supply.addEventListener("change", async () => {
  await defined;
  lab.configure({ encodings: ["none", supply.value] });
});
document.querySelector("#train").addEventListener("click", async () => {
  await defined;
  lab.run();
});

lab.addEventListener("embedding-lab:progress", ({ detail }) => {
  output.textContent = `${detail.encoding}: step ${detail.step} of ${detail.steps}`;
});
lab.addEventListener("embedding-lab:result", () => {
  const losses = lab.results.runs.map(({ encoding, validationLoss }) => `${encoding} ${validationLoss.toFixed(3)}`);
  output.textContent = `After ${lab.results.config.steps} steps, in nats per character: ${losses.join(", ")}`;
});
lab.addEventListener("embedding-lab:error", ({ detail }) => {
  output.textContent = `The lab says: ${detail.message}`;
});
