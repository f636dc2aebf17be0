/**
 * <scroll-box label="Formula">: holds what may be larger than its place; where it is, the box scrolls and the keyboard
 * reaches it under that name. Where all is seen, it is no stop on the way through the page.
 */

export class ScrollBox extends HTMLElement {
  static observedAttributes = ["label"];

  #sizes = new ResizeObserver(() => this.#look());
  #contents = new MutationObserver(() => this.#watch());

  connectedCallback() {
    this.#contents.observe(this, { childList: true, characterData: true, subtree: true });
    this.#watch();
  }

  disconnectedCallback() {
    this.#contents.disconnect();
    this.#sizes.disconnect();
  }

  attributeChangedCallback() {
    if (this.hasAttribute("tabindex")) this.#name();
  }

  /** Its own size changes with its place, and that of what is in it with fonts and the width of the page. */
  #watch() {
    this.#sizes.disconnect();
    for (const box of [this, ...this.children]) this.#sizes.observe(box);
  }

  #look() {
    const { overflowX, overflowY } = getComputedStyle(this);
    const across = overflowX !== "hidden" && this.scrollWidth > this.clientWidth;
    const scrolls = across || (overflowY !== "hidden" && this.scrollHeight > this.clientHeight);
    if (scrolls === this.hasAttribute("tabindex")) return;
    if (!scrolls && document.activeElement === this) {
      this.addEventListener("blur", () => this.#look(), { once: true }); // the keyboard is not thrown out of it
      return;
    }
    if (scrolls) {
      this.tabIndex = 0;
      this.setAttribute("role", "group");
      this.#name();
    } else for (const name of ["tabindex", "role", "aria-label"]) this.removeAttribute(name);
  }

  /** Only as a group may it have a name. */
  #name() {
    this.setAttribute("aria-label", this.getAttribute("label") ?? "");
  }
}

customElements.define("scroll-box", ScrollBox);

/** A new one. @param {string} className @param {string} label */
export function scrollBox(className, label) {
  const box = new ScrollBox();
  box.className = className;
  box.setAttribute("label", label);
  return box;
}
