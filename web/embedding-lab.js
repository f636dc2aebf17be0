/**
 * <embedding-lab>: the lab in a page of a course, of whatever origin. A classic script without dependencies, which loads
 * `embed.html` from beside itself into a frame, so that the course page need allow no more than this one host in its
 * `script-src` and `frame-src`.
 *
 *     <script async src="https://HOST/PATH/embedding-lab.js"></script>
 *     <embedding-lab encodings="none,learned" steps="300" panels="loss,gaps">
 *       <a href="https://HOST/PATH/">Open the lab</a>
 *     </embedding-lab>
 *
 * What stands inside the element is shown where this script does not run.
 */

const TAG = "embedding-lab";
/**
 * The address of this script, or "" where no classic script element of the document loaded it. An element with the name
 * "currentScript", such as a picture that some reader could put there, would otherwise stand in for it.
 */
const { currentScript } = document;
const SCRIPT = currentScript instanceof HTMLScriptElement ? currentScript.src : "";
/** The lab's origin; "null" where it has none, as for a file. */
const ORIGIN = SCRIPT && new URL(SCRIPT).origin;

/** How long a frame may say nothing, in milliseconds. */
const PATIENCE = 20_000;
/** How long a frame that has loaded stays out of sight until it says something, in milliseconds: it may lack its theme. */
const HIDDEN = 2_000;
/** Least time between two messages of changed settings, in milliseconds: the lab obeys a bounded number in a second. */
const CALM = 100;
/** How near to the screen the frame is made. */
const NEAR = "600px";
/** Greatest height that a frame is given, in CSS pixels: several times that of all panels in one narrow column. */
const MOST_HEIGHT = 50_000;
/** Events of the lab that the element tells in its own name. */
const EVENTS = new Set(["ready", "progress", "result", "error", "task"].map((name) => `${TAG}:${name}`));

/** HTML's own attributes; every other is the lab's, so that the lab reports by name one that is misspelt. */
const HTML_ATTRIBUTES = new Set(
  ("accesskey autocapitalize autocorrect autofocus class contenteditable dir draggable enterkeyhint exportparts hidden id " +
    "inert inputmode is itemid itemprop itemref itemscope itemtype lang nonce part popover role slot spellcheck style " +
    "tabindex title translate writingsuggestions xmlns").split(" "),
);
/** Attributes that mean 1 where they stand without a value. */
const SWITCHES = new Set(["autorun", "tied"]);

/** What `theme` may be; "auto" is what the page around is, which only the element can see. */
const THEMES = ["light", "dark", "auto"];

/**
 * An underscore is in no setting's name: the lab reports one that is written with it, such as position_scale.
 * @param {string} name
 */
const isSetting = (name) => /^(?!on|data-|aria-)[a-z][a-z0-9_-]*$/.test(name) && !HTML_ATTRIBUTES.has(name);

/**
 * The text of an attribute for a value of `configure`.
 * @param {string} name
 * @param {unknown} value
 * @returns {string|null} null takes the attribute away
 * @throws {TypeError} the name cannot be a setting's, or the value is none that an attribute can hold
 */
function textOf(name, value) {
  if (!isSetting(name) || name.includes("_")) {
    const example = name.replace(/_/g, "-").replace(/\B[A-Z]/g, "-$&").toLowerCase();
    const remedy = isSetting(example) ? `write ${example}` : "it is an attribute of HTML or no name at all";
    throw new TypeError(`configure: ${name} is no name of a setting, which has small letters and hyphens: ${remedy}.`);
  }
  /** @param {unknown} one */
  const isText = (one) => typeof one === "string" || Number.isFinite(one);
  if (value === null) return null;
  if (typeof value === "boolean") return value ? "1" : "0";
  if (isText(value)) return String(value);
  if (Array.isArray(value) && value.every(isText)) return value.join(",");
  const given = Array.isArray(value) ? `a list with ${String(value.find((one) => !isText(one)))}` : String(value);
  throw new TypeError(
    `configure: ${name} is ${given}; choose a string, a finite number, true or false, a list of strings or numbers, ` +
      "or null for the lab's default.",
  );
}

/** @param {string} color as computed @returns {boolean} whether text of this colour stands on a dark page */
function isLight(color) {
  const channels = /^rgba?\((\d+), (\d+), (\d+)/.exec(color)?.slice(1).map(Number) ?? drawn(color);
  // Text that reaches a contrast of 4.5 on white has a luminance of at most 0.18 (WCAG 2.2); faint text has a little more.
  const [red, green, blue] = Array.from(channels, (channel) => (channel / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.2;
}

/**
 * What a canvas knows of oklch(), color() and their like; where a page has none, they count as black.
 * @param {string} color
 * @returns {ArrayLike<number>} red, green and blue in sRGB, 0 to 255
 */
function drawn(color) {
  const canvas = create("canvas", { width: 1, height: 1 });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) return [0, 0, 0];
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  return context.getImageData(0, 0, 1, 1).data;
}

// A policy of the page that forbids inline styles lets a constructed sheet through. What a frame holds instead of the lab,
// such as a server's page for an error, mostly has black text and no paper.
const sheet = new CSSStyleSheet();
sheet.replaceSync(`
  :host { display: block; position: relative }
  :host([hidden]) { display: none }
  .ink { position: absolute; transition: color 1ms }
  .box { display: grid; grid-template: auto 1fr / minmax(0, 1fr) }
  .unsized { min-height: var(--embedding-lab-height, 46rem) }
  .loading, iframe { grid-area: 2 / 1 }
  .loading { margin: 0; padding: 1em }
  iframe { width: 100%; height: 100%; border: 0 }
  .shown > .loading { display: none }
  :not(.shown) > iframe { opacity: 0 }
  .problem { margin: 0; padding: 0 0 0.75em }
  .problem:empty { display: none }
  .failure:not(:empty) { padding: 1em; border: 2px solid }
  .failure:not(:empty) ~ iframe { background: white }
  .failure p { margin: 0 0 0.75em }
  .failure button { margin-right: 1em; padding: 0.4em 1em; border: 1px solid; border-radius: 4px; background: none }
  .failure button, .failure a { font: inherit; color: inherit }
  .failure :focus-visible { outline: 3px solid; outline-offset: 2px }
`);

/**
 * A new element with properties and content.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} name
 * @param {Partial<HTMLElementTagNameMap[T]>} [properties]
 * @param {(Node | string)[]} content
 * @returns {HTMLElementTagNameMap[T]}
 */
function create(name, properties, ...content) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...content);
  return element;
}

/** @typedef {{type: string, detail?: Record<string, unknown>}} Message to the frame */

/**
 * The lab, in a frame that is made when the element comes near the screen or a method asks for it.
 *
 * Attributes are the names of the lab's query (`encodings`, `seeds`, `steps`, `panels`, `locks`, `expect`, ...) and may
 * change at any time. `theme` is `light`, `dark`, or `auto`: as the page around it. The height that is kept free until the
 * lab tells its own is the CSS property `--embedding-lab-height`; without it, that of a lab with one small panel.
 *
 * Each event bubbles to the document, also out of a shadow root, and has a `detail`.
 * @fires embedding-lab:ready {backend, version, secondsToReady}
 * @fires embedding-lab:progress {run, encoding, seed, step, steps, trainLoss, validationLoss, stepsPerSecond}
 * @fires embedding-lab:result {runs, gaps, baselines, config}; losses and gaps in nats per character
 * @fires embedding-lab:task {expect, passed, checks}, after each result where there is an `expect`
 * @fires embedding-lab:error {code, message}; the code is "frame" where the lab itself did not come
 */
class EmbeddingLab extends HTMLElement {
  #ink = create("span", { className: "ink" });
  #problem = create("p", { className: "problem" });
  #failure = create("div", { className: "failure" });
  #loading = create("p", { className: "loading" }, "The lab is loading.");
  #box = create("div", { className: "box unsized" }, this.#failure, this.#loading);

  /** @type {HTMLIFrameElement | null} */
  #iframe = null;
  /** Whether the frame has loaded, and whether its scripts have said something since and so hear what they are told. */
  #hasLoaded = false;
  #isListening = false;
  /** The origin that it speaks from. @type {string | null} */
  #origin = null;
  /** Settings by name: those that the frame was made with, and those that it was last told. */
  /** @type {Map<string, string>} */
  #asked = new Map();
  /** @type {Map<string, string>} */
  #told = new Map();
  /** Changed settings that are still to be told, by name; when the last were; and what tells these in time. */
  /** @type {Map<string, string | null>} */
  #unsent = new Map();
  #sentAt = -CALM;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #sending = undefined;
  /** Messages that wait until the frame listens. @type {Message[]} */
  #queue = [];
  /** The frame's height in CSS, once the lab has told it; a frame made anew begins with it. */
  #height = "";
  /** @type {ReturnType<typeof setTimeout>[]} */
  #timers = [];
  /** @type {AbortController|null} frees what the element listens to while it is in a document */
  #connection = null;
  /** @type {object | null} */
  #results = null;

  constructor() {
    super();
    this.#failure.setAttribute("role", "alert");
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet];
    this.#problem.setAttribute("role", "note");
    root.append(this.#ink, this.#problem, this.#box);
    // The text takes a moment to change its colour here, so that every cause of a change is told: a class of whatever
    // element around, a style sheet that arrives or is switched, the system's own theme.
    this.#ink.addEventListener("transitionend", () => this.#sync());
  }

  connectedCallback() {
    if (!this.isConnected) return;
    this.#connection = new AbortController();
    const { signal } = this.#connection;
    addEventListener("message", (event) => this.#hear(event), { signal });
    document.addEventListener("securitypolicyviolation", (violation) => this.#blame(violation), { signal });
    const attributes = new MutationObserver(() => this.#sync());
    attributes.observe(this, { attributes: true });
    // An element that is not displayed, as in a tab panel, is nowhere near; once it is displayed its colour may be another.
    const screen = new IntersectionObserver(
      (entries) => {
        if (!entries[entries.length - 1].isIntersecting) return;
        this.#make();
        this.#sync();
      },
      { rootMargin: NEAR, scrollMargin: NEAR },
    );
    screen.observe(this);
    signal.addEventListener("abort", () => {
      attributes.disconnect();
      screen.disconnect();
    });
    if (this.#queue.length) this.#make();
  }

  disconnectedCallback() {
    this.#connection?.abort();
    this.#connection = null;
    this.#unmake();
  }

  /** Where the page moves the element by `moveBefore()`, the browser keeps the frame, and nothing is to be done. */
  connectedMoveCallback() {}

  /** Train, or go on with what is paused. */
  run() {
    this.#command("run");
  }

  /** Pause the training. */
  pause() {
    this.#command("pause");
  }

  /** End the training; its runs stay. */
  stop() {
    this.#command("stop");
  }

  /** End the training and clear its runs away. */
  reset() {
    this.#command("reset");
  }

  /**
   * Change settings, by their names as attributes; those that are not named stay.
   * @param {Record<string, string|number|boolean|(string|number)[]|null>} settings a list becomes its items with commas
   *   between, true and false become 1 and 0, and null takes the attribute away: the lab's default
   * @throws {TypeError} and nothing is changed: something in it is no setting
   */
  configure(settings) {
    if (typeof settings !== "object" || settings === null || Array.isArray(settings)) {
      throw new TypeError(`configure: ${String(settings)} was given; it takes an object such as {steps: 300, seeds: [1, 2]}.`);
    }
    const texts = Object.entries(settings).map(([name, value]) => ({ name, text: textOf(name, value) }));
    for (const { name, text } of texts) {
      if (text === null) this.removeAttribute(name);
      else this.setAttribute(name, text);
    }
    this.#sync(texts.map(({ name }) => name));
  }

  /** @returns {object|null} `detail` of the last `embedding-lab:result`, or null where there was none */
  get results() {
    return this.#results;
  }

  #settings() {
    const settings = new Map();
    for (const { name, value } of this.attributes) {
      if (isSetting(name)) settings.set(name, value === "" && SWITCHES.has(name) ? "1" : value);
    }
    if (!["light", "dark"].includes(settings.get("theme") ?? "")) {
      settings.set("theme", isLight(getComputedStyle(this.#ink).color) ? "dark" : "light");
    }
    return settings;
  }

  /** The lab is told what the page is where `theme` is misspelt, and so cannot report it. */
  #judgeTheme() {
    const theme = this.getAttribute("theme");
    const isKnown = !theme || THEMES.includes(theme);
    const message = isKnown ? "" : `theme = ${theme} is unknown: choose ${THEMES.join(", ")}. The default is used.`;
    if (message === this.#problem.textContent) return;
    this.#problem.textContent = message;
    if (message) this.#tell(`${TAG}:error`, { code: "config", message });
  }

  #make() {
    if (this.#iframe || !this.isConnected) return;
    if (!SCRIPT) {
      this.#fail("The lab's address is unknown: load embedding-lab.js by a script element of this document that has a src.");
      return;
    }
    this.#asked = this.#told = this.#settings();
    const iframe = create("iframe", { title: this.#title, allow: "clipboard-write", src: address(this.#asked) });
    iframe.addEventListener("load", () => this.#onLoad());
    iframe.style.height = this.#height;
    this.#box.append(iframe);
    this.#iframe = iframe;
    this.#wait();
    this.#judgeTheme();
  }

  #unmake() {
    this.#stopTimers();
    this.#forgetUnsent();
    this.#iframe?.remove();
    this.#iframe = null;
    this.#isListening = this.#hasLoaded = false;
    // A new frame has its settings from the start; what it was to do, it is still to do.
    this.#queue = this.#queue.filter(({ detail }) => !detail);
    this.#failure.replaceChildren();
    this.#box.classList.remove("shown");
  }

  /** @param {number} delay @param {() => void} task */
  #after(delay, task) {
    this.#timers.push(setTimeout(task, delay));
  }

  #stopTimers() {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
  }

  #wait() {
    this.#after(PATIENCE, () => this.#fail(`The lab at ${ORIGIN} has not answered for ${PATIENCE / 1000} seconds.`));
  }

  #onLoad() {
    if (this.#hasLoaded) {
      // The frame was loaded anew from within, as it was at first: what it was told since has to be told again.
      this.#isListening = false;
      this.#forgetUnsent();
      this.#told = this.#asked;
      this.#wait();
    }
    this.#hasLoaded = true;
    this.#after(HIDDEN, () => this.#box.classList.add("shown"));
  }

  /** @param {string} name */
  #command(name) {
    this.#sync();
    this.#sendChanges();
    this.#send({ type: `${TAG}:${name}` });
    this.#make();
  }

  /**
   * Tell the frame what has changed since it was last told.
   * @param {string[]} [named] settings to be told even if they have not, since the reader may have changed them there
   */
  #sync(named = []) {
    if (!this.#iframe) return;
    this.#iframe.title = this.#title;
    const settings = this.#settings();
    const changed = [...settings.keys(), ...this.#told.keys()].filter((name) => settings.get(name) !== this.#told.get(name));
    const names = new Set([...changed, ...named]);
    this.#told = settings;
    this.#judgeTheme();
    for (const name of names) this.#unsent.set(name, settings.get(name) ?? null);
    if (this.#unsent.size === 0) return;
    const wait = this.#sentAt + CALM - performance.now();
    if (wait <= 0) this.#sendChanges();
    else this.#sending ??= setTimeout(() => this.#sendChanges(), wait);
  }

  #sendChanges() {
    if (this.#unsent.size === 0) return;
    const detail = Object.fromEntries(this.#unsent);
    this.#forgetUnsent();
    this.#sentAt = performance.now();
    this.#send({ type: `${TAG}:configure`, detail });
  }

  #forgetUnsent() {
    clearTimeout(this.#sending);
    this.#sending = undefined;
    this.#unsent.clear();
  }

  get #title() {
    return this.ariaLabel || this.title || "Embedding Lab";
  }

  /** @param {Message} message */
  #send(message) {
    if (this.#isListening) {
      this.#iframe?.contentWindow?.postMessage(message, this.#origin === null || this.#origin === "null" ? "*" : this.#origin);
      return;
    }
    const last = this.#queue.at(-1);
    if (last?.type !== message.type) this.#queue.push(message);
    else Object.assign(last.detail ?? {}, message.detail);
  }

  /** @param {MessageEvent} event of whatever window and origin */
  #hear({ source, origin, data }) {
    if (!this.#iframe || source !== this.#iframe.contentWindow) return;
    if (typeof data?.type !== "string" || !data.type.startsWith(`${TAG}:`)) return;
    // In a page without an origin, such as a sandboxed one, the frame has none either.
    if (origin !== ORIGIN && !(origin === "null" && self.origin === "null")) {
      this.#fail(`The lab is at ${origin}, but its script came from ${ORIGIN}: load the script from there, too.`);
      return;
    }
    this.#origin = origin;
    const { type, detail } = data;
    this.#show();
    if (type !== `${TAG}:error`) this.#listen(); // an error may be all that it comes to
    if (type === `${TAG}:size`) this.#resize(detail?.height);
    if (!EVENTS.has(type)) return;
    if (type === `${TAG}:result`) this.#results = detail;
    this.#tell(type, detail);
  }

  #show() {
    this.#stopTimers();
    this.#failure.replaceChildren();
    this.#box.classList.add("shown");
  }

  #listen() {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#queue.splice(0).forEach((message) => this.#send(message));
    this.#sync();
  }

  /** @param {unknown} height */
  #resize(height) {
    if (typeof height !== "number" || !(height > 0 && height <= MOST_HEIGHT) || !this.#iframe) return;
    this.#height = `${Math.ceil(height)}px`;
    this.#iframe.style.height = this.#height;
    this.#box.classList.remove("unsized");
  }

  /** @param {string} type @param {unknown} detail */
  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  /** @param {SecurityPolicyViolationEvent} violation of this page's policy */
  #blame({ effectiveDirective, blockedURI, disposition }) {
    if (effectiveDirective !== "frame-src" || disposition !== "enforce" || !URL.canParse(blockedURI)) return;
    if (new URL(blockedURI).origin !== ORIGIN || !this.#iframe || this.#isListening) return;
    this.#fail(`The Content-Security-Policy of this page does not let the lab in: its frame-src has to allow ${ORIGIN}.`);
  }

  /** @param {string} message */
  #fail(message) {
    if (this.#failure.hasChildNodes()) return;
    this.#stopTimers();
    this.#failure.append(create("p", {}, message));
    if (SCRIPT) {
      const retry = create("button", { type: "button", onclick: () => this.#retry() }, "Retry");
      const href = address(this.#settings());
      const link = create("a", { href, target: "_blank", rel: "noopener" }, "Open the lab in a tab of its own");
      this.#failure.append(retry, link);
    }
    this.#box.classList.add("shown"); // what is in the frame may say more
    this.#tell(`${TAG}:error`, { code: "frame", message });
  }

  #retry() {
    this.#unmake();
    this.#make();
    this.#iframe?.focus({ preventScroll: true }); // the button that had the focus is gone
  }
}

/** @param {Map<string, string>} settings @returns {string} where the lab opens with them */
function address(settings) {
  return new URL(`embed.html?${new URLSearchParams([...settings]).toString().replaceAll("%2C", ",")}`, SCRIPT).href;
}

if (!customElements.get(TAG)) customElements.define(TAG, EmbeddingLab);
