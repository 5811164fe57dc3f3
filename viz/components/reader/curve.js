// The curve of scores on a canvas: a point per gap, or the minimum and maximum where several gaps share a pixel.

import { el, fit, leastType, typeScale } from "../shared/dom.js";
import { round } from "../shared/format.js";
import { verdictOfEach } from "../shared/gap_verdicts.js";

/**
 * @import { VerdictData } from "./payload.data.d.ts"
 * @import { Extent } from "./state.d.ts"
 * @import { CurveData, LineData } from "./payload.data.d.ts"
 * @import { Plot } from "./plot.js"
 */

const STEPS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100]; // between two numbers of the scale
const APART = 18; // pixels between two numbers of the scale
const LEAST_DOT = 0.23; // radius of the smallest dot, relative to the smallest type

export class Curve {
  /** @type {CurveData | null} */
  data = null;
  /** @type {VerdictData[]} */
  verdicts = []; // one per gap
  /** @type {Extent} */
  extent = [0, 1];
  /** The minimum and maximum score, and their positions in pixels from the top. */
  scale = { low: 0, high: 1, top: 0, bottom: 1 };
  larger = 1; // than the sizes in pixels below: as much as the page's type is
  least = 0; // pixels of the smallest type

  /** @param {Plot} plot */
  constructor(plot) {
    this.plot = plot;
    this.canvas = plot.root.appendChild(el("canvas"));
    this.numbers = plot.root.appendChild(el("canvas", "numbers"));
    this.numbers.setAttribute("aria-hidden", "true");
    this.pen = fit(this.canvas);
  }

  /** @param {CurveData | null} data */
  update(data) {
    this.data = data;
    this.verdicts = data ? verdictOfEach(data) : [];
    if (data) this.extent = extent(data);
  }

  /** @param {string} name */
  colour(name) {
    return this.plot.axis.colour(name);
  }

  /**
   * The height of a score, in pixels from the top; `scoreAt` is its inverse.
   * @param {number} score
   */
  y(score) {
    const { low, high, top, bottom } = this.scale;
    return bottom - ((score - low) / (high - low)) * (bottom - top);
  }

  /** @param {number} height */
  scoreAt(height) {
    const { low, high, top, bottom } = this.scale;
    return low + ((bottom - height) / (bottom - top)) * (high - low);
  }

  draw() {
    const { data } = this;
    if (!data) return;
    const { axis, lines } = this.plot;
    this.pen = fit(this.canvas);
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const [low, high] = including(lines.list, this.extent);
    this.larger = typeScale();
    this.least = leastType(this.plot.root);
    this.scale = { low, high, top: 8 * this.larger, bottom: height - 10 * this.larger };
    this.pen.lineWidth = Math.round(this.larger);
    this.drawNull(width, data.null);
    this.drawTicks(width);
    /** @param {number} gap */
    const x = (gap) => axis.window.x(gap + 1, width);
    // One gap beyond each edge, so that the curve runs out of the window.
    const first = Math.max(0, Math.floor(axis.window.from) - 2);
    const { horizon } = axis.reader;
    const known = horizon.at === null ? data.scores.length : Math.max(0, horizon.at - 1);
    const last = Math.min(known, data.scores.length, Math.ceil(axis.window.to) + 1);
    const spacing = width / axis.window.span;
    this.pen.strokeStyle = this.colour("muted");
    this.pen.beginPath();
    if (spacing < 0.7) this.traceExtremes(data.scores, x, first, last, width);
    else this.tracePoints(data.scores, x, first, last);
    this.pen.stroke();
    this.drawMarks(data, x, first, last, spacing > 9 * this.larger);
    if (!horizon.hidesKnown) this.drawKnown(width, height);
  }

  /**
   * Draws the band of the scores under random orders of the sentences.
   * @param {number} width
   * @param {Extent | null} levels
   */
  drawNull(width, levels) {
    if (!levels) return;
    const [bottom, top] = levels.map((level) => this.y(level));
    this.pen.fillStyle = this.colour("rule");
    this.pen.globalAlpha = 0.7;
    // Keep at least a thin band visible.
    this.pen.fillRect(0, top, width, Math.max(2 * this.larger, bottom - top));
    this.pen.globalAlpha = 1;
  }

  /** @param {number} width */
  drawTicks(width) {
    const { pen } = this;
    // The numbers are next to the plot, where no line or point covers them.
    const beside = fit(this.numbers);
    Object.assign(beside, {
      font: `${Math.max(10 * this.larger, this.least)}px ${this.plot.axis.font}`,
      textAlign: "right",
      textBaseline: "middle",
    });
    beside.fillStyle = this.colour("muted");
    const room = this.scale.bottom - this.scale.top;
    for (const tick of ticks(this.scale.low, this.scale.high, Math.max(2, Math.floor(room / (APART * this.larger))))) {
      const at = Math.round(this.y(tick)) + 0.5;
      pen.strokeStyle = this.colour("rule");
      pen.beginPath();
      pen.moveTo(0, at);
      pen.lineTo(width, at);
      pen.stroke();
      beside.fillText(round(tick), this.numbers.clientWidth - 4 * this.larger, at);
    }
  }

  /**
   * With several gaps per pixel, draw the minimum and maximum of each pixel, so that no peak is lost.
   * @param {(number | null)[]} scores
   * @param {(gap: number) => number} x
   * @param {number} first
   * @param {number} last
   * @param {number} width
   */
  traceExtremes(scores, x, first, last, width) {
    const { pen } = this;
    let gap = first;
    for (let pixel = 0; pixel < width; pixel++) {
      let [least, most] = [Infinity, -Infinity];
      for (; gap < last && x(gap) < pixel + 1; gap++) {
        const score = scores[gap];
        if (score !== null) [least, most] = [Math.min(least, score), Math.max(most, score)];
      }
      if (most >= least) {
        pen.moveTo(pixel + 0.5, this.y(least));
        pen.lineTo(pixel + 0.5, this.y(most) - 0.5);
      }
    }
  }

  /**
   * @param {(number | null)[]} scores
   * @param {(gap: number) => number} x
   * @param {number} first
   * @param {number} last
   */
  tracePoints(scores, x, first, last) {
    let open = false;
    for (let gap = first; gap < last; gap++) {
      const score = scores[gap];
      if (score !== null) this.pen[open ? "lineTo" : "moveTo"](x(gap), this.y(score));
      open = score !== null;
    }
  }

  /**
   * Draw a dot for every cut, and for every gap if there is room; a diamond if a size limit decided.
   * @param {CurveData} data
   * @param {(gap: number) => number} x
   * @param {number} first
   * @param {number} last
   * @param {boolean} roomy
   */
  drawMarks({ scores }, x, first, last, roomy) {
    const cuts = this.plot.lines.candidates();
    const marked = new Set();
    for (let gap = first; gap < last; gap++) {
      const score = scores[gap];
      if (score === null) continue;
      const verdict = this.verdicts[gap];
      const sized = !cuts && verdict.sized;
      const cut = cuts ? cuts[gap] : verdict.cut;
      const near = this.isNear(score);
      if (!cut && !roomy && !near && !verdict.overruled) continue;
      const [left, top] = [x(gap), this.y(score)];
      // Draw only one of several overlapping marks.
      const place = `${Math.round(left)}/${Math.round(top / 2)}/${sized}`;
      if (!roomy && marked.has(place)) continue;
      marked.add(place);
      const filled = cut || roomy || (verdict.sized && !verdict.cut);
      this.drawMark(left, top, { sized, cut, filled, roomy });
      if (near) this.drawNear(left, top, roomy);
    }
  }

  /**
   * @param {number} left
   * @param {number} top
   * @param {{ sized: boolean, cut: boolean, filled: boolean, roomy: boolean }} mark
   */
  drawMark(left, top, { sized, cut, filled, roomy }) {
    const { pen, larger, least } = this;
    const size = 5 * larger;
    pen.beginPath();
    if (sized) {
      pen.moveTo(left, top - size);
      for (const [dx, dy] of [
        [size, 0],
        [0, size],
        [-size, 0],
      ])
        pen.lineTo(left + dx, top + dy);
      pen.closePath();
    } else pen.arc(left, top, Math.max((cut ? (roomy ? 5 : 2.5) : 3) * larger, roomy ? LEAST_DOT * least : 0), 0, 7);
    pen.fillStyle = this.colour(cut ? "accent" : "page");
    pen.strokeStyle = this.colour(cut ? "accent" : "muted");
    if (filled) pen.fill();
    pen.stroke();
  }

  /**
   * @param {number} left
   * @param {number} top
   * @param {boolean} roomy
   */
  drawNear(left, top, roomy) {
    const { pen } = this;
    pen.beginPath();
    pen.arc(left, top, (roomy ? 9 : 5) * this.larger, 0, 7);
    pen.strokeStyle = this.colour("ink");
    pen.setLineDash([2, 2]);
    pen.stroke();
    pen.setLineDash([]);
  }

  /**
   * True if a score is within the page's margin of a line.
   * @param {number} score
   */
  isNear(score) {
    const margin = this.plot.axis.reader.data?.margin ?? 0;
    return margin > 0 && this.plot.lines.list.some(({ level }) => Math.abs(score - level) <= margin);
  }

  /**
   * @param {number} width
   * @param {number} height
   */
  drawKnown(width, height) {
    const { larger, least, pen } = this;
    const tall = Math.max(7 * larger, 2 * LEAST_DOT * least);
    pen.fillStyle = this.colour("ink");
    for (const at of this.plot.axis.reader.data?.knownAt ?? []) {
      const left = this.plot.axis.window.x(at, width);
      pen.beginPath();
      pen.moveTo(left - 4 * larger, height);
      pen.lineTo(left + 4 * larger, height);
      pen.lineTo(left, height - tall);
      pen.fill();
    }
  }
}

/**
 * Return the minimum and maximum score, widened to 0 and 1 for distances and similarities; inverted without any score.
 * @param {Pick<CurveData, "label" | "scores" | "null">} data
 * @returns {Extent}
 */
export function extent({ label, scores, null: shuffled }) {
  const unit = label.startsWith("distance") || label.startsWith("similarity");
  let [low, high] = unit ? [0, 1] : [Infinity, -Infinity];
  for (const score of [...scores, ...(shuffled ?? [])])
    if (score !== null) [low, high] = [Math.min(low, score), Math.max(high, score)];
  return [low, high];
}

/**
 * Return the range of a plot that shows an extent and lines.
 * @param {Pick<LineData, "level">[]} lines
 * @param {Extent} extent
 * @returns {Extent}
 */
export function including(lines, [low, high]) {
  for (const { level } of lines) [low, high] = [Math.min(low, level), Math.max(high, level)];
  if (high - low >= 1e-9) return [low, high];
  return Number.isFinite(low) ? [low - 0.5, high + 0.5] : [0, 1];
}

/**
 * Round numbers between two scores, for the scale.
 * @param {number} low
 * @param {number} high
 * @param {number} [most] about how many steps there are at most
 */
export function ticks(low, high, most = 5) {
  const step = STEPS.find((size) => (high - low) / size <= most) ?? (high - low) / (most - 1 || 1);
  const places = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + 1e-9; tick += step) places.push(Number(tick.toFixed(6)));
  return places;
}
