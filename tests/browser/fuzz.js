/**
 * What test_fuzz.py has the page do: read what came from outside, and look for what may never come of it. Arguments are
 * JSON, so that a lone surrogate arrives as it was written.
 */

/** What takes as long hangs, in milliseconds; a loaded machine takes several times as long as a quiet one. */
const PATIENCE = 100_000;

const app = () => document.querySelector("lab-app");
window.twoFrames = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));

/** What a promise comes to, unless it takes longer than it ever should. */
const inTime = (what, promise) =>
  Promise.race([promise, new Promise((_, reject) => setTimeout(() => reject(new Error(`${what} hangs`)), PATIENCE))]);

/** What JSON cannot say. */
const SPECIAL = {
  undefined: () => undefined,
  nan: () => NaN,
  infinity: () => -Infinity,
  bigint: () => 10n ** 40n,
  date: () => new Date(NaN),
  map: () => new Map([["steps", 3]]),
  set: () => new Set([1]),
  error: () => new Error("<b data-fuzz>"),
  regexp: () => /(a+)+$/,
  floats: () => new Float32Array([1, NaN, -Infinity]),
  integers: () => new Int32Array([-1, 2 ** 31 - 1]),
  detached: () => new Uint8Array(0),
  cycle: () => {
    const list = [1];
    list.push(list);
    return list;
  },
  deep: () => {
    let value = [];
    for (let depth = 0; depth < 500; depth++) value = [value];
    return value;
  },
  long: () => "<b data-fuzz>".repeat(20_000),
};

/** A value as the test describes it: JSON, in which {"$": name} is one of SPECIAL. */
function revive(value) {
  if (Array.isArray(value)) return value.map(revive);
  if (typeof value !== "object" || value === null) return value;
  if (typeof value.$ === "string") return SPECIAL[value.$]();
  const made = {};
  for (const [name, part] of Object.entries(value)) {
    Object.defineProperty(made, name, { value: revive(part), enumerable: true, writable: true, configurable: true });
  }
  return made;
}

/** What may not be in a page whatever it was given, in words: elements, code or a colour of its own, or a value that was not meant to be read. */
window.faults = (root = document) => {
  const found = [];
  if ("hacked" in window) found.push("code of the data has run");
  const scopes = [root];
  for (const scope of scopes) {
    for (const element of scope.querySelectorAll("*")) {
      if (element.shadowRoot) scopes.push(element.shadowRoot);
      if (element.hasAttribute("data-fuzz")) found.push(`markup of the data became <${element.localName}>`);
      for (const { name, value } of element.attributes) {
        if (name.startsWith("on")) found.push(`<${element.localName} ${name}>`);
        if (/^\s*(javascript|data|vbscript):/i.test(value) && ["href", "src", "action"].includes(name)) found.push(`${name}=${value.slice(0, 40)}`);
      }
    }
  }
  for (const name of ["fuzz", "polluted"]) if (name in {}) found.push(`Object.prototype has ${name}`);
  const lab = root === document ? app() : root; // the chapter may say "undefined"
  const [words] = /.{0,40}(\[object \w+\]|\bundefined\b|\bTraceback\b).{0,40}/.exec(lab?.textContent ?? "") ?? [];
  if (words) found.push(`it says: ${words}`);
  return found;
};

/** A lab of its own that opens on this query, in the page beside the real one; what it holds and tells. */
window.openQuery = async (json) => {
  const { query, isEmbedded } = JSON.parse(json);
  const { lab } = app();
  const events = Object.fromEntries(["ready", "progress", "result", "task", "error"].map((name) => [name, () => {}]));
  const never = () => ({ ready: new Promise(() => {}), call: () => new Promise(() => {}), interrupt() {}, terminate() {} });
  const open = (text) => new lab.constructor({ data: lab.data, start: never, events, params: new URLSearchParams(text), isEmbedded });
  const opened = open(query);
  const shown = document.createElement("lab-app");
  shown.lab = opened;
  document.body.append(shown);
  await twoFrames();
  opened.changeSettings({}); // so that they are judged
  const { problems, errors, values, encodings, seeds } = opened.state;
  const text = shown.textContent.replace(/\s+/g, " ");
  const again = open(opened.query()).state;
  const answer = {
    faults: faults(shown),
    names: problems.map(({ name }) => name),
    untold: problems.filter(({ message }) => !text.includes(message.replace(/\s+/g, " ").trim())).map(({ message }) => message),
    errors,
    same: JSON.stringify([values, encodings, seeds]) === JSON.stringify([again.values, again.encodings, again.seeds]),
    query: opened.query(),
  };
  shown.remove();
  return answer;
};

const ofDatabase = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Every row of the archive: {store: [[key, value]]}. */
window.readRows = async () => {
  const database = await ofDatabase(indexedDB.open("embedding-lab"));
  const rows = {};
  for (const name of database.objectStoreNames) {
    const store = database.transaction(name).objectStore(name);
    const [keys, values] = await Promise.all([ofDatabase(store.getAllKeys()), ofDatabase(store.getAll())]);
    rows[name] = keys.map((key, index) => [key, values[index]]);
  }
  database.close();
  return rows;
};

async function writeRows(rows) {
  const database = await ofDatabase(indexedDB.open("embedding-lab"));
  const transaction = database.transaction([...database.objectStoreNames], "readwrite");
  for (const [name, all] of Object.entries(rows)) {
    const store = transaction.objectStore(name);
    store.clear();
    for (const [key, value] of all) store.put(value, key);
  }
  await new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
  database.close();
}

/** A copy of the rows under keys of their own: the page remembers which could not be read. */
function renamed(rows, number) {
  const copy = structuredClone(rows);
  for (const all of Object.values(copy)) for (const row of all) row[0] += `-${number}`;
  for (const [key, summary] of copy.runs) Object.assign(summary, { key, experiment: `${summary.experiment}-${number}` });
  return copy;
}

/** Another value of the same kind, so that more of what reads it is reached. */
function akin(value, number) {
  const pick = (...choices) => choices[number % choices.length];
  if (typeof value === "number") return pick(0, -1, 1.5, value + 1, 1e308, 2 ** 53, NaN);
  if (typeof value === "string") return pick("", "<img data-fuzz src=x onerror='window.hacked=1'>", `${value}x`, "\ud800", "__proto__", "own:<b data-fuzz>");
  if (ArrayBuffer.isView(value)) return pick(value.slice(1), value.map(() => NaN), value.map(() => -1), new value.constructor(2), new Uint8Array(value.buffer));
  if (Array.isArray(value)) return pick([], value.slice(1), [...value, ...value], value.map(() => value[0]), value.toReversed());
  return pick(null, {}, [], String(value));
}

/**
 * Change one part of a row: the path leads to it, a number for each step from an object to one of its values.
 * @param {any[]} row [key, value]
 */
function change(row, { path, act, value }) {
  let [object, name] = [row, 1];
  for (const number of path) {
    const inner = object[name];
    if (typeof inner !== "object" || inner === null || ArrayBuffer.isView(inner) || Object.keys(inner).length === 0) break;
    const names = Object.keys(inner);
    [object, name] = [inner, names[number % names.length]];
  }
  if (act === "delete" && object !== row) delete object[name];
  else object[name] = act === "akin" ? akin(object[name], path.at(-1) ?? 0) : revive(value);
}

/** The next time that the list of what is kept has been read. */
const listed = (lab) =>
  new Promise((resolve) => {
    let isOver = false;
    lab.store.observe(({ kept }) => {
      if (isOver || kept?.state !== "ready") return;
      isOver = true;
      resolve(kept);
    });
  });

/** Put changed rows behind the page's back, and have it list, open and pack what it takes of them. */
window.openRows = async (json) => {
  const { lab } = app();
  const rows = renamed(window.original, (window.renamed = (window.renamed ?? 0) + 1));
  for (const { store, number, ...rest } of JSON.parse(json)) {
    if (rows[store].length) change(rows[store][number % rows[store].length], rest);
  }
  await writeRows(rows);
  const list = listed(lab);
  const channel = new BroadcastChannel("embedding-lab");
  channel.postMessage("changed");
  const { experiments, unreadable } = await inTime("the list", list);
  channel.close();
  await twoFrames();
  const answer = { rows: rows.runs.length, listed: unreadable.length, unreadable: 0, faults: faults(), opened: 0, packed: 0, refused: [] };
  for (const { id, runs } of experiments) {
    answer.listed += runs.length;
    const before = lab.state.runs;
    await inTime("opening", lab.openKept(id));
    await twoFrames();
    answer.faults.push(...faults());
    if (lab.state.runs === before) continue;
    answer.opened += 1;
    for (const run of lab.state.runs) {
      await inTime("packing", lab.fileOf(run.id)).then(() => (answer.packed += 1), ({ message }) => answer.refused.push(message));
    }
  }
  answer.unreadable = lab.state.kept.unreadable.length;
  return answer;
};

/** Waits, a screen at a time. */
window.until = async (what, holds) => {
  const patience = performance.now() + PATIENCE;
  while (!holds()) {
    if (performance.now() > patience) throw new Error(`${what} hangs`);
    await twoFrames();
  }
};

/** What became of the file that was given as a run. */
window.fileRead = async () => {
  const element = document.querySelector("lab-run-file");
  await until("the file", () => element.works === null || element.asks);
  element.asks?.answer(false);
  await until("the file", () => element.works === null);
  await element.updateComplete;
  await twoFrames();
  const error = element.querySelector("[role=alert]")?.textContent.trim() ?? "";
  return { error, isOpened: app().lab.state.runs !== window.before, faults: faults() };
};

/** What became of the file that was given as a text; it takes a moment until Python is asked. */
window.textRead = async () => {
  const { lab } = app();
  const refusal = () => document.querySelector("#own-text-error")?.textContent ?? "";
  await until("the text", () => !lab.state.textReading && (lab.state.textFacts || refusal()));
  await twoFrames();
  const outcome = { error: refusal(), isTaken: lab.state.textFacts !== null, faults: faults() };
  lab.setOwnText("");
  await twoFrames();
  return outcome;
};

/** Send a message to the lab in the frame, and one that it has to answer behind it; the answers in between. */
window.sendMessage = async (json) => {
  const { type, detail, bare } = JSON.parse(json);
  const lab = document.querySelector("embedding-lab");
  const frame = lab.shadowRoot.querySelector("iframe").contentWindow;
  const last = `embedding-lab:sentinel-${(window.sentinels = (window.sentinels ?? 0) + 1)}`;
  const answers = [];
  const answered = new Promise((resolve) => {
    const hear = ({ detail: answer }) => {
      if (!answer.message.includes(last)) return answers.push(answer);
      lab.removeEventListener("embedding-lab:error", hear);
      resolve();
    };
    lab.addEventListener("embedding-lab:error", hear);
  });
  frame.postMessage(bare ? revive(detail) : { type, detail: revive(detail) }, "*");
  frame.postMessage({ type: last }, "*");
  await inTime("the answer", answered);
  await new Promise((resolve) => setTimeout(resolve, 45)); // no more than 50 in a second are obeyed
  return answers;
};

/** Set attributes of the element and call its `configure`, then wait until the lab has told of the last of them. */
window.setAttributes = async (json) => {
  const { attributes, settings } = JSON.parse(json);
  const lab = document.querySelector("embedding-lab");
  const refused = [];
  for (const { name } of [...lab.attributes]) lab.removeAttribute(name);
  for (const [name, value] of attributes) {
    try {
      lab.setAttribute(name, value);
    } catch (error) {
      refused.push(error.name);
    }
  }
  try {
    lab.configure(revive(settings));
  } catch (error) {
    refused.push(error.name);
  }
  const last = `x${(window.sentinels = (window.sentinels ?? 0) + 1)}y`;
  const answered = new Promise((resolve) => {
    const hear = ({ detail: { message } }) => {
      if (!message.includes(last)) return;
      lab.removeEventListener("embedding-lab:error", hear);
      resolve();
    };
    lab.addEventListener("embedding-lab:error", hear);
  });
  lab.setAttribute(last, "");
  await inTime("the answer", answered);
  return { refused, faults: faults(), frames: [...lab.shadowRoot.querySelectorAll("iframe")].map(({ src }) => src) };
};

/** Have the lab of the element train with these settings and no others; what it then says of its runs. */
window.train = async (json) => {
  const lab = document.querySelector("embedding-lab");
  for (const { name } of [...lab.attributes]) lab.removeAttribute(name);
  const ended = new Promise((resolve) => lab.addEventListener("embedding-lab:result", resolve, { once: true }));
  lab.reset();
  lab.configure(JSON.parse(json));
  lab.run();
  await inTime("the training", ended);
  return lab.results.runs;
};
