// The strips above the curve: the known boundaries, the chunks of every column, and the agreement of the columns.

import { el, fit, typeScale } from "../shared/dom.js";
import { counted } from "../shared/format.js";
import { votes } from "./disagreements/disagreement_positions.js";
import { agreementAt, CROWDED, fillSteps, lengthsAt } from "./parts/strip_density.js";
import { VisibleFrame } from "./parts/visible_frame.js";

const DENSE = 5; // rows above which they are set more closely
const STRETCH = 3; // pixels of a long text over which agreement is averaged

/**
 * @import { Axis } from "./axis.js"
 * @import { Column } from "./column.js"
 * @typedef {{ name: string, from: number[], to: number[], ground: (part: number) => number, column?: Column,
 *   parentsOf?: Column }} Row
 * @typedef {{ root: HTMLElement, name: HTMLElement, canvas: HTMLCanvasElement, previewedCuts?: HTMLCanvasElement }} Strip
 */

export class Strips {
  /** @type {Strip[]} */
  strips = [];
  /** @type {[ground: string, edge: string][]} */
  palette = [];

  /** @param {Axis} axis */
  constructor(axis) {
    this.axis = axis;
    this.root = axis.field.appendChild(el("div", "strips"));
    this.visibleFrame = new VisibleFrame(this);
  }

  /**
   * @param {number} index
   * @returns {Strip}
   */
  strip(index) {
    if (!this.strips[index]) {
      const strip = { root: this.root.appendChild(el("div", "strip")), name: el("span", "name"), canvas: el("canvas") };
      strip.root.append(strip.name, strip.canvas);
      strip.canvas.setAttribute("role", "img");
      this.strips[index] = strip;
    }
    return this.strips[index];
  }

  draw() {
    const { data, columns, grounds } = this.axis.reader;
    if (!data) return;
    const { colour } = this.axis;
    this.palette = Array.from({ length: grounds }, (_, number) => [colour(`ground-${number}`), colour(`edge-${number}`)]);
    /** @type {Row[]} */
    const rows = [];
    if (data.known) {
      const edges = [0, ...data.knownAt, this.axis.window.count];
      rows.push({
        name: "known",
        from: edges.slice(0, -1),
        to: edges.slice(1),
        ground: (part) => part % grounds,
      });
    }
    const begins = [];
    for (const column of columns) {
      const { segments } = column;
      if (!segments) continue;
      begins.push(segments.from);
      if (segments.parentFrom.length) {
        rows.push({
          name: `${column.index + 1} parents`,
          from: segments.parentFrom,
          to: segments.parentTo,
          ground: (part) => part % grounds,
          parentsOf: column,
        });
      }
      const ground = (/** @type {number} */ part) => column.colour(segments.over[part][0]);
      rows.push({ name: `${column.index + 1} ${column.data?.title}`, from: segments.from, to: segments.to, ground, column });
    }
    this.root.classList.toggle("dense", rows.length > DENSE);
    this.drawRows(rows);
    const cutting = votes(begins);
    if (begins.length > 1) this.drawAgreement(rows.length, cutting, begins.length);
    for (const strip of this.strips.splice(rows.length + Number(begins.length > 1))) strip.root.remove();
  }

  /** @param {Row[]} rows */
  drawRows(rows) {
    const width = this.root.clientWidth;
    const { window } = this.axis;
    const lengths = rows.map(({ from, to }) => {
      const [first, last] = window.inside(from, to);
      return last - first > CROWDED ? lengthsAt(from, to, window, width) : null;
    });
    // All chunks have one scale, so that the columns can be compared.
    const longest = Math.max(1, ...lengths.flatMap((some) => some ?? []));
    rows.forEach((row, index) => {
      const strip = this.strip(index);
      const chunkLengths = lengths[index];
      strip.root.classList.remove("agreement");
      strip.name.textContent = strip.name.title = row.name;
      if (chunkLengths) this.drawLengths(strip.canvas, chunkLengths, longest);
      else this.drawBars(strip.canvas, row);
      const { asking, disagreements, horizon } = this.axis.reader;
      const known = row.name === "known";
      if (!known) this.clear(strip.canvas, horizon.widthOf(strip.canvas.clientWidth, row.column));
      else if (horizon.hidesKnown) this.clear(strip.canvas, 0);
      const asked = row.column ? asking.markStrip(strip.canvas, row.column) : "";
      const of = row.parentsOf ? -1 : (row.column?.index ?? null);
      const previewedCuts = disagreements.preview.markStrip(strip, of);
      const ticks = !known && this.drawParagraphs(strip.canvas) ? "; ticks where paragraphs end" : "";
      const drawn = (chunkLengths ? "; taller where a part is longer" : "") + ticks + asked + previewedCuts;
      if (ticks) strip.name.title += ticks;
      strip.canvas.setAttribute("aria-label", this.describe(row) + drawn);
    });
  }

  /**
   * Describe the parts of a row, as far as they are shown.
   * @param {Row} row
   */
  describe(row) {
    const { horizon } = this.axis.reader;
    const known = row.name === "known";
    if (known && horizon.hidesKnown) return "known boundaries: not shown while the result builds up";
    const whole = known || horizon.at === null || (row.column && row.column !== horizon.column);
    const from = whole ? row.from : this.until(row);
    const begins = from
      .slice(0, 40)
      .map((at) => Math.floor(at) + 1)
      .join(", ");
    const more = from.length > 40 ? " and more" : "";
    return `${known ? "known boundaries" : row.name}: ${counted(from.length, "part")}, beginning at sentences ${begins}${more}`;
  }

  /**
   * Return the starts of a row's parts up to a stepper's step; none for rows that all columns share.
   * @param {Row} row
   */
  until({ from, column }) {
    const { at } = this.axis.reader.horizon;
    return column ? from.filter((place) => place < Number(at)) : [];
  }

  /**
   * Clear the drawing to the right of a position that a stepper has not reached yet.
   * @param {HTMLCanvasElement} canvas
   * @param {number} left
   */
  clear(canvas, left) {
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    if (left < canvas.clientWidth) pen.clearRect(left, 0, canvas.clientWidth - left, canvas.clientHeight);
  }

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Row} row
   */
  drawBars(canvas, { from, to, ground }) {
    const pen = fit(canvas);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const [first, last] = this.axis.window.inside(from, to);
    const gap = width / Math.max(1, last - first) > 6 ? 1 : 0;
    for (const { part, left, right } of this.axis.window.seenOf(from, to, width)) {
      const [fill, edge] = this.palette[ground(part)];
      pen.fillStyle = fill;
      pen.fillRect(left, 0, Math.max(0.5, right - left - gap), height);
      if (gap) {
        pen.strokeStyle = edge;
        pen.strokeRect(left + 0.5, 0.5, Math.max(0.5, right - left - 1 - gap), height - 1);
      } else {
        pen.fillStyle = edge;
        pen.fillRect(left, 0, 1, height);
      }
    }
  }

  /**
   * Draw ticks at the ends of paragraphs, unless there are too many to distinguish; return whether there are any.
   * @param {HTMLCanvasElement} canvas
   */
  drawParagraphs(canvas) {
    const { window, reader } = this.axis;
    const seen = reader.paragraphs.filter((at) => window.holds(at));
    if (!seen.length || seen.length > CROWDED) return false;
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const tall = Math.ceil(height / 3);
    pen.fillStyle = this.axis.colour("ink");
    for (const at of seen) pen.fillRect(Math.round(window.x(at, width)) - 1, height - tall, 1, tall);
    return true;
  }

  /**
   * With many chunks, draw the square root of the longest length at each pixel as a height, so that short ones are visible.
   * @param {HTMLCanvasElement} canvas
   * @param {number[]} lengths
   * @param {number} longest
   */
  drawLengths(canvas, lengths, longest) {
    const pen = fit(canvas);
    const height = canvas.clientHeight;
    pen.fillStyle = this.axis.colour("muted");
    fillSteps(
      pen,
      lengths.map((length) => Math.sqrt(length / longest) * height),
      1,
      height,
    );
  }

  /**
   * @param {number} index
   * @param {Map<number, number>} cutting
   * @param {number} columns
   */
  drawAgreement(index, cutting, columns) {
    const { root, name, canvas } = this.strip(index);
    root.classList.add("agreement");
    name.textContent = "agreement";
    const pen = fit(canvas);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    pen.fillStyle = this.axis.colour("ink");
    const seen = [...cutting].filter(([at]) => this.axis.window.holds(at));
    const crowded = seen.length > CROWDED;
    if (crowded) {
      const shares = agreementAt(cutting, columns, this.axis.window, width, STRETCH);
      fillSteps(
        pen,
        shares.map((share) => share * height),
        STRETCH,
        height,
      );
    } else {
      const most = new Map();
      const wide = 2 * Math.round(typeScale());
      for (const [at, count] of seen) {
        const x = Math.round(this.axis.window.x(at, width));
        most.set(x, Math.max(most.get(x) ?? 0, count));
      }
      for (const [x, count] of most)
        pen.fillRect(x - wide / 2, height - (count / columns) * height, wide, (count / columns) * height);
    }
    this.clear(canvas, this.axis.reader.horizon.widthOf(width));
    pen.fillStyle = this.axis.colour("rule");
    pen.fillRect(0, height - 1, width, 1);
    const drawn = crowded ? "taller where more of those that cut nearby agree" : "taller where more agree";
    const label = `${counted(cutting.size, "place")} where at least one column cuts; ${drawn}`;
    canvas.setAttribute("aria-label", label);
    name.title = label;
  }
}
