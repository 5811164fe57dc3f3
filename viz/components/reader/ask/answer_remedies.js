// The tested changes that keep an answer whole, each with a button that adds it as a column, or the progress of the search.
// Shown below the fate of an answer that is not whole.

import { drawRemedies, saidOf } from "../../remedies/remedy_list.js";

/**
 * @import { AskedColumn } from "../../../compare/questions/question_search.data.d.ts"
 * @import { Column } from "../column.js"
 * @import { Asking } from "./asking.js"
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

  // True if any change keeps the answer whole.
  get helps() {
    return this.all.some((remedies) => remedies?.lines.length);
  }

  /** @param {{ setting?: string, tune?: boolean }} wanted a column, or the page that tests settings on other texts */
  tell(wanted) {
    this.asking.reader.component?.setStateValue("remedy", { ...wanted, at: performance.now() });
  }

  // Tell a screen reader what was found.
  say() {
    const parts = this.all.map((remedies, number) =>
      remedies?.state === "done" ? `column ${number + 1}: ${saidOf(remedies)}` : "",
    );
    const words = parts.filter(Boolean).join(". ");
    if (words && words !== this.told) this.asking.reader.live.textContent = words;
    this.told = words;
  }

  /**
   * Draw the changes in a column's head; nothing where there are none to look for.
   * @param {Column} column
   * @param {AskedColumn | null} asked what the question retrieves there
   */
  draw(column, asked) {
    const root = column.head.remedies;
    const remedies = (asked && this.all[column.index]) ?? null;
    const { asking } = this;
    root.hidden = !remedies;
    drawRemedies(root, remedies, {
      add: (setting) => this.tell({ setting }),
      search: (wanted) => asking.tell({ question: asking.question, search: wanted }),
    });
  }
}

/**
 * Return the previous object if nothing has changed.
 * @template Value
 * @param {Value} value
 * @param {Value} before
 */
export const unchanged = (value, before) => (JSON.stringify(value) === JSON.stringify(before) ? before : value);
