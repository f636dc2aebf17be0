// Says under the lab what its gaps amount to.

document.addEventListener("embedding-lab:result", ({ target, detail }) => {
  const gaps = detail.gaps.map(({ a, b, nats, verdict }) => `${a} less ${b}: ${nats.toFixed(3)} nats, ${verdict}`);
  document.querySelector(`output[for="${target.id}"]`).textContent = `Trained. ${gaps.join("; ")}.`;
});
