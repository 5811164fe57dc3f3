// A column of the reader: the chunker's head above its text, with pointer and keyboard handling.

import { cutSentence } from "../shared/cut_sentence.js";
import { all, around, firstWhere } from "../shared/dom.js";
import { counted } from "../shared/format.js";
import { ColumnText } from "./column_text.js";
import { briefOf, Head } from "./parts/column_head.js";
import { scrollNeeded, uncovered } from "./parts/scroll_into_window.js";

/**
 * @import { Block } from "./chunk_block.js"
 * @import { ColumnBody, ColumnData, CurveData, LineData, Segments } from "./payload.data.d.ts"
 * @import { Reader } from "./reader.js"
 */

export class Column extends ColumnText {
  /** @type {ColumnData | null} */ data = null;
  /** @type {string | null} */ hash = null; // of the body that is drawn
  /** @type {ColumnBody | null} */ made = null; // what the body holds
  previewed = false; // whether a preview is drawn instead
  /** @type {CurveData | null} */ curve = null;
  /** @type {number[]} */ wrong = [];

  /**
   * @param {Reader} reader
   * @param {number} index
   */
  constructor(reader, index) {
    super(reader);
    this.index = index;
    this.head = new Head(reader, index);
    const activate = () => {
      reader.active = this;
    };
    for (const event of ["pointerenter", "focus", "wheel", "touchstart"])
      this.body.addEventListener(event, activate, { passive: true });
    this.body.addEventListener(
      "scroll",
      () => {
        reader.follow(this);
        reader.axis.strips.visibleFrame.later();
      },
      { passive: true },
    );
    this.body.addEventListener("pointermove", (event) => {
      const span = around(event, ".s");
      if (span) reader.mark([Number(span.dataset.s)]);
      this.markKin(/** @type {Block | null} */ (around(event, ".block")));
    });
    this.body.addEventListener("pointerleave", () => this.markKin(null));
    this.body.addEventListener("click", (event) => {
      const span = around(event, ".s");
      if (span && !getSelection()?.toString()) {
        const box = this.body.getBoundingClientRect();
        const offset = span.getBoundingClientRect().top - box.top;
        for (const other of reader.columns) if (other !== this) other.scrollTo(Number(span.dataset.s), offset);
      }
    });
    this.body.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || reader.horizon.at !== null) return;
      if (event.key === "n") this.step(1);
      if (event.key === "p") this.step(-1);
    });
  }

  // Start over with another text.
  reset() {
    this.forget();
    this.hash = null;
    this.body.scrollTop = 0;
  }

  remove() {
    this.head.root.remove();
    this.body.remove();
    this.blocks = [];
  }

  /**
   * @param {ColumnData} data
   * @param {boolean} selected
   */
  update(data, selected) {
    this.data = data;
    if (String(this.wrong) !== String(data.wrong)) {
      this.wrong = data.wrong;
      this.astray = new Set(data.wrong);
      this.updateAllSentences();
    }
    const another = this.hash !== data.hash || !data.body;
    if (another) {
      this.made = data.body ? JSON.parse(data.body) : null;
      this.hash = data.hash;
    }
    if (another || this.previewed) {
      this.previewed = false;
      this.curve = this.made?.curve ?? null;
      this.draw(this.made?.segments ?? null, data.message, data.tone);
    }
    this.head.update(data, selected);
    const state = this.segments ? counted(this.segments.start.length, "part") : data.message;
    this.body.setAttribute("aria-label", nameOf(this.index + 1, data.title, state));
  }

  /**
   * Scroll to the next cut, or to the previous one.
   * @param {1 | -1} direction
   */
  step(direction) {
    const top = this.body.getBoundingClientRect().top;
    const here = this.blockAt(top + (direction > 0 ? 24 : -4));
    if (here < 0) return;
    // The block that begins above the top edge and ends below it is the one being read.
    const begins = this.blocks[here].getBoundingClientRect().top;
    const next = direction > 0 ? here + Number(begins <= top + 24) : here - Number(begins >= top - 4);
    const block = this.blocks[Math.max(0, next)];
    if (!block) return;
    this.fill(block);
    this.bring(block, 8);
    // Enter opens the card on its reason.
    const [reason] = block.why ? all(block.why, "button") : [];
    (reason ?? this.body).focus({ preventScroll: true });
  }

  /**
   * Scroll to a sentence unless it is already visible.
   * @param {number} sentence
   */
  keepInSight(sentence) {
    const [block] = this.blocksOf(sentence);
    if (!block) return;
    this.fill(block);
    const [span] = this.spansOf(sentence);
    const box = this.body.getBoundingClientRect();
    const [upper, lower] = uncovered(this.reader.root);
    const [top, bottom] = [Math.max(box.top, upper), Math.min(box.bottom, lower)];
    const at = span.getBoundingClientRect();
    if (at.top < top + 8 || at.bottom > bottom - 8) this.scrollTo(sentence, Math.max(60, (bottom - top) / 3));
  }

  /**
   * Scroll until a later sentence is visible, as far as an earlier one stays visible.
   * @param {number} first
   * @param {number} last
   */
  scrollThrough(first, last) {
    for (const block of this.blocksOf(last)) this.fill(block);
    const [beginning] = this.spansOf(first);
    const ends = this.spansOf(last);
    if (last <= first || !beginning || !ends.length) return;
    const { top, bottom } = this.body.getBoundingClientRect();
    const end = ends[ends.length - 1].getBoundingClientRect().bottom;
    this.body.scrollTop += scrollNeeded(beginning.getBoundingClientRect().top, end, top + 4, bottom - 4);
  }

  // ---- positions on the axis -----------------------------------------------------------------------------------------

  // The places on the axis at the upper edge and at the lower edge of what is in the window.
  inSight() {
    const { top, bottom } = this.body.getBoundingClientRect();
    const [upper, lower] = uncovered(this.reader.root);
    return [this.placeAt(Math.max(top, upper)), this.placeAt(Math.min(bottom, lower))];
  }

  /** @param {number} height in the browser's window */
  placeAt(height) {
    const number = this.blockAt(height);
    if (number < 0 || !this.segments) return 0;
    const { from, to } = this.segments;
    const box = this.blocks[number].getBoundingClientRect();
    const share = Math.max(0, Math.min(1, (height - box.top) / box.height || 0));
    return from[number] + share * (to[number] - from[number]);
  }

  /**
   * Bring a place on the axis to the column's upper edge.
   * @param {number} place
   */
  scrollToPlace(place) {
    const { segments, blocks } = this;
    if (!segments || !blocks.length) return;
    const { from, to } = segments;
    const number = Math.min(
      blocks.length - 1,
      firstWhere(blocks.length, (number) => to[number] > place),
    );
    this.fill(blocks[number]);
    const share = Math.max(0, (place - from[number]) / (to[number] - from[number]));
    this.bring(blocks[number], -share * blocks[number].getBoundingClientRect().height);
  }

  // ---- a line that moves --------------------------------------------------------------------------------------------

  /**
   * Draw the chunks of the candidate cuts while the line moves. The server applies size limits afterwards, and determines the
   * chunks if the line does not decide alone.
   * @param {boolean[] | null} cuts
   * @param {LineData} line
   * @param {LineData} sent the line as the server put it
   */
  preview(cuts, line, sent) {
    const { curve, reader } = this;
    if (!curve) return;
    const known = reader.data?.known ?? null;
    if (!cuts) {
      this.settle();
      return this.head.preview(line, sent, curve.live ? (this.data?.brief ?? null) : null);
    }
    this.previewed = true;
    const made = previewOf(reader, curve, known, cuts, line.level);
    this.draw(made);
    reader.asking.drawColumn(this);
    this.head.preview(line, sent, briefOf(made, known, curve.constrained));
  }

  // The line is at the server's position.
  settle() {
    if (this.previewed) {
      this.previewed = false;
      this.draw(this.made?.segments ?? null);
      this.reader.asking.drawColumn(this);
    }
    this.head.settle();
  }

  handle() {
    const column = this;
    return {
      previewed: Boolean(this.previewed),
      wrong: this.wrong ?? [],
      get blocks() {
        return column.blocks.length;
      },
      get built() {
        return column.blocks.filter((block) => block.filled).length;
      },
      get cuts() {
        return column.segments?.from.slice(1) ?? [];
      },
      get top() {
        return column.topmost()?.sentence ?? null;
      },
    };
  }
}

/**
 * Returns the accessible name of a column; its message may end with a full stop or not.
 *
 * @param {number} number
 * @param {string} title
 * @param {string} state
 */
export function nameOf(number, title, state) {
  return `Column ${number}, ${title}: ${state.replace(/\.$/, "")}. n and p go from cut to cut.`;
}

/**
 * Return the segments of a text that is cut after some of its sentences.
 * @param {{ starts: number[], ends: number[] }} sentences
 * @param {Pick<CurveData, "label" | "scores" | "above" | "constrained">} curve
 * @param {number[] | null} known
 * @param {boolean[]} cuts whether each gap is one
 * @param {number} level of the line that makes them
 * @returns {Segments}
 */
export function previewOf({ starts, ends }, curve, known, cuts, level) {
  const knownSet = known ? new Set(known) : null;
  /** @type {Segments} */
  const made = {
    start: [],
    end: [],
    over: [],
    from: [],
    to: [],
    label: [],
    tone: [],
    split: [],
    colours: [],
    contexts: [],
    context: [],
    stated: [],
    outer: [],
    parentFrom: [],
    parentTo: [],
  };
  let first = 0;
  for (let last = 0; last < starts.length; last++) {
    if (last < starts.length - 1 && !cuts[last]) continue;
    const wrong = knownSet !== null && first > 0 && !knownSet.has(starts[first]);
    made.start.push(starts[first]);
    made.end.push(ends[last]);
    made.over.push([made.over.length]);
    made.from.push(first);
    made.to.push(last + 1);
    const score = first ? curve.scores[first - 1] : null;
    made.label.push(score === null ? "" : cutSentence(curve, score, level, wrong));
    made.tone.push(wrong ? "wrong" : "");
    first = last + 1;
  }
  return made;
}
