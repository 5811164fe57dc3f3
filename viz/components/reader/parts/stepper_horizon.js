// The result up to a stepper's step: the text ahead is uncut and pale, as are the strips and the curve. The question of a step
// is shown at its possible cut, and the prediction stays there.

import { emit } from "../../shared/bus.js";
import { all, el } from "../../shared/dom.js";

/**
 * @import { Mark } from "../../shared/bus.js"
 * @import { Block } from "../chunk_block.js"
 * @import { Column } from "../column.js"
 * @import { ColumnText } from "../column_text.js"
 * @import { Reader } from "../reader.js"
 */

export class Horizon {
  /** @type {number | null} */ at = null; // sentences that are in a chunk as yet; null for all
  /** @type {Mark["asked"]} */ asked = null;
  /** @type {number | null} */ gap = null; // that the question is about
  /** @type {Map<number, [said: string, right: boolean]>} */ predicted = new Map(); // by gap
  known = false; // whether the known boundaries are shown all the same

  /** @param {Reader} reader */
  constructor(reader) {
    this.reader = reader;
  }

  // The column that the steps belong to; the others are for comparison.
  get column() {
    return this.at === null ? undefined : this.reader.columns[0];
  }

  // True if the known boundaries are not shown.
  get hidesKnown() {
    return this.at !== null && !this.known;
  }

  /** @param {Mark} step */
  show({ horizon = null, asked = null, predicted = [], known = false, gap }) {
    const before = this.at;
    if (before === null && horizon === null) return;
    const hid = this.hidesKnown;
    this.known = known;
    this.at = horizon;
    this.asked = asked;
    this.gap = gap;
    this.predicted = new Map(predicted.map(([place, ...rest]) => [place, rest]));
    this.reader.root.classList.toggle("building", horizon !== null);
    const [column] = this.reader.columns;
    if (this.hidesKnown !== hid) column?.updateBlocks();
    for (const block of column?.blocks ?? []) if (block.filled) this.markBlock(column, block);
    if (before !== horizon || this.hidesKnown !== hid) this.reader.axis.draw();
  }

  /**
   * True if the verdict on a gap may be shown.
   * @param {number} gap
   */
  shows(gap) {
    return this.at === null || gap + 1 < this.at;
  }

  /**
   * Return the part of a width that the shown sentences take in the visible range; all of it for the other columns.
   * @param {number} width
   * @param {Column} [column] none for what all columns share
   */
  widthOf(width, column) {
    if (this.at === null || (column && column !== this.column)) return width;
    return column ? Math.max(0, Math.min(width, this.reader.axis.window.x(this.at, width) - 1)) : 0;
  }

  /**
   * Draw the part of a block whose sentences are in a chunk.
   * @param {ColumnText} column
   * @param {Block} block
   */
  markBlock(column, block) {
    const { segments } = column;
    const own = column === this.column;
    if (!segments || (!own && !block.horizon)) return;
    const [from, to] = [segments.from[block.number], segments.to[block.number]];
    const at = own ? Number(this.at) : Infinity;
    // The last chunk may continue.
    const look = at <= from ? "ahead" : at <= to ? "open" : "";
    if (look !== "" || block.horizon !== look)
      for (const span of all(block, ".s")) span.classList.toggle("ahead", Number(span.dataset.s) >= at);
    block.classList.toggle("ahead", look === "ahead");
    block.classList.toggle("open", look === "open");
    block.horizon = look;
    this.markGaps(block, own);
  }

  /**
   * Draw the question and the predictions before the sentences of a block.
   * @param {Block} block
   * @param {boolean} own whether it is of the column that the steps are of
   */
  markGaps(block, own) {
    for (const node of all(block, ".seam-question, .predicted")) node.remove();
    if (!own || (!this.asked && !this.predicted.size)) return;
    for (const span of all(block, ".s")) {
      const gap = Number(span.dataset.s) - 1;
      const predicted = this.predicted.get(gap);
      if (this.asked && gap === this.gap) span.before(this.question(this.asked));
      else if (predicted) span.before(prediction(...predicted));
    }
  }

  /** @param {NonNullable<Mark["asked"]>} asked */
  question({ words, yes, no }) {
    const node = el("span", "seam-question");
    node.setAttribute("role", "group");
    node.setAttribute("aria-label", words);
    for (const [label, key, isYes] of /** @type {const} */ ([
      [yes, "y", true],
      [no, "n", false],
    ])) {
      const button = node.appendChild(el("button", "", label));
      button.type = "button";
      button.title = `${words} (${key})`;
      button.addEventListener("click", (event) => {
        event.stopPropagation();
        emit("seamark-predict", { yes: isYes });
      });
    }
    return node;
  }
}

/**
 * Create the permanent mark of a prediction.
 * @param {string} answer
 * @param {boolean} right
 */
function prediction(answer, right) {
  const node = el("span", `predicted ${right ? "right" : "wrong"}`);
  node.dataset.said = `you: ${answer} ${right ? "✓" : "✗"}`;
  node.title = `You said: ${answer}, ${right ? "right" : "wrong"}`;
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", node.title);
  return node;
}
