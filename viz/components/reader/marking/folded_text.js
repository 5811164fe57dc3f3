// The text without chunks into which the columns fold, with a block per paragraph and the gaps between sentences as buttons;
// arrow keys move between them.

import { PURPOSES } from "../../gaps/gap_marks.js";
import { all, el } from "../../shared/dom.js";
import { updateGaps, writeSentences } from "../chunk_block.js";
import { ColumnText } from "../column_text.js";
import { writePieces } from "../parts/long_words.js";

/**
 * @import { GapMarks } from "../../gaps/gap_marks.js"
 * @import { Block } from "../chunk_block.js"
 * @import { Segments } from "../payload.data.d.ts"
 * @import { Reader } from "../reader.js"
 */

/** @type {Record<string, number>} */
const WALKS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity };

export class FoldedText extends ColumnText {
  words = PURPOSES.marks; // for what is clicked
  drawnOf = ""; // the text that is drawn, and what for
  current = 0; // the gap that Tab leads to

  /**
   * @param {Reader} reader
   * @param {GapMarks} marks
   */
  constructor(reader, marks) {
    super(reader);
    this.body.remove();
    this.marks = marks;
    this.body.classList.add("plain");
    this.body.addEventListener("focusin", (event) => {
      const { gap } = /** @type {HTMLElement} */ (event.target).dataset;
      if (gap !== undefined) this.leadTo(Number(gap));
    });
    this.body.addEventListener("keydown", (event) => {
      const step = WALKS[event.key];
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.focus(Math.max(0, Math.min(this.reader.sentences - 2, this.current + step)));
    });
  }

  // Draw the text, unless it is drawn already.
  show() {
    const { data, marking, texts } = this.reader;
    // Appending it again would lose the focus.
    if (this.body.parentNode !== texts) texts.append(this.body);
    this.body.setAttribute("aria-label", marking.words.title);
    this.words = marking.words;
    const now = `${marking.purpose} ${data?.source}`;
    if (this.drawnOf === now) return;
    this.drawnOf = now;
    this.current = 0;
    this.forget();
    this.draw(paragraphSegments(this.reader));
  }

  /** @param {Block} block */
  fill(block) {
    const { reader, segments } = this;
    if (block.filled || !segments) return;
    const { text } = reader;
    const { number } = block;
    const [start, end] = [segments.start[number], segments.end[number]];
    block.filled = true;
    block.style.height = "";
    block.style.containIntrinsicSize = `auto ${block.height}px`;
    if (number === 0 && start > 0) writePieces(block.appendChild(el("span", "between")), text.slice(0, start));
    block.chunk = block.appendChild(el("div", "paragraph"));
    writeSentences(reader, block.chunk, start, end);
    const following = segments.start[number + 1] ?? text.length;
    if (following > end) writePieces(block.appendChild(el("span", "between")), text.slice(end, following));
    this.drawGaps(block);
  }

  updateAllSentences() {
    for (const block of this.blocks) if (block.filled) this.drawGaps(block);
  }

  /** @param {Block} block */
  drawGaps(block) {
    if (!this.segments) return;
    updateGaps(this, this.segments, block, this.words);
    for (const button of all(block, ".gap")) button.tabIndex = Number(button.dataset.gap) === this.current ? 0 : -1;
  }

  /** @param {number} gap */
  buttonOf(gap) {
    const block = this.blocksOf(gap + 1)[0];
    if (!block) return null;
    this.fill(block);
    return all(block, `.gap[data-gap="${gap}"]`)[0] ?? null;
  }

  /** @param {number} gap that Tab leads to from now on */
  leadTo(gap) {
    const before = this.buttonOf(this.current);
    if (before) before.tabIndex = -1;
    this.current = gap;
    const button = this.buttonOf(gap);
    if (button) button.tabIndex = 0;
  }

  /** @param {number} gap */
  focus(gap) {
    this.buttonOf(gap)?.focus();
  }
}

/**
 * Return a text's paragraphs as segments that are not chunks.
 * @param {Pick<Reader, "starts" | "ends" | "paragraphs">} text
 * @returns {Segments}
 */
export function paragraphSegments({ starts, ends, paragraphs }) {
  const first = starts.length ? [0, ...paragraphs] : [];
  const none = first.map(() => "");
  return {
    start: first.map((sentence) => starts[sentence]),
    end: first.map((_, number) => ends[(first[number + 1] ?? starts.length) - 1]),
    over: first.map((_, number) => [number]),
    from: first,
    to: first.map((_, number) => first[number + 1] ?? starts.length),
    label: none,
    tone: none,
    split: [],
    colours: [],
    contexts: [],
    context: [],
    stated: [],
    outer: [],
    parentFrom: [],
    parentTo: [],
  };
}
