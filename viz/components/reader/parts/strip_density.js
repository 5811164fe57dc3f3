// The strips of a long text, in which bars and ticks would blur: chunk lengths as heights, cuts as a density.

/** @import { VisibleRange } from "../../shared/visible_range.js" */

/** Chunks, or cuts, in the window above which a strip does not draw each. */
export const CROWDED = 250;

/**
 * Return the length of the longest part at each pixel, in sentences; 0 if there is none.
 * @param {number[]} begins
 * @param {number[]} ends
 * @param {Pick<VisibleRange, "inside" | "x">} window
 * @param {number} width
 */
export function lengthsAt(begins, ends, window, width) {
  const lengths = new Array(Math.max(1, Math.ceil(width))).fill(0);
  const [first, last] = window.inside(begins, ends);
  for (let part = first; part < last; part++) {
    const length = ends[part] - begins[part];
    const left = Math.max(0, Math.floor(window.x(begins[part], width)));
    const right = Math.min(lengths.length - 1, Math.ceil(window.x(ends[part], width)) - 1);
    for (let pixel = left; pixel <= right; pixel++) if (lengths[pixel] < length) lengths[pixel] = length;
  }
  return lengths;
}

/**
 * Return the agreement of the columns in each bin of pixels: the mean share of columns that cut, over the positions at which
 * any does; 0 if none does.
 * @param {Map<number, number>} cutting how many columns cut at each place
 * @param {number} columns
 * @param {Pick<VisibleRange, "holds" | "x">} window
 * @param {number} width
 * @param {number} stretch
 */
export function agreementAt(cutting, columns, window, width, stretch) {
  const count = Math.max(1, Math.ceil(width / stretch));
  const [sums, places] = [new Array(count).fill(0), new Array(count).fill(0)];
  for (const [at, votes] of cutting) {
    if (!window.holds(at)) continue;
    const place = Math.min(count - 1, Math.floor(window.x(at, width) / stretch));
    sums[place] += votes / columns;
    places[place]++;
  }
  return sums.map((sum, place) => (places[place] ? sum / places[place] : 0));
}

/**
 * Fill the area below steps of equal width, from the left.
 * @param {CanvasRenderingContext2D} pen
 * @param {number[]} heights in pixels
 * @param {number} step
 * @param {number} bottom
 */
export function fillSteps(pen, heights, step, bottom) {
  pen.beginPath();
  pen.moveTo(0, bottom);
  heights.forEach((height, place) => {
    pen.lineTo(place * step, bottom - height);
    pen.lineTo((place + 1) * step, bottom - height);
  });
  pen.lineTo(heights.length * step, bottom);
  pen.fill();
}
