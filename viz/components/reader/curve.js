// The curve of scores on a canvas: a point per gap, or the minimum and maximum where several gaps share a pixel.

import { el, fit } from "../shared/dom.js";
import { round } from "../shared/format.js";

export class Curve {
  constructor(plot) {
    this.plot = plot;
    this.canvas = plot.root.appendChild(el("canvas"));
    this.data = null;
  }

  update(data) {
    this.data = data;
    if (!data) return;
    const unit = data.label.startsWith("distance") || data.label.startsWith("similarity");
    this.extent = unit ? [0, 1] : [Infinity, -Infinity];
    for (const score of data.scores) {
      if (score !== null) this.extent = [Math.min(this.extent[0], score), Math.max(this.extent[1], score)];
    }
  }

  // What became of a gap.
  verdict(gap) {
    return this.data.verdicts[Number(this.data.verdictOf[gap])];
  }

  // The height of a score, in pixels from the top; `scoreAt` is its inverse.
  y(score) {
    const { low, high, top, bottom } = this.scale;
    return bottom - ((score - low) / (high - low)) * (bottom - top);
  }

  scoreAt(height) {
    const { low, high, top, bottom } = this.scale;
    return low + ((bottom - height) / (bottom - top)) * (high - low);
  }

  draw() {
    const { axis, lines } = this.plot;
    this.pen = fit(this.canvas);
    this.colour = axis.colour;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    let [low, high] = this.extent;
    for (const { level } of lines.list) if (level !== null) [low, high] = [Math.min(low, level), Math.max(high, level)];
    if (!(high - low >= 1e-9)) [low, high] = Number.isFinite(low) ? [low - 0.5, high + 0.5] : [0, 1];
    this.scale = { low, high, top: 12, bottom: height - 12 };
    this.pen.font = `11px ${axis.font}`;
    this.pen.lineWidth = 1;
    this.drawTicks(width);
    const x = (gap) => axis.window.x(gap + 1, width);
    // One gap beyond each edge, so that the curve runs out of the window.
    const first = Math.max(0, Math.floor(axis.window.from) - 2);
    const last = Math.min(this.data.scores.length, Math.ceil(axis.window.to) + 1);
    const spacing = width / axis.window.span;
    this.pen.strokeStyle = this.colour("muted");
    this.pen.beginPath();
    if (spacing < 0.7) this.traceExtremes(x, first, last, width);
    else this.tracePoints(x, first, last);
    this.pen.stroke();
    this.drawMarks(x, first, last, spacing > 9);
    this.drawKnown(width, height);
  }

  drawTicks(width) {
    const { pen } = this;
    for (const tick of ticks(this.scale.low, this.scale.high)) {
      const at = Math.round(this.y(tick)) + 0.5;
      pen.strokeStyle = this.colour("rule");
      pen.beginPath();
      pen.moveTo(0, at);
      pen.lineTo(width, at);
      pen.stroke();
      pen.fillStyle = this.colour("muted");
      pen.fillText(round(tick), 2, this.y(tick) - 3);
    }
  }

  // Several gaps per pixel: draw the minimum and maximum of each, so that no peak is lost.
  traceExtremes(x, first, last, width) {
    const { pen } = this;
    const { scores } = this.data;
    let gap = first;
    for (let pixel = 0; pixel < width; pixel++) {
      let [least, most] = [Infinity, -Infinity];
      for (; gap < last && x(gap) < pixel + 1; gap++) {
        if (scores[gap] !== null) [least, most] = [Math.min(least, scores[gap]), Math.max(most, scores[gap])];
      }
      if (most >= least) {
        pen.moveTo(pixel + 0.5, this.y(least));
        pen.lineTo(pixel + 0.5, this.y(most) - 0.5);
      }
    }
  }

  tracePoints(x, first, last) {
    const { scores } = this.data;
    let open = false;
    for (let gap = first; gap < last; gap++) {
      if (scores[gap] !== null) this.pen[open ? "lineTo" : "moveTo"](x(gap), this.y(scores[gap]));
      open = scores[gap] !== null;
    }
  }

  // Draw a dot for every cut, and for every gap where there is room; a diamond where a size decided.
  drawMarks(x, first, last, roomy) {
    const { scores } = this.data;
    const cuts = this.plot.lines.candidates();
    const marked = new Set();
    for (let gap = first; gap < last; gap++) {
      if (scores[gap] === null) continue;
      const verdict = this.verdict(gap);
      const sized = !cuts && verdict.sized;
      const cut = cuts ? cuts[gap] : verdict.cut;
      const near = this.isNear(scores[gap]);
      if (!cut && !roomy && !near && !verdict.overruled) continue;
      const [left, top] = [x(gap), this.y(scores[gap])];
      // Of marks that would cover each other only one is drawn.
      const place = `${Math.round(left)}/${Math.round(top / 2)}/${sized}`;
      if (!roomy && marked.has(place)) continue;
      marked.add(place);
      this.drawMark(left, top, { sized, cut, filled: cut || roomy || (verdict.sized && !verdict.cut), roomy });
      if (near) this.drawNear(left, top, roomy);
    }
  }

  drawMark(left, top, { sized, cut, filled, roomy }) {
    const { pen } = this;
    pen.beginPath();
    if (sized) {
      pen.moveTo(left, top - 5);
      for (const [dx, dy] of [[5, 0], [0, 5], [-5, 0]]) pen.lineTo(left + dx, top + dy);
      pen.closePath();
    } else pen.arc(left, top, cut ? (roomy ? 5 : 2.5) : 3, 0, 7);
    pen.fillStyle = this.colour(cut ? "accent" : "page");
    pen.strokeStyle = this.colour(cut ? "accent" : "muted");
    if (filled) pen.fill();
    pen.stroke();
  }

  drawNear(left, top, roomy) {
    const { pen } = this;
    pen.beginPath();
    pen.arc(left, top, roomy ? 9 : 5, 0, 7);
    pen.strokeStyle = this.colour("ink");
    pen.setLineDash([2, 2]);
    pen.stroke();
    pen.setLineDash([]);
  }

  // How many points of the curve a box would cover, in pixels from the upper left corner.
  covered(left, top, wide, tall) {
    const { window } = this.plot.axis;
    const gapAt = (x) => window.from + (x / this.canvas.clientWidth) * window.span - 1;
    const scores = this.data.scores.slice(Math.max(0, Math.ceil(gapAt(left - 5))), Math.max(0, Math.ceil(gapAt(left + wide + 5))));
    return scores.filter((score) => score !== null && this.y(score) > top - 5 && this.y(score) < top + tall + 5).length;
  }

  // Whether a score is within the page's margin of a line.
  isNear(score) {
    const { margin } = this.plot.axis.reader.data;
    return margin > 0 && this.plot.lines.list.some(({ level }) => level !== null && Math.abs(score - level) <= margin);
  }

  drawKnown(width, height) {
    const { pen } = this;
    pen.fillStyle = this.colour("ink");
    for (const at of this.plot.axis.reader.data.knownAt) {
      const left = this.plot.axis.window.x(at, width);
      pen.beginPath();
      pen.moveTo(left - 4, height);
      pen.lineTo(left + 4, height);
      pen.lineTo(left, height - 7);
      pen.fill();
    }
  }
}

function ticks(low, high) {
  const step = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1].find((size) => (high - low) / size <= 5) ?? (high - low) / 4;
  const places = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + 1e-9; tick += step) places.push(Number(tick.toFixed(6)));
  return places;
}
