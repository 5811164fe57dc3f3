// One question for all columns: its text box, the chunks that each column retrieves, and the answer marked in the text. The
// server ranks the chunks; its result is valid as long as the columns do not change.

import { emit } from "../../shared/bus.js";
import { isFree } from "../../shared/dom.js";
import { AnswerMark } from "./answer_mark.js";
import { Remedies, unchanged } from "./answer_remedies.js";
import { AskForm } from "./ask_form.js";
import { drawFound, fateSaid, foundSaid } from "./found_line.js";
import { passTyping, takeTyping, watchTyping } from "./question_typing.js";
import { Hits, markBlock } from "./retrieved_chunks.js";
import { rangesOf, sentenceAt } from "./selection_offsets.js";
import { markStrip } from "./strip_marks.js";
import { paintRanges } from "./text_highlights.js";

/**
 * @import { Asked, AskedColumn } from "../../../compare/questions/question_search.data.d.ts"
 * @import { Block } from "../chunk_block.js"
 * @import { Column } from "../column.js"
 * @import { ColumnText } from "../column_text.js"
 * @import { Reader } from "../reader.js"
 */

const HINT = "Select the answer in the text to mark it";
const HIGH = 0.6; // share of what is in sight in which a chunk must begin to be well in sight
const FOLDED = 8; // pixels of a box in which nobody could write
const FITTED = "The changes are fitted to this text";
const KEPT = "Kept under “Questions”, below the text";

export class Asking {
  /** @type {Asked | null} */ asked = null;
  /** @type {Map<ColumnText, Hits>} */ hits = new Map();
  sent = 0; // when the last question was sent
  known = ""; // the question when the page was last drawn
  waiting = false; // whether its answer is still to come
  /** @type {number | null} */ frame = null;

  /** @param {Reader} reader */
  constructor(reader) {
    this.reader = reader;
    this.form = new AskForm({
      ask: () => this.ask(),
      clear: () => this.clear(""),
      stop: () => this.tell({ question: this.question, stop: true }),
      set: () => this.set(),
      test: () => this.remedies.tell({ tune: true }),
    });
    reader.title.after(this.form.root);
    reader.summary.after(this.form.bar);
    this.mark = new AnswerMark(this);
    this.remedies = new Remedies(this);
    /** @param {KeyboardEvent} event */
    const hearKey = (event) => this.key(event);
    watchTyping(this.form.input);
    globalThis.addEventListener("keydown", hearKey);
    this.leave = () => {
      globalThis.removeEventListener("keydown", hearKey);
      passTyping(this.form.input);
      this.mark.leave();
      paintRanges("answer", []);
      paintRanges("beyond", []);
    };
    const focused = () => this.drawForm();
    for (const node of [this.form.root, this.form.bar])
      for (const event of ["focusin", "focusout"]) node.addEventListener(event, () => requestAnimationFrame(focused));
    this.drawForm();
  }

  get question() {
    return this.form.input.value;
  }

  // True if a question is asked, answered or not.
  get active() {
    return this.waiting || (this.asked !== null && this.asked.state !== "nothing");
  }

  update() {
    const data = this.reader.data?.asking ?? null;
    this.form.root.hidden = data === null;
    if (!data) return this.drawForm();
    this.form.update(data);
    // Text being typed is only replaced by a question that the user has chosen elsewhere on the page.
    if (data.question !== this.known && !this.focused) this.form.input.value = data.question.trim();
    this.known = data.question;
    takeTyping(this.form.input);
    this.draw();
  }

  // True if the focus is in the box or below it.
  get focused() {
    return Boolean(this.form.root.matches(":focus-within") || this.form.bar.matches(":focus-within"));
  }

  // ---- asking -----------------------------------------------------------------------------------------------------

  /** @param {{ question: string | null, stop?: boolean, search?: boolean }} request */
  tell(request) {
    this.sent = performance.now();
    emit("seamark-ask", { ...request, moment: this.sent });
  }

  ask() {
    if (!this.reader.data?.asking) return;
    // If the box is folded, the button opens it.
    if (!this.question && this.form.input.offsetWidth < FOLDED) return this.form.input.focus();
    this.waiting = true;
    this.tell({ question: this.question });
    this.drawForm();
  }

  /**
   * Ask the question of a lecture's scene, or clear the question of the scene before.
   * @param {string} question
   * @param {string} before
   */
  askFor(question, before) {
    if (question && !(this.active && this.question === question)) {
      this.form.input.value = question;
      this.ask();
    } else if (!question && before && this.question === before) this.forget("");
  }

  /** @param {string} words what is left in the box */
  forget(words) {
    this.form.input.value = words;
    this.waiting = false;
    this.asked = null;
    this.tell({ question: null });
    this.draw();
  }

  /** @param {string} words what is left in the box */
  clear(words) {
    this.forget(words);
    this.form.input.focus({ preventScroll: true });
    this.form.input.select();
    this.reader.live.textContent = words ? "The marks of the question are cleared" : "The question is cleared";
  }

  // Changed settings: store them, and ask again.
  set() {
    const { method, limit } = this.form;
    const chosen = { ask: method.value, ask_limit: limit.value, at: performance.now() };
    this.reader.component?.setStateValue("asking", chosen);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.reader.root.isConnected || !this.reader.data?.asking) return;
    if (event.key === "/" && isFree(event)) {
      event.preventDefault();
      this.form.input.focus();
      this.form.input.select();
    } else if (event.key === "Escape" && !event.defaultPrevented && this.active && (this.focused || isFree(event))) {
      event.preventDefault();
      // Keep the text, to be asked again or overwritten.
      this.clear(this.question);
    }
  }

  /** @param {Asked} asked */
  hear(asked) {
    const answers = asked.moment !== null && asked.moment >= this.sent;
    if (this.waiting && !answers) return;
    const before = this.asked;
    this.asked = asked.state === "nothing" ? null : asked;
    // Do not redraw unchanged results while polling.
    asked.found = asked.found.map((column, number) => unchanged(column, before?.found[number] ?? null));
    const arrived = this.waiting && asked.state !== "working";
    if (arrived) this.waiting = false;
    this.draw();
    this.remedies.say();
    if (!arrived) return;
    this.say();
    if (asked.state === "done") this.showBest();
  }

  // ---- results ----------------------------------------------------------------------------------------------------

  /**
   * Returns the chunks that a question retrieves in a column; null if nothing is asked, or the column has changed since.
   * @param {Column} column
   * @returns {AskedColumn | null}
   */
  of(column) {
    const { asked } = this;
    const same = asked && column.hash !== "" && asked.hashes[column.index] === column.hash && !column.previewed;
    return (same && asked.found[column.index]) || null;
  }

  draw() {
    const { reader } = this;
    reader.root.classList.toggle(
      "asked",
      this.reader.columns.some((column) => this.of(column)),
    );
    for (const column of reader.columns) this.drawColumn(column);
    this.drawForm();
    reader.axis.strips.draw();
    this.mark.draw();
  }

  /**
   * Show a column's retrieved chunks.
   * @param {Column} column
   */
  drawColumn(column) {
    const asked = this.of(column);
    const before = this.hits.get(column);
    if (before?.asked !== asked) {
      if (asked) this.hits.set(column, new Hits(asked));
      else this.hits.delete(column);
      drawFound(column.head.retrieved, asked, (chunk) => this.go(column, chunk));
    }
    this.remedies.draw(column, asked);
    if (asked || before) for (const block of column.blocks) this.markBlock(column, block);
    this.paintLater();
  }

  /**
   * @param {ColumnText} column
   * @param {Block} block
   */
  markBlock(column, block) {
    markBlock(column, block, this.hits.get(column) ?? null);
    if (this.hits.has(column)) this.paintLater();
  }

  drawForm() {
    const { asked, form, waiting } = this;
    const open = Boolean(this.reader.data?.asking) && (this.active || this.focused);
    this.reader.root.classList.toggle("asks", open);
    const working = asked?.state === "working";
    const failed = asked?.state === "failed" && !waiting;
    form.test.hidden = !this.remedies.helps;
    const hint = asked ? (asked.answer ? KEPT : HINT) : "";
    const words = asked?.said || (waiting ? "Looking for the answer" : hint);
    const fitted = `${asked?.said.replace(/[.]$/, "") || "Kept under “Questions”"}. ${FITTED}`;
    form.say(this.remedies.helps ? fitted : words, failed ? "wrong" : "", working ? asked.share : null);
    form.clear.hidden = !this.active;
  }

  // Once per frame: paint the answer, and the text beyond the budget.
  paintLater() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      const { columns } = this.reader;
      const [start, end] = this.asked?.answer ?? [0, 0];
      paintRanges("answer", end ? columns.flatMap((column) => rangesOf(column, start, end)) : []);
      paintRanges(
        "beyond",
        columns.flatMap((column) => this.beyond(column)),
      );
    });
  }

  /**
   * Return the part beyond the budget of the block in which the budget ends.
   * @param {Column} column
   */
  beyond(column) {
    const cut = this.hits.get(column)?.asked.cut ?? null;
    if (cut === null || !column.segments) return [];
    const { start, end } = column.segments;
    const block = column.blocks.find(({ number }) => start[number] < cut && cut < end[number]);
    return block?.chunk?.querySelector(".ends") ? rangesOf(column, cut, end[block.number]) : [];
  }

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Column} column
   */
  markStrip(canvas, column) {
    const { ends } = this.reader;
    const [start, end] = this.asked?.answer ?? [0, 0];
    const answer = end ? /** @type {[number, number]} */ ([sentenceAt(ends, start), sentenceAt(ends, end - 1) + 1]) : null;
    return markStrip(this.reader.axis.strips, canvas, column, this.hits.get(column) ?? null, answer);
  }

  // ---- going there ------------------------------------------------------------------------------------------------

  /**
   * Scroll to a chunk, and to the same place of the text in the other columns.
   * @param {Column} column
   * @param {number} chunk
   */
  go(column, chunk) {
    const part = column.segments?.over.findIndex((over) => over.includes(chunk)) ?? -1;
    if (part < 0 || !column.segments) return;
    this.reader.jump(Math.floor(column.segments.from[part]));
    column.body.focus({ preventScroll: true });
  }

  // Scroll to the best chunk of the selected column, or of the first column with one, unless it is clearly visible.
  showBest() {
    const { columns, data } = this.reader;
    const withChunks = columns.filter((column) => this.hits.get(column)?.asked.chunks.length);
    const column = withChunks.find(({ index }) => index === data?.selected) ?? withChunks[0];
    const hits = column && this.hits.get(column);
    if (!hits || !column.segments) return;
    const { over, from, to } = column.segments;
    const part = over.findIndex((some) => some.includes(hits.asked.chunks[0]));
    const [top, bottom] = column.inSight();
    const high = top + (bottom - top) * HIGH;
    if (part < 0 || (from[part] >= top && from[part] < high) || (from[part] < top && to[part] > high)) return;
    this.reader.jump(Math.floor(from[part]));
  }

  // Tell a screen reader.
  say() {
    const { asked, reader } = this;
    const parts = reader.columns.flatMap((column) => {
      const retrieved = this.of(column);
      if (!retrieved) return [];
      return [
        `column ${column.index + 1}: ${[foundSaid(retrieved), retrieved.fate && fateSaid(retrieved.fate)].filter(Boolean).join("; ")}`,
      ];
    });
    reader.live.textContent = [asked?.said, ...parts].filter(Boolean).join(". ");
  }

  handle() {
    const { asked, reader, waiting } = this;
    return {
      state: waiting ? "working" : (asked?.state ?? "nothing"),
      said: asked?.said ?? "",
      answer: asked?.answer ?? null,
      chunks: reader.columns.map((column) => this.of(column)?.chunks ?? null),
    };
  }
}
