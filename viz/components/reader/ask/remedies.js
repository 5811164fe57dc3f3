// Below the fate of an answer that is not whole: the tested changes that keep it whole, each with a button that adds it as a
// column; or how far the search for them is.

import { actButton, el } from "../../shared/dom.js";
import { counted } from "../../shared/format.js";

/**
 * @import { AskedColumn, ColumnRemedies } from "../../../compare/asking/payload.data.d.ts"
 * @import { Column } from "../column.js"
 * @import { Asking } from "./asking.js"
 * @typedef {object} Actions
 * @property {(setting: string) => void} add Add a remedy as a column.
 * @property {(wanted: boolean) => void} search Begin the search, or stop it.
 */

export class Remedies {
  told = ""; // what a screen reader was told last

  /** @param {Asking} asking */
  constructor(asking) {
    this.asking = asking;
  }

  get all() {
    return this.asking.asked?.remedies ?? [];
  }

  // Whether there is any change that keeps the answer whole.
  get found() {
    return this.all.some((one) => one?.lines.length);
  }

  /** @param {{ setting?: string, tune?: boolean }} wanted a column, or the page that tests settings on other texts */
  tell(wanted) {
    this.asking.reader.component?.setStateValue("remedy", { ...wanted, at: performance.now() });
  }

  // Tell a screen reader what was found.
  say() {
    const parts = this.all.map((one, number) => (one?.state === "done" ? `column ${number + 1}: ${saidOf(one)}` : ""));
    const said = parts.filter(Boolean).join(". ");
    if (said && said !== this.told) this.asking.reader.live.textContent = said;
    this.told = said;
  }

  /**
   * Draw the changes in a column's head; nothing where there are none to look for.
   * @param {Column} column
   * @param {AskedColumn | null} asked what the question retrieves there
   */
  draw(column, asked) {
    const root = column.head.remedies;
    const remedies = (asked && this.all[column.index]) ?? null;
    const now = JSON.stringify(remedies);
    if (root.dataset.drawn === now) return;
    root.dataset.drawn = now;
    const active = /** @type {ShadowRoot} */ (root.getRootNode()).activeElement;
    const focused = root.contains(active) ? /** @type {HTMLElement} */ (active).dataset.act : undefined;
    root.hidden = !remedies;
    const { asking } = this;
    const actions = {
      add: (/** @type {string} */ setting) => this.tell({ setting }),
      search: (/** @type {boolean} */ wanted) => asking.tell({ question: asking.question, search: wanted }),
    };
    root.replaceChildren(...(remedies ? drawn(remedies, actions) : []));
    // What is drawn again keeps the focus.
    if (focused) [...root.querySelectorAll("button")].find(({ dataset }) => dataset.act === focused)?.focus();
  }
}

/**
 * Describes what the search has found.
 * @param {ColumnRemedies} remedies
 */
export function saidOf({ said, lines }) {
  if (!lines.length) return said;
  const words = lines.map((line) => line.words).join("; ");
  return `${counted(lines.length, "change")} that ${lines.length > 1 ? "keep" : "keeps"} it whole: ${words}`;
}

/**
 * The value of before where nothing has changed.
 * @template Value
 * @param {Value} value
 * @param {Value} before
 */
export const unchanged = (value, before) => (JSON.stringify(value) === JSON.stringify(before) ? before : value);

/**
 * @param {ColumnRemedies} remedies
 * @param {Actions} actions
 */
function drawn({ state, share, said, lines, full }, { add, search }) {
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
        actButton("What keeps it whole?", "search", () => search(true)),
      ),
    ];
  if (!lines.length) return [line(el("span", state === "failed" ? "wrong" : "", said))];
  const list = el("ul");
  for (const { setting, words, said, column } of lines) {
    const item = list.appendChild(el("li"));
    const made = column === null ? actButton("", setting, () => add(setting)) : el("span", "", `column ${column + 1}`);
    if (made instanceof HTMLButtonElement) {
      // In a narrow column the first word has to do.
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
