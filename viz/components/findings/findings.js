// A list of findings, each of which leads to its place in the text. Text is set only through textContent.

import { emit, listen, NOTHING } from "../shared/bus.js";
import { activeIn, el, found, isDark } from "../shared/dom.js";
import { countPainted } from "../shared/handle.js";

/**
 * @import { Component } from "../shared/component.d.ts"
 * @import { FindingData, FindingsData } from "./findings.data.d.ts"
 * @typedef {HTMLElement & { drawn?: string, dispose?: () => void }} Root
 */

/**
 * The finding that was chosen last. It outlives its list, which Streamlit may build anew.
 * @type {FindingData | undefined}
 */
let chosenFinding;

/** @param {Component<FindingsData, object>} component */
export default function ({ data, parentElement }) {
  const root = /** @type {Root} */ (found(parentElement, ".inbox"));
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
  const place = [...root.querySelectorAll("button")].indexOf(/** @type {HTMLButtonElement} */ (activeIn(root)));
  list(root, data);
  if (place >= 0) root.querySelectorAll("button")[place]?.focus();
  return root.dispose;
}

/**
 * Identifier of a finding, in whatever result it is.
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
  const findings = el("ol", "findings");
  for (const row of rows) {
    const { title, reason, passage, range } = row;
    const button = findings.appendChild(el("li")).appendChild(el("button", "finding"));
    button.append(el("strong", "", title), el("span", "reason", reason), el("q", "", passage));
    button.classList.toggle("here", keyOf(row) === chosen);
    button.addEventListener("click", () => {
      for (const other of findings.querySelectorAll(".here")) other.classList.remove("here");
      button.classList.add("here");
      chosenFinding = row;
      emit("seamark-jump", { sentence: range[0] });
      markFinding(row);
    });
  }
  const parts = [summary, counts, findings];
  if (!rows.length) parts.splice(1, 2, ...(data.nothing ? [el("p", "nothing", data.nothing)] : []));
  if (data.more) parts.push(el("p", "note", `and ${data.more} more, ${data.less}`));
  root.replaceChildren(...parts);
}
