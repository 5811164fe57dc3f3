// A glossary term in a sentence: underlined, with its definition on hover, focus and tap.

import { el } from "./dom.js";

/** @import { GlossaryPiece } from "../../theme/glossary.data.d.ts" */

/**
 * Create a paragraph whose glossary terms show their definitions.
 * @param {GlossaryPiece[]} pieces
 * @param {string} [className]
 */
export function sentence(pieces, className = "") {
  const paragraph = el("p", className);
  for (const { text, about } of pieces) paragraph.append(about ? term(text, about) : text);
  return paragraph;
}

let terms = 0;

/**
 * @param {string} text
 * @param {string} about
 */
function term(text, about) {
  const whole = el("span", "term");
  const word = whole.appendChild(el("button", "", text));
  const definition = whole.appendChild(el("span", "definition", about));
  word.type = "button";
  definition.id = `definition-${++terms}`;
  definition.setAttribute("role", "tooltip");
  word.setAttribute("aria-describedby", definition.id);
  /** @param {boolean} shown */
  const show = (shown) => {
    whole.classList.toggle("open", shown);
    if (!shown) return;
    definition.style.translate = "";
    const { left, right } = definition.getBoundingClientRect();
    definition.style.translate = `${inside(left, right, document.documentElement.clientWidth)}px`;
  };
  whole.addEventListener("pointerenter", () => show(true));
  whole.addEventListener("pointerleave", () => show(whole.contains(activeOf(whole))));
  word.addEventListener("focus", () => show(true));
  word.addEventListener("blur", () => show(false));
  // Not every browser focuses an element on tap.
  word.addEventListener("click", () => show(true));
  word.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !whole.classList.contains("open")) return;
    event.preventDefault();
    show(false);
  });
  return whole;
}

/** @param {Element} node */
function activeOf(node) {
  const tree = node.getRootNode();
  return tree instanceof ShadowRoot || tree instanceof Document ? tree.activeElement : null;
}

/**
 * Return the pixels by which a box must move right (left if negative) to lie within a window.
 * @param {number} left
 * @param {number} right
 * @param {number} width of the window
 */
export const inside = (left, right, width, margin = 8) => Math.max(margin - left, Math.min(0, width - margin - right));
