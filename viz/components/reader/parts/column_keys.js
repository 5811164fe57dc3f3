// Keyboard shortcuts of the columns: a number selects one. In lecture mode it is also shown alone, and h toggles the cuts and
// their reasons, so that an audience can first say where it would cut.

import { isFree } from "../../shared/dom.js";

/** @import { Reader } from "../reader.js" */

/**
 * State set by the keys: their page, the only shown column (from 0, null for all), and whether the cuts are hidden.
 * @typedef {{ page: string, alone: number | null, covered: boolean }} LectureState
 */

export class ColumnKeys {
  /** @param {Reader} reader */
  constructor(reader) {
    this.reader = reader;
    // Streamlit may rebuild the component in any run of the page.
    const page = location.pathname;
    if (globalThis.seamarkLecture?.page !== page) {
      const covered = globalThis.seamarkDeck?.covered ?? false;
      globalThis.seamarkLecture = { page, alone: null, covered };
    }
    this.state = globalThis.seamarkLecture;
    /** @param {KeyboardEvent} event */
    const hearKey = (event) => this.key(event);
    globalThis.addEventListener("keydown", hearKey);
    this.leave = () => globalThis.removeEventListener("keydown", hearKey);
  }

  // Not read from the mode's style sheet, which Streamlit may insert late and rebuilds in any run of the page.
  get on() {
    return Boolean(this.reader.data?.lecture);
  }

  /** @param {boolean} covered */
  cover(covered) {
    if (!this.on || covered === this.state.covered) return;
    this.state.covered = covered;
    this.redraw();
  }

  // Draw, and keep what is at the top of each column there.
  redraw() {
    const { columns } = this.reader;
    const tops = this.on ? columns.map((column) => ({ column, top: column.topmost() })) : [];
    this.draw();
    for (const { column, top } of tops) if (top && column.body.scrollTop) column.scrollTo(top.sentence, top.offset);
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
    this.redraw();
    reader.live.textContent = this.announcement(index);
  }

  /**
   * Select a column, whose settings and curve are then shown. In lecture mode, show it alone, or all columns again.
   * @param {number} index
   */
  choose(index) {
    const { component, data } = this.reader;
    if (this.on) this.state.alone = this.state.alone === index ? null : index;
    if (data?.selected !== index) component?.setStateValue("selected", { column: index, at: performance.now() });
  }

  /** @param {number | null} index */
  announcement(index) {
    if (!this.on) return `Column ${Number(index) + 1}`;
    if (index === null) return this.state.covered ? "Cuts and reasons are hidden" : "Cuts and reasons are shown";
    return this.state.alone === null ? "All columns" : `Column ${index + 1} alone`;
  }

  // Draw the state set by the keys; outside lecture mode, draw all columns.
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
