// The strips above the curve: the known boundaries, the chunks of every column, and where the columns agree.

import { el, fit } from "../shared/dom.js";
import { votes } from "./disagreements/places.js";

/**
 * @import { Axis } from "./axis.js"
 * @typedef {{ root: HTMLElement, name: HTMLElement, canvas: HTMLCanvasElement }} Strip
 */

export class Strips {
  /** @type {Strip[]} */
  strips = [];
  /** @type {[ground: string, edge: string][]} */
  palette = [];

  /** @param {Axis} axis */
  constructor(axis) {
    this.axis = axis;
    this.root = axis.root.appendChild(el("div"));
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
      strip.canvas.addEventListener("click", (event) => this.axis.reader.jump(this.axis.sentenceAt(event)));
      strip.canvas.addEventListener("pointermove", (event) => this.axis.reader.mark([this.axis.sentenceAt(event)]));
      this.strips[index] = strip;
    }
    return this.strips[index];
  }

  draw() {
    const { data, columns, grounds } = this.axis.reader;
    if (!data) return;
    const { colour } = this.axis;
    this.palette = Array.from({ length: grounds }, (_, number) => [colour(`ground-${number}`), colour(`edge-${number}`)]);
    let used = 0;
    if (data.known) {
      const edges = [0, ...data.knownAt, this.axis.window.count];
      this.drawChunks(used++, "known boundaries", edges.slice(0, -1), edges.slice(1), (part) => part % grounds);
    }
    const begins = [];
    for (const column of columns) {
      const { segments } = column;
      if (!segments) continue;
      begins.push(segments.from);
      const name = `${column.index + 1} ${column.data?.title}`;
      this.drawChunks(used++, name, segments.from, segments.to, (part) => column.colour(segments.over[part][0]));
    }
    const cutting = votes(begins);
    if (begins.length > 1) this.drawAgreement(used++, cutting, begins.length);
    for (const strip of this.strips.splice(used)) strip.root.remove();
  }

  /**
   * @param {number} index
   * @param {string} name
   * @param {number[]} from
   * @param {number[]} to
   * @param {(part: number) => number} ground
   */
  drawChunks(index, name, from, to, ground) {
    const strip = this.strip(index);
    strip.root.classList.remove("agreement");
    strip.name.textContent = name;
    const { canvas } = strip;
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
    const begins = from
      .slice(0, 40)
      .map((at) => Math.floor(at) + 1)
      .join(", ");
    canvas.setAttribute(
      "aria-label",
      `${name}: ${from.length} parts, beginning at sentences ${begins}${from.length > 40 ? " and more" : ""}`,
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
    const pen = fit(canvas);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    pen.fillStyle = this.axis.colour("ink");
    const most = new Map();
    for (const [at, count] of cutting) {
      if (!this.axis.window.holds(at)) continue;
      const x = Math.round(this.axis.window.x(at, width));
      most.set(x, Math.max(most.get(x) ?? 0, count));
    }
    for (const [x, count] of most) pen.fillRect(x - 1, height - (count / columns) * height, 2, (count / columns) * height);
    pen.fillStyle = this.axis.colour("rule");
    pen.fillRect(0, height - 1, width, 1);
    canvas.setAttribute("aria-label", `${cutting.size} places where at least one column cuts; taller where more agree`);
    name.textContent = "columns that cut here";
  }
}
