/**
 * Stands before the scripts of a page under test, in any engine: keeps what the page tells and what goes wrong in it, and
 * waits for what a test names. In a frame it hands what goes wrong to the page around it.
 */
window.told = [];
window.problems = [];

function keepProblem(problem) {
  window.problems.push(problem);
  if (window.parent !== window) window.parent.postMessage({ problem }, "*");
}
addEventListener("message", ({ data }) => data?.problem && keepProblem(`in a frame: ${data.problem}`));

for (const level of ["error", "warn"]) {
  const write = console[level];
  console[level] = (...words) => {
    keepProblem(`console.${level}: ${words.join(" ")}`);
    write.apply(console, words);
  };
}
addEventListener("error", (event) => keepProblem(`error: ${event.message ?? (event.target.src || event.target.href)}`), true);
addEventListener("unhandledrejection", ({ reason }) => keepProblem(`unhandled: ${reason}`));
addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
  keepProblem(`policy: ${effectiveDirective} forbids ${blockedURI}`));

// What a worker's policy forbids only that worker is told; `RUNTIME_RECORDER` in conftest.py has it pass that on.
window.Worker = class extends Worker {
  constructor(...given) {
    super(...given);
    this.addEventListener("message", ({ data }) => data?.forbidden && keepProblem(`policy of a worker: ${data.forbidden}`));
  }
};

for (const name of ["ready", "progress", "result", "error"]) {
  document.addEventListener(`embedding-lab:${name}`, ({ detail }) => window.told.push({ name, detail }));
}
document.addEventListener("embedding-lab:error", ({ detail }) => keepProblem(`the lab: ${detail.code}: ${detail.message}`));

/**
 * Resolves to what a condition returns once that is neither null nor false; it is asked 20 times a second.
 *
 * @param {() => any} condition
 * @param {number} patience  in ms, after which it rejects with the condition and what was told last
 */
window.until = (condition, patience) =>
  new Promise((resolve, reject) => {
    const begin = performance.now();
    const look = () => {
      const found = condition();
      if (found !== null && found !== undefined && found !== false) resolve(found);
      else if (performance.now() - begin < patience) setTimeout(look, 50);
      else reject(new Error(`never came: ${condition}; told: ${JSON.stringify(window.told.slice(-2))}`));
    };
    look();
  });
