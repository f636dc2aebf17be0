/** The legend of the classes of characters: the colour of each, with how many of the vocabulary are in it. */

import { make } from "./chart-element.js";
import { CLASS_COLOR } from "./palette.js";

/**
 * @param {string[]} classes  the class of each character, a key of CLASS_COLOR
 * @returns {HTMLLIElement[]}  one item a class that occurs
 */
export function legendItems(classes) {
  /** @param {string} name */
  const members = (name) => classes.filter((other) => other === name).length;
  return Object.keys(CLASS_COLOR).filter(members).map((name) => {
    const item = make("li", "gc-class");
    const dot = make("span", "gc-dot");
    dot.style.background = CLASS_COLOR[name];
    item.append(dot, make("span", "", name), make("span", "gc-count", String(members(name))));
    return item;
  });
}
