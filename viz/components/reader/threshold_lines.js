// The threshold lines. They are dragged, or moved by keys, from stop to stop; meanwhile the candidate cuts are drawn here, and
// the server hears when a line is released.

import { el } from "../shared/dom.js";
import { round } from "../shared/format.js";

const KEYED = 150; // milliseconds after the last key press until a line counts as released
const EDGE = 4; // pixels between a line's label and the right edge
const SCALE = 36; // pixels at the left for the numbers of the scale

export class ThresholdLines {
  constructor(plot) {
    this.plot = plot;
    this.list = [];
    this.handles = [];
    this.dragging = false;
  }

  update() {
    if (!this.dragging) this.list = this.plot.curve.data?.lines.map((line) => ({ ...line })) ?? [];
  }

  draw() {
    const wanted = this.plot.curve.data ? this.list.filter((line) => line.level !== null) : [];
    while (this.handles.length > wanted.length) this.handles.pop().remove();
    wanted.forEach((line, index) => this.drawHandle((this.handles[index] ??= this.makeHandle(index)), line));
  }

  drawHandle(handle, line) {
    const { axis, curve } = this.plot;
    const top = curve.y(line.level);
    handle.style.top = `${top}px`;
    const shown = line.value === line.level ? round(line.level) : `${round(line.level)} (${round(line.value)})`;
    // A line without stops depends on more than one parameter: it can be seen but not moved.
    const fixed = !line.stops.length;
    handle.classList.toggle("fixed", fixed);
    handle.firstChild.textContent = fixed ? `${line.label} ${round(line.level)}` : `${line.label} ${shown} · drag`;
    // The label does not change sides during a drag.
    if (!this.dragging) this.placeLabel(handle, top);
    handle.tabIndex = fixed ? -1 : 0;
    handle.setAttribute("role", fixed ? "presentation" : "slider");
    if (fixed) return;
    handle.setAttribute("aria-label", `${line.label} line of column ${axis.column.index + 1}`);
    handle.setAttribute("aria-valuemin", line.stops[0][0]);
    handle.setAttribute("aria-valuemax", line.stops[line.stops.length - 1][0]);
    handle.setAttribute("aria-valuenow", line.value);
    handle.setAttribute("aria-valuetext", `${round(line.value)}, at ${curve.data.label} ${round(line.level)}`);
  }

  // Put the label where it covers at most one point, preferably far to the right and above the line; failing that, at the
  // right edge.
  placeLabel(handle, top) {
    const label = handle.firstChild;
    const { offsetWidth: wide, offsetHeight: tall } = label;
    const { clientWidth, clientHeight } = this.plot.root;
    let best = { x: clientWidth - wide - EDGE, low: top <= tall, covered: 2 };
    for (let { x } = best; x > SCALE; x -= tall) {
      for (const low of [false, true]) {
        const y = low ? top : top - tall;
        if (y < 0 || y + tall > clientHeight) continue;
        const covered = this.plot.curve.covered(x, y, wide, tall);
        if (covered < best.covered) best = { x, low, covered };
      }
    }
    label.style.left = `${best.x}px`;
    handle.classList.toggle("low", best.low);
  }

  makeHandle(index) {
    const handle = this.plot.root.appendChild(el("div", "line"));
    handle.appendChild(el("span"));
    handle.setAttribute("aria-orientation", "vertical");
    this.hearDrag(handle, index);
    handle.addEventListener("keydown", (event) => this.key(event, index));
    return handle;
  }

  hearDrag(handle, index) {
    let frame = null;
    let startValue;
    let height;
    const follow = () => {
      frame = null;
      this.move(index, nearest(this.list[index].stops, this.plot.curve.scoreAt(height), 1));
    };
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId);
      this.dragging = true;
      startValue = this.list[index].value;
      // Otherwise the plot would be dragged as well.
      event.stopPropagation();
      event.preventDefault();
      handle.focus();
    });
    handle.addEventListener("pointermove", (event) => {
      if (!this.dragging) return;
      height = event.clientY - this.plot.root.getBoundingClientRect().top;
      frame ??= requestAnimationFrame(follow);
    });
    const release = () => {
      if (!this.dragging) return;
      if (frame) {
        cancelAnimationFrame(frame);
        follow();
      }
      this.dragging = false;
      if (this.list[index].value !== startValue) this.commit(index);
    };
    handle.addEventListener("pointerup", release);
    handle.addEventListener("pointercancel", release);
  }

  key(event, index) {
    const { stops, value } = this.list[index];
    const last = stops.length - 1;
    const here = nearest(stops, value, 0);
    const falling = stops[0][1] > stops[last][1] ? -1 : 1;
    const steps = { ArrowUp: falling, ArrowRight: falling, ArrowDown: -falling, ArrowLeft: -falling, PageUp: 10 * falling, PageDown: -10 * falling };
    const next = { Home: 0, End: last }[event.key] ?? here + steps[event.key];
    if (Number.isNaN(next)) return;
    event.preventDefault();
    event.stopPropagation();
    this.move(index, Math.min(last, Math.max(0, next)));
    clearTimeout(this.keyed);
    this.keyed = setTimeout(() => this.commit(index), KEYED);
  }

  move(index, stop) {
    const line = this.list[index];
    [line.value, line.level] = line.stops[stop];
    const cuts = this.candidates();
    if (cuts) this.plot.axis.column.preview(cuts, line.level);
    this.plot.axis.draw();
  }

  commit(index) {
    const { reader, column } = this.plot.axis;
    const { parameter, value } = this.list[index];
    reader.component.setStateValue("line", { column: column.index, parameter, value, at: performance.now() });
  }

  // The candidate cuts while the line is not where the server put it; null while the server's verdicts hold.
  candidates() {
    const { data } = this.plot.curve;
    const level = this.list[0]?.level;
    if (!data?.live || level === null || level === data.lines[0].level) return null;
    return data.scores.map((score) => score !== null && (data.cutAbove ? score > level : score < level));
  }
}

function nearest(stops, value, side) {
  let best = 0;
  stops.forEach((stop, index) => {
    if (Math.abs(stop[side] - value) < Math.abs(stops[best][side] - value)) best = index;
  });
  return best;
}
