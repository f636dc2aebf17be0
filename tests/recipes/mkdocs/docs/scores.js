// Says beside each lab whether its task is done. Events bubble to the document, which instant navigation leaves in place.

const signed = (nats) => `${nats < 0 ? "−" : "+"}${Math.abs(nats).toFixed(3)} nats`;

document.addEventListener("embedding-lab:task", ({ target, detail }) => {
  const checks = detail.checks.map(({ condition, nats, reason }) => `${condition}: ${nats === null ? reason : signed(nats)}`);
  document.querySelector(`output[for="${target.id}"]`).textContent =
    `${detail.passed ? "Task done" : "Not yet"} (${checks.join("; ")})`;
});
