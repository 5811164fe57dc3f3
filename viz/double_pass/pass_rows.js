// Draws the rows of a double pass: a block for every sentence, mini-chunk and chunk in the window, and between the rows an
// arc for every merge.

import { groundCount, leastType, svgEl, typeScale } from "../components/shared/dom.js";
import { Arcs, GROWTH, placesFor, TYPE } from "./arcs.js";

const CROWDED = 8; // pixels per sentence below which arcs cannot be told apart: they are drawn thin, without labels or pointer targets
const SHARE = 0.46; // of the window's height that the rows may take where they are drawn larger, so that text is seen below them
const KEPT = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "paint-order",
  "text-anchor",
  "font-size",
  "font-weight",
  "font-family",
];

/**
 * @import { Mark } from "../components/shared/bus.js"
 * @import { VisibleRange } from "../components/shared/visible_range.js"
 * @import { Numbered } from "./arcs.js"
 * @import { BlockRow, RowName } from "./rows.d.ts"
 * @import { PassRowsData } from "./passes.data.d.ts"
 */

/**
 * An item selected by pointer or key: a comparison, or a block of a row.
 * @typedef {{ comparison: number } | { row: RowName, at: number }} Item
 */

/**
 * The part that is drawn up to a step: comparisons by their number, mini-chunks and chunks by sentences.
 * @typedef {{ comparisons: number, minis: number, chunks: number }} Limit
 */

/** @type {("growing" | "middle" | "next")[]} */
const BANDS = ["growing", "middle", "next"];

export class PassRows {
  /** @type {PassRowsData | null} */ data = null;
  /** @type {[one: Numbered[], two: Numbered[]]} */ levels = [[], []];
  /** @type {Set<number>} */ snippets = new Set();
  grounds = 1;
  width = 1; // of the rows, in pixels of the drawing
  wide = 1; // pixels per sentence
  crowded = false;
  places = placesFor(TYPE);
  /** @type {Limit} */ limit = { comparisons: Infinity, minis: Infinity, chunks: Infinity };
  under = svgEl("g", {}); // the layers of the step and of the chosen item, below and above the rows
  above = svgEl("g", {});
  over = svgEl("g", {});

  /**
   * @param {HTMLElement} root
   * @param {VisibleRange} window
   */
  constructor(root, window) {
    this.root = root;
    this.window = window;
    this.root.tabIndex = 0;
    this.root.setAttribute("role", "group");
    this.svg = svgEl("svg", { "aria-hidden": "true" }, root);
    this.arcs = new Arcs(this);
  }

  /**
   * Take the blocks and comparisons of `data`, and the deciding comparisons of either pass.
   * @param {PassRowsData} data
   * @param {[one: Numbered[], two: Numbered[]]} levels
   */
  update(data, levels) {
    this.data = data;
    this.levels = levels;
    this.snippets = new Set(data.snippets);
    this.grounds = groundCount(this.root);
  }

  // The drawing is as large as the page's type while the rows leave room; its own type is never below the page's least.
  fitType() {
    const least = leastType(this.root);
    this.places = placesFor(TYPE);
    const fixed = least ? this.height - GROWTH * TYPE : this.height;
    const scale = Math.min(typeScale(), Math.max(1, (SHARE * innerHeight - GROWTH * least) / fixed));
    this.places = placesFor(Math.max(TYPE, least / scale));
    this.svg.style.setProperty("--drawn-type", least ? `${this.places.type}px` : "0px");
    return scale;
  }

  get height() {
    const { rows } = this.places;
    const [top, tall] = this.data?.other ? rows.other : rows.chunks;
    return top + tall + 2;
  }

  /** @param {number} at */
  x(at) {
    return Math.round(this.window.x(at, this.width) * 10) / 10;
  }

  // ---- rows and arcs ----------------------------------------------------------------------------------------------

  draw() {
    const { data, svg, window } = this;
    if (!data) return;
    const scale = this.fitType();
    const { height } = this;
    const layer = document.createDocumentFragment();
    this.width = this.root.clientWidth / scale;
    this.wide = this.width / window.span;
    this.crowded = this.wide < CROWDED;
    svg.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
    svg.setAttribute("width", String(this.width * scale));
    svg.setAttribute("height", String(height * scale));
    svg.classList.toggle("crowded", this.crowded);
    this.drawPattern(layer);
    this.under = svgEl("g", {}, layer);
    for (const [name, words] of Object.entries(data.labels)) {
      const [at] = this.places.rows[/** @type {RowName} */ (name)];
      if (words) svgEl("text", { x: 0, y: at - 3.4 - 0.3 * this.places.type, class: "label" }, layer, words);
    }
    this.drawSentences(layer, data.count);
    this.drawRow(layer, "minis", data.minis, data.count, this.limit.minis);
    this.drawRow(layer, "chunks", data.chunks, data.count, this.limit.chunks);
    if (data.other) this.drawRow(layer, "other", data.other, data.count);
    const values = document.createDocumentFragment();
    const [first, second] = this.levels.map((level) => level.filter(({ number }) => number < this.limit.comparisons));
    this.arcs.drawFirst(layer, values, first);
    this.arcs.drawSecond(layer, values, second);
    layer.append(values);
    this.above = svgEl("g", {}, layer);
    this.over = svgEl("g", {}, layer);
    svg.replaceChildren(layer);
  }

  /** @param {ParentNode} layer */
  drawPattern(layer) {
    const units = { patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
    const pattern = svgEl("pattern", { id: "hatch", width: 7, height: 7, ...units }, svgEl("defs", {}, layer));
    svgEl("path", { d: "M0 0V7", class: "hatching" }, pattern);
  }

  /**
   * @param {ParentNode} layer
   * @param {number} count
   */
  drawSentences(layer, count) {
    const { places, wide, window } = this;
    const [top, tall] = places.rows.sentences;
    const last = Math.min(count, Math.ceil(window.to));
    const step = Math.max(1, Math.ceil(2 / wide));
    const numbered = wide > String(count).length * places.room + 3;
    for (let sentence = Math.floor(window.from / step) * step; sentence < last; sentence += step) {
      const x = this.x(sentence);
      const shape = { x: x + 0.5, y: top, width: Math.max(0.5, wide * step - 1.5), height: tall, rx: Math.min(3, wide / 4) };
      svgEl("rect", { ...shape, class: "block sentence", "data-row": "sentences", "data-at": sentence }, layer);
      if (numbered)
        svgEl("text", { x: x + wide / 2, y: top + tall / 2 + places.type / 3, class: "number" }, layer, sentence + 1);
    }
  }

  /**
   * @param {ParentNode} layer
   * @param {BlockRow} row
   * @param {number[]} all the sentences at which its blocks begin
   * @param {number} count of sentences
   * @param {number} [limit] sentences up to which the row is drawn
   */
  drawRow(layer, row, all, count, limit = Infinity) {
    const [top, tall] = this.places.rows[row];
    const starts = all.filter((start) => start < limit);
    const ends = [...starts.slice(1), Math.min(count, limit)];
    for (const { part: number, left, right } of this.window.seenOf(starts, ends, this.width)) {
      const [width, rx] = [Math.max(0.5, right - left - 1.5), Math.min(3, (right - left) / 4)];
      const shape = { x: left + 0.75, y: top, width, height: tall, rx };
      // A narrow block consists of its border only.
      const ground = number % this.grounds;
      const colour =
        right - left < 4 ? `fill: var(--edge-${ground})` : `fill: var(--ground-${ground}); stroke: var(--edge-${ground})`;
      svgEl("rect", { ...shape, class: "block", style: colour, "data-row": row, "data-at": number }, layer);
      const hatched = row === "minis" && this.snippets.has(starts[number]) && starts[number] < this.limit.chunks;
      if (hatched) svgEl("rect", { ...shape, class: "hatched", fill: "url(#hatch)" }, layer);
      const [shown, until] = [Math.max(left, 0), Math.min(right, this.width)];
      if (until - shown <= String(number + 1).length * this.places.room + 4) continue;
      svgEl(
        "text",
        { x: (shown + until) / 2, y: top + tall / 2 + 0.375 * this.places.type, class: "number" },
        layer,
        number + 1,
      );
    }
  }

  // ---- over the rows ----------------------------------------------------------------------------------------------

  /**
   * Draw the stepper's step: its comparison and the compared blocks.
   * @param {Mark | undefined} step
   */
  drawStep(step) {
    this.under.replaceChildren();
    this.above.replaceChildren();
    if (!step) return;
    const comparison = this.data?.comparisons[step.comparison ?? -1];
    if (comparison && (step.comparison ?? 0) < this.limit.comparisons) {
      const { left, right, top, depth } = this.arcs.drawNow(this.above, comparison);
      if (!comparison.decides)
        svgEl(
          "text",
          { x: (left + right) / 2, y: top + depth + this.places.type + 1, class: "value" },
          this.above,
          comparison.value,
        );
    }
    const { sentences, minis } = this.places.rows;
    const [top, tall] = comparison?.pass === 1 ? sentences : minis;
    for (const name of BANDS) {
      const range = step[name];
      if (!range) continue;
      const [left, right] = range.map((at) => this.x(at));
      const shape = { x: left, y: top - 4, width: Math.max(1, right - left), height: tall + 8, rx: 4 };
      svgEl("rect", { ...shape, class: `band ${name}` }, name === "next" ? this.above : this.under);
    }
  }

  /**
   * Draw the item under the pointer, or chosen by keyboard.
   * @param {Item | null} item
   */
  drawItem(item) {
    this.over.replaceChildren();
    if (!item || !this.data) return;
    if ("comparison" in item) {
      this.arcs.drawNow(this.over, this.data.comparisons[item.comparison]);
      return;
    }
    const block = this.svg.querySelector(`[data-row="${item.row}"][data-at="${item.at}"]`);
    if (!block) return;
    const copy = /** @type {Element} */ (this.over.appendChild(block.cloneNode()));
    copy.removeAttribute("style");
    copy.setAttribute("class", "chosen");
  }

  // ---- the picture to save ------------------------------------------------------------------------------------------

  /**
   * Returns the visible part as SVG with the current colours, on a `ground`.
   * @param {string} ground
   */
  picture(ground) {
    const copy = /** @type {SVGSVGElement} */ (this.svg.cloneNode(true));
    /** @type {NodeListOf<SVGElement>} */
    const copies = copy.querySelectorAll("*");
    this.svg.querySelectorAll("*").forEach((node, number) => {
      const style = getComputedStyle(node);
      for (const name of KEPT) copies[number].style.setProperty(name, style.getPropertyValue(name));
    });
    for (const touch of copy.querySelectorAll(".touch")) touch.remove();
    copy.style.background = ground;
    return new XMLSerializer().serializeToString(copy);
  }
}
