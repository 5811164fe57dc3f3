// The stretch of a text's sentences that is seen: how it moves and zooms, and where in a picture of it a place lies.

import { firstWhere } from "./dom.js";

/** @import { Range } from "./bus.js" */

export const CLOSEST = 8; // sentences in the window at the closest zoom

export class VisibleRange {
  /** The sentences of the text. */
  count = 1;
  from = 0;
  to = 1;
  /**
   * The place that zooming keeps in place.
   * @type {number | undefined}
   */
  lookedAt;

  // Called when another stretch is seen.
  redraw() {}

  /**
   * Start over with a text of `count` sentences, the first `shown` of which are visible.
   * @param {number} count
   */
  reset(count, shown = count) {
    this.count = count;
    this.from = 0;
    this.to = shown;
    this.lookedAt = undefined;
  }

  get span() {
    return this.to - this.from;
  }

  get zoomed() {
    return this.span < this.count;
  }

  /**
   * @param {number | undefined} at
   * @returns {at is number}
   */
  holds(at) {
    return at !== undefined && at >= this.from && at <= this.to;
  }

  /**
   * Let the stretch begin and end there, or as near to it as the text and the closest zoom allow.
   * @param {number} from
   * @param {number} to
   */
  show(from, to) {
    const span = Math.min(this.count, Math.max(CLOSEST, to - from));
    const left = Math.max(0, Math.min(this.count - span, from));
    if (left === this.from && left + span === this.to) return;
    [this.from, this.to] = [left, left + span];
    this.redraw();
  }

  showAll() {
    this.show(0, this.count);
  }

  /**
   * Zoom around a place: by default the one being looked at, or else the middle.
   * @param {number} factor
   */
  zoom(factor, at = this.holds(this.lookedAt) ? this.lookedAt : (this.from + this.to) / 2) {
    const span = Math.min(this.count, Math.max(CLOSEST, this.span * factor));
    const from = at - this.x(at, span);
    this.show(from, from + span);
  }

  /**
   * Bring a place into the window: just inside it from nearby, into the middle from afar.
   * @param {number} at
   */
  reveal(at) {
    const { span } = this;
    const edge = span / 10;
    if (at < this.from - span || at > this.to + span) this.show(at - span / 2, at + span / 2);
    else if (at < this.from + edge) this.show(at - edge, at - edge + span);
    else if (at > this.to - edge) this.show(at + edge - span, at + edge);
  }

  // ---- places ---------------------------------------------------------------------------------------------------

  /**
   * The position of a place in a picture of the window that is `width` wide.
   * @param {number} at
   * @param {number} width
   */
  x(at, width) {
    return ((at - this.from) / this.span) * width;
  }

  /**
   * Of parts in text order, from `begins` to `ends`, the first that is visible and the first after it that is not.
   * @param {number[]} begins
   * @param {number[]} ends
   * @returns {Range}
   */
  inside(begins, ends) {
    return [
      firstWhere(begins.length, (part) => ends[part] > this.from),
      firstWhere(begins.length, (part) => begins[part] >= this.to),
    ];
  }

  /**
   * The parts to draw and their positions; of several within one pixel only the first.
   * @param {number[]} begins
   * @param {number[]} ends
   * @param {number} width
   */
  seenOf(begins, ends, width) {
    const parts = [];
    const [first, last] = this.inside(begins, ends);
    let painted = -Infinity;
    for (let part = first; part < last; part++) {
      const [left, right] = [this.x(begins[part], width), this.x(ends[part], width)];
      if (right <= painted) continue;
      if (right - left < 1) painted = Math.floor(left) + 1;
      parts.push({ part, left, right });
    }
    return parts;
  }
}
