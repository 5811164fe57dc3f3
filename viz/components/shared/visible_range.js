// The visible range of a text's sentences: moving, zooming, and conversion of positions to pixels.

import { firstWhere } from "./dom.js";

/** @import { Range } from "./bus.js" */

export const CLOSEST = 8; // sentences in the window at the closest zoom

export class VisibleRange {
  /** The sentences of the text. */
  count = 1;
  from = 0;
  to = 1;
  /**
   * The position that zooming keeps fixed.
   * @type {number | undefined}
   */
  lookedAt;

  // Called when the visible range changes.
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
   * Set the visible range, as far as the text and the closest zoom allow.
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
   * Zoom around a position, by default the highlighted one or the middle.
   * @param {number} factor
   */
  zoom(factor, at = this.holds(this.lookedAt) ? this.lookedAt : (this.from + this.to) / 2) {
    const span = Math.min(this.count, Math.max(CLOSEST, this.span * factor));
    const from = at - this.x(at, span);
    this.show(from, from + span);
  }

  /**
   * Move the range to include a position: just inside its edge if it is near, in the middle if it is far.
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
   * Return the horizontal position, in a picture of the range that is `width` wide.
   * @param {number} at
   * @param {number} width
   */
  x(at, width) {
    return ((at - this.from) / this.span) * width;
  }

  /**
   * Return the half-open range of visible parts, given all parts' `begins` and `ends` in text order.
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
   * Return the parts to draw and their positions; of several within one pixel, only the first.
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
