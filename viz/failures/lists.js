// The lists of the Failures page: the gallery, the table of measures, the inbox. Text is set only through textContent.

import { emit, listen, NOTHING } from "../components/shared/bus.js";
import { activeIn, el, found, isDark } from "../components/shared/dom.js";
import { countPainted } from "../components/shared/handle.js";

/**
 * @import { Component } from "../components/shared/component.d.ts"
 * @import { FindingData, GalleryData, InboxData, ListsData, ListsState, TableData } from "./payload.d.ts"
 * @typedef {Component<ListsData, ListsState>["setStateValue"]} Tell
 * @typedef {HTMLElement & { drawn?: string, unfolded?: boolean, dispose?: () => void }} Root
 */

/**
 * The finding that was chosen last. It outlives its list, which Streamlit may build anew.
 * @type {FindingData | undefined}
 */
let chosenFinding;

/**
 * Headers that may be broken, as the table is narrow.
 * @type {Record<string, string>}
 */
const HYPHENATED = { Misassigned: "Mis\u00adassigned", WindowDiff: "Window\u00adDiff", Crossing: "Cross\u00ading" };

/** @param {Component<ListsData, ListsState>} component */
export default function ({ data, parentElement, setStateValue }) {
  const root = /** @type {Root} */ (found(parentElement, ".failures"));
  countPainted(root);
  // A text that Streamlit builds anew has lost the mark.
  root.dispose ??= listen(root, {
    "seamark-ready": () => root.querySelector(".findings") && chosenFinding && markFinding(chosenFinding),
  });
  root.dataset.theme = isDark(root) ? "dark" : "light";
  // Redrawn only if it changed, and then the focus goes back to the same button.
  const drawn = JSON.stringify(data);
  if (root.drawn === drawn) return root.dispose;
  root.drawn = drawn;
  const place = focused(root);
  if (data.part === "gallery") gallery(root, data, setStateValue);
  else if (data.part === "table") table(root, data, setStateValue);
  else inbox(root, data);
  if (place !== undefined) root.querySelectorAll("button")[place]?.focus();
  return root.dispose;
}

/**
 * The number of the button that has the focus, if one has.
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
      const said = `${word}: ${means}`;
      about.textContent = about.textContent === said ? "" : said;
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

/**
 * What tells a finding from all others, in whatever result it is.
 * @param {FindingData} finding
 */
const keyOf = ({ title, passage, range }) => JSON.stringify([title, passage, range]);

/** @param {FindingData} finding */
const markFinding = ({ range }) => emit("seamark-step", { ...NOTHING, next: range });

/**
 * @param {Root} root
 * @param {InboxData} data
 */
function inbox(root, data) {
  /** @type {FindingData[]} */
  const rows = JSON.parse(data.rows);
  // The mark of a finding that is no longer there may be about sentences that are different now.
  const chosen = chosenFinding && keyOf(chosenFinding);
  if (chosen && !rows.some((row) => keyOf(row) === chosen)) {
    chosenFinding = undefined;
    emit("seamark-step", NOTHING);
  }
  const summary = el("p", "summary", data.summary);
  const counts = el("ul", "counts");
  for (const [title, count, why] of data.counts) {
    const item = counts.appendChild(el("li"));
    item.append(el("b", "", String(count)), ` ${title.toLowerCase()}`);
    item.title = why;
  }
  const list = el("ol", "findings");
  for (const row of rows) {
    const { title, reason, passage, range } = row;
    const button = list.appendChild(el("li")).appendChild(el("button", "finding"));
    button.append(el("strong", "", title), el("span", "reason", reason), el("q", "", passage));
    button.classList.toggle("here", keyOf(row) === chosen);
    button.addEventListener("click", () => {
      for (const other of list.querySelectorAll(".here")) other.classList.remove("here");
      button.classList.add("here");
      chosenFinding = row;
      emit("seamark-jump", { sentence: range[0] });
      markFinding(row);
    });
  }
  const parts = [summary, counts, list];
  if (!rows.length) parts.splice(1, 2, el("p", "nothing", "Nothing looks suspicious to these rules."));
  if (data.more) parts.push(el("p", "note", `and ${data.more} more, less suspicious`));
  root.replaceChildren(...parts);
}
