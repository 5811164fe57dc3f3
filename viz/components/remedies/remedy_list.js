// The tested changes that keep an answer whole or remove a finding, each with a button that adds it as a column, or the progress
// of the search. Text is set only through textContent.

import { actButton, el, keepFocus } from "../shared/dom.js";
import { counted } from "../shared/format.js";

/**
 * @import { ColumnRemedies } from "./payload.data.d.ts"
 * @typedef {object} Actions
 * @property {(setting: string) => void} add Add a remedy as a column.
 * @property {(wanted: boolean) => void} search Begin the search, or stop it.
 */

/**
 * Describes the results of the search.
 * @param {ColumnRemedies} remedies
 */
export function saidOf({ said, lines }) {
  if (!lines.length) return said;
  const words = lines.map((line) => line.words).join("; ");
  return `${counted(lines.length, "change")} that ${lines.length > 1 ? "help" : "helps"}: ${words}`;
}

/**
 * Draw the changes if they differ from those drawn; nothing if there is no search.
 * @param {HTMLElement} root
 * @param {ColumnRemedies | null} remedies
 * @param {Actions} actions
 */
export function drawRemedies(root, remedies, actions) {
  const now = JSON.stringify(remedies);
  if (root.dataset.drawn === now) return;
  root.dataset.drawn = now;
  keepFocus(root, () => root.replaceChildren(...(remedies ? drawn(remedies, actions) : [])));
}

/**
 * @param {ColumnRemedies} remedies
 * @param {Actions} actions
 */
function drawn({ state, share, said, wanted, lines, full }, { add, search }) {
  if (state === "looking") {
    const bar = el("progress");
    bar.value = share;
    bar.setAttribute("aria-label", said);
    return [
      line(
        el("span", "", said),
        bar,
        actButton("Stop", "stop", () => search(false)),
      ),
    ];
  }
  if (state === "offered")
    return [
      line(
        ...(said ? [el("span", "", said)] : []),
        actButton(wanted, "search", () => search(true)),
      ),
    ];
  if (!lines.length) return [line(el("span", state === "failed" ? "wrong" : "", said))];
  const list = el("ul");
  for (const { setting, words, said, column } of lines) {
    const item = list.appendChild(el("li"));
    const made = column === null ? actButton("", setting, () => add(setting)) : el("span", "", `column ${column + 1}`);
    if (made instanceof HTMLButtonElement) {
      // In a narrow column, only the first word fits.
      made.replaceChildren("Try", el("span", "", " as column"));
      made.setAttribute("aria-label", `Try as column: ${words}`);
      made.disabled = full;
      if (full) made.title = "Compare has no room for another column; remove one first.";
    }
    item.append(el("b", "", words), made, el("span", "said", said.join(" · ")));
  }
  return [list];
}

/** @param {(Node)[]} parts */
function line(...parts) {
  const made = el("p");
  made.append(...parts);
  return made;
}
