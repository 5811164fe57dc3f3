// The threshold lines. They are dragged, or moved by keys, from stop to stop; meanwhile the candidate cuts are drawn here,
// and the server hears when a line is released.

import { el } from "../shared/dom.js";
import { round } from "../shared/format.js";

const KEYED = 300; // milliseconds after the last key press until a line counts as released
const EDGE = 4; // pixels between a line's label and the right edge
const SCALE = 36; // pixels at the left for the numbers of the scale

/**
 * @import { Moment } from "../shared/component.d.ts"
 * @import { CurveData, LineData, Stop } from "./payload.d.ts"
 * @import { Plot } from "./plot.js"
 * @typedef {HTMLElement & { label: HTMLElement }} Handle
 */

export class ThresholdLines {
  /** @type {LineData[]} */
  list = [];
  /** @type {Handle[]} */
  handles = [];
  dragging = false;
  /** @type {Moment | null} */ moved = null; // the moment of the user's last move, until the server has heard of it
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  keyed;

  /** @param {Plot} plot */
  constructor(plot) {
    this.plot = plot;
  }

  /**
   * The server has answered. Its lines count, unless it has not heard of the user's last move yet.
   * @param {Moment | null} heard the moment of the last move that it has heard of
   */
  update(heard) {
    const lines = this.plot.curve.data?.lines ?? [];
    const others = !sameParameters(lines, this.list);
    if (heard === this.moved || others) this.moved = null;
    if (!this.dragging && (others || this.moved === null)) this.list = lines.map((line) => ({ ...line }));
    else this.preview();
  }

  draw() {
    const { data } = this.plot.curve;
    const wanted = data ? this.list.filter(({ level }) => level !== null) : [];
    while (this.handles.length > wanted.length) this.handles.pop()?.remove();
    wanted.forEach((line, index) => {
      this.handles[index] ??= this.makeHandle(index);
      if (data && line.level !== null) this.drawHandle(this.handles[index], line, line.level, data.label);
    });
  }

  /**
   * @param {Handle} handle
   * @param {LineData} line
   * @param {number} level
   * @param {string} score what the curve is of
   */
  drawHandle(handle, line, level, score) {
    const top = this.plot.curve.y(level);
    handle.style.top = `${top}px`;
    const shown = line.value === level ? round(level) : `${round(level)} (${round(line.value)})`;
    // A line without stops depends on more than one parameter: it can be seen but not moved.
    const fixed = !line.stops.length;
    handle.classList.toggle("fixed", fixed);
    handle.label.textContent = fixed ? `${line.label} ${round(level)}` : `${line.label} ${shown} · drag`;
    // The label does not change sides during a drag.
    if (!this.dragging) this.placeLabel(handle, top);
    handle.tabIndex = fixed ? -1 : 0;
    handle.setAttribute("role", fixed ? "presentation" : "slider");
    if (fixed) {
      for (const name of handle.getAttributeNames()) if (name.startsWith("aria-")) handle.removeAttribute(name);
      return;
    }
    handle.setAttribute("aria-orientation", "vertical");
    handle.setAttribute("aria-label", `${line.label} line of column ${this.plot.column + 1}`);
    handle.setAttribute("aria-valuemin", String(line.stops[0][0]));
    handle.setAttribute("aria-valuemax", String(line.stops[line.stops.length - 1][0]));
    handle.setAttribute("aria-valuenow", String(line.value));
    handle.setAttribute("aria-valuetext", `${round(line.value)}, at ${score} ${round(level)}`);
  }

  /**
   * @param {Handle} handle
   * @param {number} top
   */
  placeLabel({ label, classList }, top) {
    const size = { wide: label.offsetWidth, tall: label.offsetHeight };
    const room = { wide: this.plot.root.clientWidth, tall: this.plot.root.clientHeight };
    const { x, low } = labelPlace(size, top, room, (left, above) =>
      this.plot.curve.covered(left, above, size.wide, size.tall),
    );
    label.style.left = `${x}px`;
    classList.toggle("low", low);
  }

  /**
   * @param {number} index
   * @returns {Handle}
   */
  makeHandle(index) {
    const handle = Object.assign(this.plot.root.appendChild(el("div", "line")), { label: el("span") });
    handle.append(handle.label);
    this.hearDrag(handle, index);
    handle.addEventListener("keydown", (event) => this.key(event, index));
    return handle;
  }

  /**
   * @param {Handle} handle
   * @param {number} index
   */
  hearDrag(handle, index) {
    /** @type {number | null} */
    let frame = null;
    let startValue = 0;
    let height = 0;
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

  /**
   * @param {KeyboardEvent} event
   * @param {number} index
   */
  key(event, index) {
    const { stops, value } = this.list[index];
    const stop = stopOfKey(event.key, stops, value);
    if (stop === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.move(index, stop);
    this.moved = performance.now();
    clearTimeout(this.keyed);
    this.keyed = setTimeout(() => this.moved !== null && this.commit(index), KEYED);
  }

  /**
   * @param {number} index
   * @param {number} stop
   */
  move(index, stop) {
    const line = this.list[index];
    const [value, level] = line.stops[stop];
    Object.assign(line, { value, level });
    this.preview();
    this.plot.axis.draw();
  }

  preview() {
    const cuts = this.candidates();
    const level = this.list[0]?.level;
    if (cuts && typeof level === "number") this.plot.axis.column?.preview(cuts, level);
  }

  /** @param {number} index */
  commit(index) {
    const { parameter, value } = this.list[index];
    this.moved = performance.now();
    const line = { column: this.plot.column, parameter, value, at: this.moved };
    this.plot.axis.reader.component?.setStateValue("line", line);
  }

  // The candidate cuts while the line is not where the server put it; null while the server's verdicts hold.
  candidates() {
    const { data } = this.plot.curve;
    return data && candidateCuts(data, this.list[0]?.level ?? null);
  }
}

/** A score this near to the line is on it; chunkers/building_blocks/thresholds.py has the same number, and the reason. */
const TIE = 1e-9;

/**
 * Whether lines set the same parameters in the same order.
 * @param {Pick<LineData, "parameter">[]} some
 * @param {Pick<LineData, "parameter">[]} others
 */
export const sameParameters = (some, others) =>
  some.length === others.length && some.every(({ parameter }, index) => parameter === others[index].parameter);

/**
 * Which gaps a line at that level would cut; null where the level is the server's own, or does not decide alone.
 * @param {Pick<CurveData, "live" | "above" | "scores" | "lines">} curve
 * @param {number | null} level
 */
export function candidateCuts({ live, above, scores, lines }, level) {
  if (!live || level === null || level === lines[0].level) return null;
  return scores.map((score) => score !== null && (above ? score > level + TIE : score < level - TIE));
}

/**
 * The place of a line's label: where it covers at most one point, preferably far to the right and above the line; failing
 * that, at the right edge.
 * @param {{ wide: number, tall: number }} size of the label
 * @param {number} top of the line, in pixels from above
 * @param {{ wide: number, tall: number }} room of the plot
 * @param {(left: number, top: number) => number} covered how many points the label would cover there
 */
export function labelPlace({ wide, tall }, top, room, covered) {
  let best = { x: room.wide - wide - EDGE, low: top <= tall, covered: 2 };
  for (let { x } = best; x > SCALE; x -= tall) {
    for (const low of [false, true]) {
      const y = low ? top : top - tall;
      if (y < 0 || y + tall > room.tall) continue;
      const points = covered(x, y);
      if (points < best.covered) best = { x, low, covered: points };
    }
  }
  return best;
}

/**
 * The stop that a key leads to, undefined of another key. Up is up on the curve, whether that is more or less.
 * @param {string} key
 * @param {Stop[]} stops
 * @param {number} value
 */
export function stopOfKey(key, stops, value) {
  const last = stops.length - 1;
  const here = nearest(stops, value, 0);
  const up = stops[0][1] > stops[last][1] ? -1 : 1;
  /** @type {Record<string, number>} */
  const places = {
    ArrowUp: here + up,
    ArrowRight: here + up,
    ArrowDown: here - up,
    ArrowLeft: here - up,
    PageUp: here + 10 * up,
    PageDown: here - 10 * up,
    Home: 0,
    End: last,
  };
  return Object.hasOwn(places, key) ? Math.min(last, Math.max(0, places[key])) : undefined;
}

/**
 * The stop whose amount (side 0) or level (side 1) is nearest; the first of several.
 * @param {Stop[]} stops
 * @param {number} value
 * @param {0 | 1} side
 */
export function nearest(stops, value, side) {
  let best = 0;
  stops.forEach((stop, index) => {
    if (Math.abs(stop[side] - value) < Math.abs(stops[best][side] - value)) best = index;
  });
  return best;
}
