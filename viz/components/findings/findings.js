// A list of findings, each linked to its place in the text. Text is set only through textContent.

import { drawRemedies, saidOf } from "../remedies/remedy_list.js";
import { emit, listen, NOTHING } from "../shared/bus.js";
import { countPainted } from "../shared/component_handle.js";
import { el, found, isDark, keepFocus } from "../shared/dom.js";

/**
 * @import { Component } from "../shared/component.d.ts"
 * @import { FindingData, FindingsData } from "./findings.data.d.ts"
 * @import { FindingsState } from "./state.d.ts"
 * @typedef {Component<FindingsData, FindingsState>["setStateValue"]} Tell
 * @typedef {HTMLElement & { drawn?: string, tell?: Tell, later?: ReturnType<typeof setTimeout>, dispose?: () => void }} Root
 */

const PAUSE = 100; // milliseconds until the server is asked again how far a search is

/**
 * The finding selected last. It outlives its list, which Streamlit may rebuild.
 * @type {FindingData | undefined}
 */
let chosenFinding;

/** @param {Component<FindingsData, FindingsState>} component */
export default function ({ data, parentElement, setStateValue }) {
  const root = /** @type {Root} */ (found(parentElement, ".inbox"));
  root.tell = setStateValue;
  countPainted(root);
  // A text that Streamlit has rebuilt lacks the mark.
  root.dispose ??= listen(
    root,
    { "seamark-ready": () => root.querySelector(".findings") && chosenFinding && markFinding(chosenFinding) },
    () => clearTimeout(root.later),
  );
  root.dataset.theme = isDark(root) ? "dark" : "light";
  // Redraw only if something changed.
  const { sought, ...findings } = data;
  const drawn = JSON.stringify(findings);
  if (root.drawn === drawn) showSought(root, sought);
  else {
    root.drawn = drawn;
    keepFocus(root, () => {
      list(root, data);
      showSought(root, sought);
    });
  }
  return root.dispose;
}

/**
 * Show the changes that remove the selected finding below it, and poll while the search runs.
 * @param {Root} root
 * @param {FindingsData["sought"]} sought
 */
function showSought(root, sought) {
  clearTimeout(root.later);
  const id = sought?.id;
  for (const item of /** @type {HTMLElement[]} */ ([...root.querySelectorAll("li[data-id]")])) {
    const place = /** @type {HTMLElement | null} */ (item.querySelector(".sought"));
    if (item.dataset.id !== id || !sought) place?.remove();
    else fill(place ?? item.appendChild(emptyPlace()), root, sought);
  }
  if (sought?.remedies?.state === "looking")
    root.later = setTimeout(() => root.tell?.("sought", { id: sought.id, at: performance.now() }), PAUSE);
}

function emptyPlace() {
  const place = el("div", "sought");
  const live = el("p", "live");
  live.setAttribute("role", "status");
  place.append(el("div", "remedies"), el("p", "fitted"), live);
  return place;
}

/**
 * @param {HTMLElement} place
 * @param {Root} root
 * @param {NonNullable<FindingsData["sought"]>} sought
 */
function fill(place, root, { id, remedies, why_none: whyNone }) {
  const [changes, fitted, live] = /** @type {HTMLElement[]} */ ([...place.children]);
  const at = () => performance.now();
  drawRemedies(changes, remedies, {
    add: (setting) => root.tell?.("remedy", { setting, at: at() }),
    search: (search) => root.tell?.("sought", { id, search, at: at() }),
  });
  if (!remedies) changes.textContent = whyNone;
  const helps = Boolean(remedies?.lines.length);
  if (helps && !fitted.firstChild) {
    const test = el("button", "test", "Test on other texts");
    test.dataset.act = "test";
    test.title = "Opens Tune, which measures settings on other documents";
    test.addEventListener("click", () => root.tell?.("remedy", { tune: true, at: at() }));
    fitted.append("Fitted to this text. ", test);
  }
  fitted.hidden = !helps;
  const words = remedies?.state === "done" ? saidOf(remedies) : whyNone;
  if (live.textContent !== words) live.textContent = words;
}

/**
 * Return the identifier of a finding, the same in every result.
 * @param {FindingData} finding
 */
const keyOf = ({ title, passage, range }) => JSON.stringify([title, passage, range]);

/** @param {FindingData} finding */
const markFinding = ({ range }) => emit("seamark-step", { ...NOTHING, next: range });

/**
 * @param {Root} root
 * @param {FindingsData} data
 */
function list(root, data) {
  /** @type {FindingData[]} */
  const rows = JSON.parse(data.rows);
  // The mark of a finding that no longer exists may refer to sentences that have changed.
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
  const findings = el("ol", "findings");
  for (const row of rows) {
    const { title, reason, passage, range } = row;
    const item = findings.appendChild(el("li"));
    const button = item.appendChild(el("button", "finding"));
    button.dataset.act = keyOf(row);
    if (row.id) item.dataset.id = row.id;
    button.append(el("strong", "", title), el("span", "reason", reason), el("q", "", passage));
    button.classList.toggle("here", keyOf(row) === chosen);
    button.addEventListener("click", () => {
      for (const other of findings.querySelectorAll(".here")) other.classList.remove("here");
      button.classList.add("here");
      chosenFinding = row;
      emit("seamark-jump", { sentence: range[0] });
      markFinding(row);
      if (row.id) root.tell?.("sought", { id: row.id, at: performance.now() });
    });
  }
  const parts = [summary, counts, findings];
  if (!rows.length) parts.splice(1, 2, ...(data.nothing ? [el("p", "nothing", data.nothing)] : []));
  if (data.more) parts.push(el("p", "note", `and ${data.more} more, ${data.less}`));
  root.replaceChildren(...parts);
}
