// The gaps between sentences that the user sets and clears, and their buttons. Changes are drawn at once. Each one sends all
// set gaps to the server, and the earlier changes, because of two events in quick succession only the last arrives.

import { el, firstWhere } from "../shared/dom.js";
import { counted } from "../shared/format.js";

/** @import { Moment } from "../shared/component.d.ts" */
/** @import { HeadingData } from "../browser_exchange.data.d.ts" */

/**
 * Labels for a purpose of clicked gaps.
 * @typedef {{ offer: string, offerHelp: string, title: string, name: string, counted: string, sign: string }} Words
 */

/** @type {Record<string, Words>} */
export const PURPOSES = {
  marks: {
    offer: "▲ Mark",
    offerHelp: "Mark where the sections of this text end: every column is scored against the marks",
    title: "Where do sections end?",
    name: "boundary",
    counted: "mark",
    sign: "▲",
  },
  cuts: {
    offer: "Cut it yourself",
    offerHelp: "Cut the text yourself, before you see the chunkers: your cuts become the column “You”",
    title: "Where would you cut?",
    name: "cut",
    counted: "cut",
    sign: "●",
  },
};

/**
 * A change by the user: the set gaps, or null after “Clear”.
 * @typedef {{ gaps: number[] | null, at: Moment }} Step
 * @typedef {Step & { earlier: Step[] }} Change a change, with those before it that the server may not have received
 */

export class GapMarks {
  /** @type {Set<number>} */ set = new Set();
  /** @type {number[][]} */ before = []; // what was set, for undo
  sent = 0; // when the server was told last
  /** @type {Step[]} */ unheard = []; // what the server may not have received

  /**
   * @param {(change: Change) => void} tell the server
   * @param {() => void} draw
   */
  constructor(tell, draw) {
    this.tell = tell;
    this.draw = draw;
  }

  // Start over, with another text or for another purpose.
  reset() {
    this.set = new Set();
    this.before = [];
    this.unheard = [];
  }

  /**
   * Adopt the server's gaps, unless the server has not received the last change yet.
   * @param {number[]} gaps
   * @param {Moment | null} heard
   */
  update(gaps, heard) {
    this.unheard = this.unheard.filter(({ at }) => at > (heard ?? 0));
    if (!this.unheard.length) this.set = new Set(gaps);
  }

  get list() {
    return [...this.set].sort((a, b) => a - b);
  }

  /** @param {number} gap */
  toggle(gap) {
    this.change(this.set.has(gap) ? this.list.filter((other) => other !== gap) : [...this.list, gap]);
  }

  /** @param {number[]} gaps to set in addition */
  add(gaps) {
    if (gaps.some((gap) => !this.set.has(gap))) this.change([...this.list, ...gaps]);
  }

  clear() {
    this.change([], true);
  }

  undo() {
    const before = this.before.pop();
    if (before) this.put(before, false);
  }

  /** @param {number[]} gaps */
  change(gaps, all = false) {
    this.before.push(this.list);
    this.put(gaps, all);
  }

  /**
   * @param {number[]} gaps
   * @param {boolean} all true if nothing is set any more, including boundaries inside sentences
   */
  put(gaps, all) {
    this.set = new Set(gaps);
    this.sent = performance.now();
    const step = { gaps: all ? null : this.list, at: this.sent };
    this.tell({ ...step, earlier: this.unheard });
    this.unheard = [...this.unheard, step];
    this.draw();
  }

  /**
   * The button of a gap.
   * @param {number} gap
   * @param {Words} words
   */
  button(gap, words) {
    const button = el("button", "gap");
    button.type = "button";
    button.dataset.gap = String(gap);
    button.dataset.sign = words.sign;
    button.title = `${words.name} between sentences ${gap + 1} and ${gap + 2}`;
    button.setAttribute("aria-label", button.title);
    button.addEventListener("click", (event) => {
      event.stopPropagation();
      this.toggle(gap);
    });
    return button;
  }

  /** @param {Words} words */
  countInWords(words) {
    return counted(this.set.size, words.counted);
  }
}

/**
 * Return the gaps before headings. A heading directly below another begins no section of its own, and a heading inside a
 * sentence has no gap before it.
 * @param {Pick<HeadingData, "start" | "end">[]} headings
 * @param {number[]} starts of the sentences
 */
export function headingGaps(headings, starts) {
  const sentenceAt = new Map(starts.map((start, number) => [start, number]));
  let below = -1; // the sentence after the last heading
  return headings.flatMap(({ start, end }) => {
    const sentence = sentenceAt.get(start);
    const directly = sentence === below;
    below = firstWhere(starts.length, (number) => starts[number] >= end);
    return sentence === undefined || sentence === 0 || directly ? [] : [sentence - 1];
  });
}
