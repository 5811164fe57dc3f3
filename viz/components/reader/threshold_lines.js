// The threshold lines. They are dragged, or moved by keys, from stop to stop. Meanwhile the candidate cuts are drawn here; the
// server is notified when a line is released.

import { comparison, SIZES_FOLLOW } from "../shared/cut_sentence.js";
import { el, typeScale } from "../shared/dom.js";
import { round } from "../shared/format.js";
import { pushApart } from "./parts/label_places.js";

const KEYED = 300; // milliseconds after the last key press until a line counts as released
const TALL = 19; // pixels of a line's label where the page's type is not enlarged

/**
 * @import { Moment } from "../shared/component.d.ts"
 * @import { Stop } from "./state.d.ts"
 * @import { CurveData, LineData } from "./payload.data.d.ts"
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
   * Handle an answer of the server: adopt its lines, unless it has not received the user's last move yet.
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
    const wanted = data ? this.list : [];
    while (this.handles.length > wanted.length) this.handles.pop()?.remove();
    wanted.forEach((line, index) => {
      this.handles[index] ??= this.makeHandle(index);
      if (data) this.drawHandle(this.handles[index], line, data.label);
    });
    const tops = wanted.map(({ level }) => this.plot.curve.y(level));
    pushApart(tops, TALL * typeScale(), this.plot.root.clientHeight).forEach((place, index) => {
      this.handles[index].label.style.transform = `translateY(${Math.round(place - tops[index])}px)`;
    });
  }

  /**
   * @param {Handle} handle
   * @param {LineData} line
   * @param {string} score what the curve is of
   */
  drawHandle(handle, line, score) {
    const { level } = line;
    handle.style.top = `${this.plot.curve.y(level)}px`;
    const name = this.list.length > 1 ? `${line.label} ` : "";
    // A line without stops depends on more than one parameter, so it cannot be moved.
    const fixed = !line.stops.length;
    handle.classList.toggle("fixed", fixed);
    handle.label.textContent = `${name}${round(level)}${fixed ? "" : " ⇕"}`;
    handle.title = fixed
      ? `${line.label}: follows from the settings`
      : `${line.label} ${round(line.value)}: drag, or use the arrow keys`;
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
    let grip = 0; // how far below the line it was taken: it does not jump to the pointer
    const follow = () => {
      frame = null;
      this.move(index, nearest(this.list[index].stops, this.plot.curve.scoreAt(height), 1));
    };
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId);
      this.dragging = true;
      const { value, level } = this.list[index];
      startValue = value;
      const top = this.plot.root.getBoundingClientRect().top;
      grip = event.clientY - top - this.plot.curve.y(level);
      // Otherwise the plot would be dragged too.
      event.stopPropagation();
      event.preventDefault();
      handle.focus();
    });
    handle.addEventListener("pointermove", (event) => {
      if (!this.dragging) return;
      height = event.clientY - this.plot.root.getBoundingClientRect().top - grip;
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
    const { data } = this.plot.curve;
    const { column } = this.plot.axis;
    if (!data || !column) return;
    const moved = this.list.findIndex(({ value }, index) => value !== data.lines[index]?.value);
    if (moved < 0) column.settle();
    else column.preview(this.candidates(), this.list[moved], data.lines[moved]);
  }

  /**
   * Describes the verdict on a gap: by the line while it moves, or by the server.
   * @param {number} gap
   * @returns {{ name: string, reason: string }}
   */
  decided(gap) {
    const { data, verdicts } = this.plot.curve;
    const score = data?.scores[gap] ?? null;
    if (!data || score === null) return { name: data ? verdicts[gap].name : "", reason: data?.reasons?.[gap] ?? "" };
    const level = this.list[0]?.level ?? null;
    const same = this.list.every((line, index) => line.level === data.lines[index]?.level);
    if (same || level === null)
      return { name: verdicts[gap].name, reason: data.reasons?.[gap] ?? `${data.label} ${round(score)}` };
    if (!data.live) return { name: "decided when you let go", reason: `${data.label} ${round(score)}` };
    const passes = passesLine(data.above, score, level);
    const reason = comparison(data, score, level, passes) + (data.constrained ? SIZES_FOLLOW : "");
    return { name: passes ? "cut" : "kept", reason };
  }

  /** @param {number} index */
  commit(index) {
    const { parameter, value } = this.list[index];
    this.moved = performance.now();
    const line = { column: this.plot.column, parameter, value, at: this.moved };
    this.plot.axis.reader.component?.setStateValue("line", line);
  }

  // The candidate cuts while the line is not at the server's position; null while the server's verdicts are valid.
  candidates() {
    const { data } = this.plot.curve;
    return data && candidateCuts(data, this.list[0]?.level ?? null);
  }
}

/** A score this near to the line is on it; chunkers/building_blocks/thresholds.py has the same number, and the reason. */
const TIE = 1e-9;

/**
 * True if lines set the same parameters in the same order.
 * @param {Pick<LineData, "parameter">[]} some
 * @param {Pick<LineData, "parameter">[]} others
 */
export const sameParameters = (some, others) =>
  some.length === others.length && some.every(({ parameter }, index) => parameter === others[index].parameter);

/**
 * Returns the gaps that a line at that level would cut; null if it is the server's level, or if it does not decide alone.
 * @param {Pick<CurveData, "live" | "above" | "scores" | "lines">} curve
 * @param {number | null} level
 */
export function candidateCuts({ live, above, scores, lines }, level) {
  if (!live || level === null || level === lines[0].level) return null;
  return scores.map((score) => score !== null && passesLine(above, score, level));
}

/**
 * True if a score lies beyond a line, on the side that is cut.
 * @param {boolean} above
 * @param {number} score
 * @param {number} level
 */
export const passesLine = (above, score, level) => (above ? score > level + TIE : score < level - TIE);

/**
 * Return the stop to which a key moves; undefined for other keys. Up moves up on the curve, to larger or smaller values.
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
 * Return the stop with the nearest amount (side 0) or level (side 1); the first of several.
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
