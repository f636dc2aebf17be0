/** What every chart element does besides drawing: properties, one redraw per frame, size, theme, clean leaving. */

const SETTLED = 2000; // ms without a redraw

/**
 * Base of the charts. A subclass lists its properties with their first values in `static properties`, and has
 * `build()` (make the DOM, once), `draw()` (show the current properties) and, if it needs them,
 * `themeChanged()` and `leave()`. Setting a property or calling `refresh()` leads to one `draw()` in the next frame.
 */
export class ChartElement extends HTMLElement {
  static properties = {};

  /** Set before it is connected: the chart is drawn once, as a picture that figure-file.js saves. */
  forFile = false;

  #frame = 0;
  #leaving = [];
  #built = false;
  #settling = 0;
  #said = null;

  /** Makes one accessor for each entry of `static properties`, then registers the element. */
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

  constructor() {
    super();
    this.values = { ...this.constructor.properties };
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
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", themed);
    document.fonts?.ready.then(() => this.isConnected && themed());
    this.#leaving = [
      () => resize.disconnect(),
      () => attribute.disconnect(),
      () => dark.removeEventListener("change", themed),
    ];
    themed();
  }

  /** A new element that shows the same, for figure-file.js. */
  twin() {
    const twin = new this.constructor();
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

  /** Called when light and dark change; call it, then `refresh()`, when colours change in another way. */
  themeChanged() {}

  leave() {}

  /** Values that were set before the element was defined sit on the instance and would hide the accessors. */
  #adoptEarlyProperties() {
    for (const name of Object.keys(this.constructor.properties)) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
  }
}

/**
 * A new element with a class and, if given, text.
 * @param {string} tag
 * @param {string} className
 * @param {string} [text]
 */
export function make(tag, className, text) {
  const element = document.createElement(tag);
  element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Sets the text of a node only when it differs, so that an unchanged label costs no layout. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
