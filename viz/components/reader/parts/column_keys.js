// Keys of the columns: a number chooses one. In lecture mode it is shown alone, too, and h hides where the text is cut and why,
// until it is pressed again, so that those who listen can say first where they would cut.

import { isFree } from "../../shared/dom.js";

/** @import { Reader } from "../reader.js" */

/**
 * State left by the keys: the page that they were pressed on, the only shown column, from 0, or null for all, and whether the cuts
 * are hidden.
 * @typedef {{ page: string, alone: number | null, covered: boolean }} LectureState
 */

export class ColumnKeys {
  /** @param {Reader} reader */
  constructor(reader) {
    this.reader = reader;
    // Streamlit may build the component anew in any run of the page.
    const page = location.pathname;
    if (globalThis.seamarkLecture?.page !== page) globalThis.seamarkLecture = { page, alone: null, covered: false };
    this.state = globalThis.seamarkLecture;
    /** @param {KeyboardEvent} event */
    const hearKey = (event) => this.key(event);
    globalThis.addEventListener("keydown", hearKey);
    this.leave = () => globalThis.removeEventListener("keydown", hearKey);
  }

  // Not read off the mode's style sheet, which Streamlit draws when it likes, and anew in any run of the page.
  get on() {
    return Boolean(this.reader.data?.lecture);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { reader } = this;
    const index = /^[1-6]$/.test(event.key) ? Number(event.key) - 1 : null;
    const { length } = reader.columns;
    if (!isFree(event) || !reader.root.isConnected || reader.marking.folded) return;
    if (index !== null && length > 1 && index < length) this.choose(index);
    else if (event.key === "h" && this.on) this.state.covered = !this.state.covered;
    else return;
    event.preventDefault();
    const tops = this.on ? reader.columns.map((column) => ({ column, top: column.topmost() })) : [];
    this.draw();
    for (const { column, top } of tops) if (top && column.body.scrollTop) column.scrollTo(top.sentence, top.offset);
    reader.live.textContent = this.said(index);
  }

  /**
   * Choose a column: settings and curve become its own. In lecture mode it is shown alone, or again all of them.
   * @param {number} index
   */
  choose(index) {
    const { component, data } = this.reader;
    if (this.on) this.state.alone = this.state.alone === index ? null : index;
    if (data?.selected !== index) component?.setStateValue("selected", { column: index, at: performance.now() });
  }

  /** @param {number | null} index */
  said(index) {
    if (!this.on) return `Column ${Number(index) + 1}`;
    if (index === null) return this.state.covered ? "Cuts and reasons are hidden" : "Cuts and reasons are shown";
    return this.state.alone === null ? "All columns" : `Column ${index + 1} alone`;
  }

  // Draw as the keys have left it: as ever, out of lecture mode.
  draw() {
    const { columns, heads, root, texts } = this.reader;
    const { state } = this;
    if (!this.on) [state.alone, state.covered] = [null, false];
    if (columns.length && (state.alone ?? 0) >= columns.length) state.alone = null;
    const { alone, covered } = state;
    root.classList.toggle("covered", covered);
    for (const grid of [heads, texts]) grid.style.setProperty("--count", alone === null ? "" : "1");
    for (const { body, head, index } of columns)
      for (const node of [body, head.root]) node.classList.toggle("away", alone !== null && alone !== index);
    this.reader.sideways.mark();
  }
}
