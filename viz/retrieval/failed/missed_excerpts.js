// The missed excerpts; each row is linked to its passage. Text is set only through textContent.

import { countPainted } from "../../components/shared/component_handle.js";
import { el, found, isDark } from "../../components/shared/dom.js";
/**
 * @import { FailedData } from "./missed_excerpts.data.d.ts"
 */

/**
 * @import { Component, Moment } from "../../components/shared/component.d.ts"
 */
/** @param {Component<FailedData, { chosen: { question: number, at: Moment } }>} component */
export default function ({ data, parentElement, setStateValue }) {
  const root = /** @type {HTMLElement & { drawn?: string }} */ (found(parentElement, ".failed"));
  root.dataset.theme = isDark(root) ? "dark" : "light";
  countPainted(root);
  // Redraw only if something changed; keep the focus and the scroll position.
  const drawn = JSON.stringify(data);
  if (root.drawn === drawn) return;
  const same = root.drawn !== undefined && withoutMarks(root.drawn) === withoutMarks(drawn);
  root.drawn = drawn;
  if (same) {
    for (const [place, row] of root.querySelectorAll("button").entries()) mark(row, data.rows[place].here);
    return;
  }
  const list = el("ol", "rows");
  for (const row of data.rows) {
    const button = list.appendChild(el("li")).appendChild(el("button", "row"));
    button.append(el("strong", "", row.title), el("span", "missed", row.missed));
    for (const { before, after, reason } of row.seams) {
      const seam = button.appendChild(el("span", "seam"));
      const words = seam.appendChild(el("span", "words"));
      words.append(el("span", "", `… ${before} `), el("span", "cut", "┃"), el("span", "", ` ${after} …`));
      seam.append(el("span", "reason", `Cut: ${reason}`));
    }
    if (row.more) button.append(el("span", "reason", row.more));
    button.append(el("span", "holder", `${row.holder} ${row.others}`));
    mark(button, row.here);
    button.addEventListener("click", () => {
      setStateValue("chosen", { question: row.question, at: performance.now() });
      document.querySelector(data.below)?.scrollIntoView({ block: "start" });
    });
  }
  root.replaceChildren(list, el("p", "note", data.more));
}

/** @param {string} drawn */
const withoutMarks = (drawn) => drawn.replaceAll(/"here":(true|false)/g, "");

/**
 * @param {HTMLElement} row
 * @param {boolean} here
 */
function mark(row, here) {
  row.setAttribute("aria-current", String(here));
}
