/** What every chart element does besides drawing: properties, one redraw per frame, size, theme, clean leaving. */

const SETTLED = 2000; // ms without a redraw

/**
 * Base of the charts. A subclass lists its properties with their first values in `static properties`, and has
 * `build()` (make the DOM, once), `draw()` (show the current properties) and, if it needs them,
 * `themeChanged()` and `leave()`. Setting a property or calling `refresh()` leads to one `draw()` in the next frame.
 */
export class ChartElement extends HTMLElement {
  /** @type {object} */
  static properties = {};

  /** Set before it is connected: the chart is drawn once, as a picture that figure-file.js saves. */
  forFile = false;

  #frame = 0;
  /** @type {(() => void)[]} */
  #leaving = [];
  #built = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #settling = undefined;
  /** @type {string | null} */
  #said = null;

  /** Makes one accessor for each entry of `static properties`, then registers the element. @param {string} tag */
  static register(tag) {
    for (const name of Object.keys(this.properties)) {
      Object.defineProperty(this.prototype, name, {
        get() {
          return this.values[name];
        },
        set(value) {
          this.values[name] = value;
          this.refresh();
        },
      });
    }
    if (!customElements.get(tag)) customElements.define(tag, this);
  }

  /** The properties by their names. @type {Record<string, unknown>} */
  values = { ...this.#own.properties };

  /** The class of this element. */
  get #own() {
    return /** @type {Pick<typeof ChartElement, "properties"> & (new () => this)} */ (this.constructor);
  }

  connectedCallback() {
    this.#adoptEarlyProperties();
    if (!this.#built) {
      this.#built = true;
      this.build();
    }
    const resize = new ResizeObserver(() => this.refresh());
    resize.observe(this);
    const themed = () => {
      this.themeChanged();
      this.refresh();
    };
    const attribute = new MutationObserver(themed);
    attribute.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    const schemes = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map((query) => matchMedia(query));
    for (const scheme of schemes) scheme.addEventListener("change", themed);
    document.fonts?.ready.then(() => this.isConnected && themed());
    this.#leaving = [
      () => resize.disconnect(),
      () => attribute.disconnect(),
      ...schemes.map((scheme) => () => scheme.removeEventListener("change", themed)),
    ];
    themed();
  }

  /** A new element that shows the same, for figure-file.js. @returns {this} */
  twin() {
    const twin = new this.#own();
    Object.assign(twin.values, this.values);
    twin.forFile = true;
    return twin;
  }

  disconnectedCallback() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    clearTimeout(this.#settling);
    this.#leaving.forEach((undo) => undo());
    this.leave();
  }

  /** Asks for a redraw in the next frame; call it after changing the contents of a property in place. */
  refresh() {
    if (this.#frame || !this.#built) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      if (this.isConnected) this.draw();
    });
  }

  /**
   * For a text alternative, which must not change with every frame: says it at once when `state` is a new one, and
   * again when nothing has been drawn for a while.
   * @param {string} state
   * @param {() => void} say
   */
  saySettled(state, say) {
    clearTimeout(this.#settling);
    if (state === this.#said) this.#settling = setTimeout(say, SETTLED);
    else say();
    this.#said = state;
  }

  /** Makes the DOM, once. */
  build() {}

  /** Shows the current properties. */
  draw() {}

  /** Called when light and dark change; call it, then `refresh()`, when colours change in another way. */
  themeChanged() {}

  leave() {}

  /** Values that were set before the element was defined sit on the instance and would hide the accessors. */
  #adoptEarlyProperties() {
    for (const name of Object.keys(this.#own.properties)) {
      if (!Object.hasOwn(this, name)) continue;
      const value = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
  }
}

/**
 * The base of a chart with properties of its own.
 * @template {object} P
 * @param {P} properties  their names with their first values
 */
export function chartWith(properties) {
  const base = class extends ChartElement {
    static properties = properties;
  };
  // `register` makes the accessors, which no type checker sees.
  return /** @type {Pick<typeof base, keyof typeof base> & (new () => ChartElement & P)} */ (base);
}

/**
 * A new element with a class and, if given, text.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {string} className
 * @param {string} [text]
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make(tag, className, text) {
  const element = document.createElement(tag);
  element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

/**
 * Sets the text of a node only when it differs, so that an unchanged label costs no layout.
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * What a canvas is drawn and measured with.
 * @param {HTMLCanvasElement} canvas
 * @param {CanvasRenderingContext2DSettings} [settings]
 * @returns {CanvasRenderingContext2D}
 * @throws {Error} the browser gives none
 */
export function context2d(canvas, settings) {
  const context = canvas.getContext("2d", settings);
  if (!context) throw new Error("The browser gives no canvas to draw on; close other tabs, or allow canvas for this site, and reload.");
  return context;
}
