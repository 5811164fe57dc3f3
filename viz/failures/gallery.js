// The gallery of documents on the Failures page. Text is set only through textContent.

import { countPainted } from "../components/shared/component_handle.js";
import { el, found, isDark, keepFocus } from "../components/shared/dom.js";

/**
 * @import { Component } from "../components/shared/component.d.ts"
 * @import { GalleryState } from "./state.d.ts"
 * @import { GalleryData } from "./page.data.d.ts"
 * @typedef {Component<GalleryData, GalleryState>} Gallery
 * @typedef {HTMLElement & { drawn?: string, unfolded?: boolean }} Root
 */

/** @param {Gallery} component */
export default function (component) {
  const root = /** @type {Root} */ (found(component.parentElement, ".failures"));
  countPainted(root);
  root.dataset.theme = isDark(root) ? "dark" : "light";
  // Redraw only if something changed.
  const drawn = JSON.stringify(component.data);
  if (root.drawn === drawn) return;
  root.drawn = drawn;
  keepFocus(root, () => draw(root, component));
}

/**
 * @param {Root} root
 * @param {Gallery} component
 */
function draw(root, { data, setStateValue }) {
  const cards = el("div", "cards");
  cards.setAttribute("role", "group");
  cards.setAttribute("aria-label", "Cases");
  for (const { id, title, teaches, known } of data.cards) {
    const card = cards.appendChild(el("button", "card"));
    card.append(el("strong", "", title), el("span", "teaches", teaches), el("span", "known", known));
    card.title = teaches;
    card.dataset.act = id;
    card.setAttribute("aria-pressed", String(id === data.chosen));
    card.addEventListener("click", () => {
      root.unfolded = false;
      setStateValue("chosen", { id, at: performance.now() });
    });
  }
  const more = el("button", "more");
  more.dataset.act = "more";
  const fold = () => {
    root.classList.toggle("folded", !root.unfolded);
    more.textContent = root.unfolded ? "Fold the cases" : "All cases";
    more.setAttribute("aria-expanded", String(Boolean(root.unfolded)));
    // In a row that is too long for the window the chosen case is scrolled into view.
    const here = found(cards, '[aria-pressed="true"]');
    cards.scrollLeft = here.offsetLeft - cards.offsetLeft - (cards.clientWidth - here.offsetWidth) / 2;
  };
  more.addEventListener("click", () => {
    root.unfolded = !root.unfolded;
    fold();
  });
  const line = el("div", "gallery");
  line.append(cards, more);
  root.replaceChildren(line);
  fold();
}
