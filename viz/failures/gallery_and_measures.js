// The lists of the Failures page: the gallery and the table of measures. Text is set only through textContent.

import { countPainted } from "../components/shared/component_handle.js";
import { activeIn, el, found, isDark } from "../components/shared/dom.js";

/**
 * @import { Component } from "../components/shared/component.d.ts"
 * @import { ListsData, ListsState } from "./state.d.ts"
 * @import { GalleryData, TableData } from "./page.data.d.ts"
 * @typedef {Component<ListsData, ListsState>["setStateValue"]} Tell
 * @typedef {HTMLElement & { drawn?: string, unfolded?: boolean }} Root
 */

/**
 * Headers with possible line breaks, since the table is narrow.
 * @type {Record<string, string>}
 */
const HYPHENATED = { Misassigned: "Mis\u00adassigned", WindowDiff: "Window\u00adDiff", Crossing: "Cross\u00ading" };

/** @param {Component<ListsData, ListsState>} component */
export default function ({ data, parentElement, setStateValue }) {
  const root = /** @type {Root} */ (found(parentElement, ".failures"));
  countPainted(root);
  root.dataset.theme = isDark(root) ? "dark" : "light";
  // Redraw only if something changed, and restore the focus to the same button.
  const drawn = JSON.stringify(data);
  if (root.drawn === drawn) return;
  root.drawn = drawn;
  const place = focused(root);
  if (data.part === "gallery") gallery(root, data, setStateValue);
  else table(root, data, setStateValue);
  if (place !== undefined) root.querySelectorAll("button")[place]?.focus();
}

/**
 * Return the index of the button that has the focus; undefined if none has.
 * @param {Root} root
 */
function focused(root) {
  const active = activeIn(root);
  const place = [...root.querySelectorAll("button")].indexOf(/** @type {HTMLButtonElement} */ (active));
  return place < 0 ? undefined : place;
}

/**
 * @param {Root} root
 * @param {GalleryData} data
 * @param {Tell} setStateValue
 */
function gallery(root, data, setStateValue) {
  const cards = el("div", "cards");
  cards.setAttribute("role", "group");
  cards.setAttribute("aria-label", "Cases");
  for (const { id, title, teaches, known } of data.cards) {
    const card = cards.appendChild(el("button", "card"));
    card.append(el("strong", "", title), el("span", "teaches", teaches), el("span", "known", known));
    card.title = teaches;
    card.setAttribute("aria-pressed", String(id === data.chosen));
    card.addEventListener("click", () => {
      root.unfolded = false;
      setStateValue("chosen", { id, at: performance.now() });
    });
  }
  const more = el("button", "more");
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

/**
 * @param {Root} root
 * @param {TableData} data
 * @param {Tell} setStateValue
 */
function table(root, data, setStateValue) {
  const made = el("table");
  const head = made.createTHead().insertRow();
  const about = el("p", "note about");
  about.setAttribute("role", "status");
  for (const [word, means] of data.head) {
    const cell = head.appendChild(el("th"));
    cell.scope = "col";
    if (!means) {
      cell.textContent = word;
      continue;
    }
    const ask = cell.appendChild(el("button", "ask", HYPHENATED[word] ?? word));
    ask.title = means;
    ask.addEventListener("click", () => {
      const explanation = `${word}: ${means}`;
      about.textContent = about.textContent === explanation ? "" : explanation;
    });
  }
  const body = made.createTBody();
  data.rows.forEach((row) => {
    const line = body.insertRow();
    const here = row.column === data.chosen.column && row.result === data.chosen.result;
    line.className = `${row.result}${here ? " chosen" : ""}`;
    const name = line.appendChild(el("th"));
    name.scope = "row";
    const choose = name.appendChild(el("button", "choose"));
    choose.append(el("strong", "", row.title), el("span", "which", row.which), el("span", "settings", row.settings));
    choose.setAttribute("aria-pressed", String(here));
    choose.title = `${row.settings}: show it in the text`;
    const chooseRow = () => setStateValue("chosen", { column: row.column, result: row.result, at: performance.now() });
    line.addEventListener("click", chooseRow);
    if (!row.cells.length) {
      const cell = line.insertCell();
      cell.colSpan = data.head.length - 1;
      cell.className = "message";
      cell.textContent = row.message;
    }
    for (const { text, why, best } of row.cells) {
      const cell = line.insertCell();
      cell.textContent = text;
      cell.title = why || (best ? "no other row is better" : "");
      cell.className = why ? "undefined" : best ? "best" : "";
    }
  });
  const scroll = el("div", "scroll");
  scroll.append(made);
  root.replaceChildren(scroll, about, el("p", "note", data.note));
}
