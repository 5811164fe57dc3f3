// Draws the heatmap: a cell for every pair of sentences, with the chunks' colours inside it and along its edges.

import { el, fit, groundCount, leastType, paints, typeScale } from "../shared/dom.js";
import { grouped } from "../shared/format.js";

// Pixels at the default type size.
const MARGIN = 40; // at the left and the bottom, for sentence numbers
const BAND = 9; // of the chunks' colours along both edges
const TYPE = 11; // of the numbers
const APART = 34; // from one number to the next, at least
const DOT = 3; // pixels from which a single cell is visible
const SMALL = 12; // rows up to which a chunk's cells would be lost among the others
const BEYOND = 0.4; // strength of a cell beyond the line, relative to one within it

/**
 * @import { Range } from "../shared/bus.js"
 * @import { JointDistances } from "./joint_distances.js"
 * @import { HeatmapData } from "./heatmap.data.d.ts"
 *
 * Two rows of the heatmap.
 * @typedef {[one: number, other: number]} Cell
 */

export class HeatmapDrawing {
  /** @type {HeatmapData | null} */ data = null;
  /** @type {JointDistances | null} */ distances = null;
  side = 0; // pixels of the square
  larger = 1; // how much larger the type is
  least = 0; // pixels of the smallest type
  /** @type {Range | null} */ table = null; // the sentences whose chunks are drawn as squares

  /** @param {HTMLElement} root */
  constructor(root) {
    this.map = root.appendChild(el("div", "map"));
    this.cells = this.map.appendChild(el("canvas"));
    this.over = this.map.appendChild(el("canvas"));
    this.map.tabIndex = 0;
    this.map.setAttribute("role", "group");
    this.colour = paints(this.map);
  }

  /**
   * @param {HeatmapData} data
   * @param {JointDistances} distances
   */
  draw(data, distances) {
    this.data = data;
    this.distances = distances;
    this.colour = paints(this.map);
    this.larger = typeScale();
    this.least = leastType(this.map);
    this.side = this.map.clientWidth - this.margin;
    if (this.side <= 0) return;
    const pen = fit(this.cells);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(this.image(data, distances), this.margin, 0, this.side, this.side);
    if (!data.lasts) {
      this.drawPairs(pen, data, distances);
      this.drawBands(pen, data);
    }
    this.drawTicks(pen, distances.count);
    const sentences = `${grouped(distances.count)} sentences with each other`;
    this.map.setAttribute(
      "aria-label",
      `Heatmap of ${sentences}: arrows go from cell to cell, Enter to the one sentence in the text and again to the other`,
    );
  }

  get margin() {
    return Math.round(Math.max(MARGIN * this.larger, 3 * this.least));
  }

  get band() {
    return Math.round(BAND * this.larger);
  }

  /**
   * Draw one pixel per cell, with stronger colour for nearer sentences.
   * @param {HeatmapData} data
   * @param {JointDistances} distances
   */
  image(data, distances) {
    const { cells } = distances;
    const image = new ImageData(cells, cells);
    const near = ramp(this.colour("page"), this.colour("ink"));
    const inChunk = Array.from({ length: groundCount(this.map) }, (_, index) =>
      ramp(this.colour("page"), this.colour(`edge-${index}`), 0.3),
    );
    const owner = owners(data, distances);
    const level = data.line?.[1] ?? 1;
    const pixels = new Uint32Array(image.data.buffer);
    for (let row = 0, at = 0; row < cells; row++) {
      for (let column = 0; column < cells; column++, at++) {
        const distance = distances.between(row, column);
        const strength = distance <= level ? 1 - distance : BEYOND * (1 - distance);
        pixels[at] =
          owner[at] >= 0 ? inChunk[owner[at]][Math.round((1 - distance) * 255)] : near[Math.round(strength * 255)];
      }
    }
    const small = Object.assign(document.createElement("canvas"), { width: cells, height: cells });
    small.getContext("2d")?.putImageData(image, 0, 0);
    return small;
  }

  /**
   * Draws the cells of small chunks larger than they are if single cells are too small to see.
   * @param {CanvasRenderingContext2D} pen
   * @param {HeatmapData} data
   * @param {JointDistances} distances
   */
  drawPairs(pen, data, distances) {
    const size = this.side / distances.cells;
    if (size >= DOT) return;
    rowsOf(data, distances).forEach((own, chunk) => {
      if (own.size > SMALL) return;
      pen.fillStyle = this.colour(`edge-${data.grounds[chunk]}`);
      for (const row of own)
        for (const column of own)
          pen.fillRect(this.margin + (column + 0.5) * size - DOT / 2, (row + 0.5) * size - DOT / 2, DOT, DOT);
    });
  }

  /**
   * Returns the start of a sentence, in pixels from the corner of the cells.
   * @param {number} sentence
   */
  at(sentence) {
    return (sentence / (this.distances?.count ?? 1)) * this.side;
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {HeatmapData} data
   */
  drawBands(pen, data) {
    data.chunk_of.forEach((chunk, sentence) => {
      pen.fillStyle = this.colour(`edge-${data.grounds[chunk]}`);
      const [from, to] = [this.at(sentence), this.at(sentence + 1)];
      pen.fillRect(this.margin - this.band - 2, from, this.band, to - from);
      pen.fillRect(this.margin + from, this.side + 2, to - from, this.band);
    });
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {number} count
   */
  drawTicks(pen, count) {
    const step =
      [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000].find((size) => this.at(size) >= APART * this.larger) ?? 5000;
    pen.fillStyle = this.colour("muted");
    pen.font = `${Math.max(TYPE * this.larger, this.least)}px ${getComputedStyle(this.map).fontFamily}`;
    const half = Math.max(6 * this.larger, this.least / 2); // of a number's height
    for (let number = step === 1 ? 1 : step; number <= count; number += step) {
      const middle = this.at(number - 0.5);
      pen.textAlign = "right";
      pen.textBaseline = "middle";
      pen.fillText(String(number), this.margin - this.band - 6, Math.min(Math.max(middle, half), this.side - half));
      pen.textAlign = "center";
      pen.textBaseline = "top";
      pen.fillText(String(number), this.margin + Math.min(middle, this.side - 2 * half), this.side + this.band + 6);
    }
  }

  /**
   * Mark the cell of two rows; null clears the mark.
   * @param {Cell | null} cell
   */
  mark(cell) {
    const pen = fit(this.over);
    const { distances } = this;
    if (this.data?.lasts && this.table) this.drawSquares(pen, this.data.lasts, this.table);
    if (!cell || !distances) return;
    const [[top, bottom], [left, right]] = cell.map((row) => distances.range(row).map((sentence) => this.at(sentence)));
    pen.fillStyle = pen.strokeStyle = this.colour("accent");
    pen.globalAlpha = 0.45;
    pen.fillRect(this.margin, (top + bottom) / 2 - 0.5, this.side, 1);
    pen.fillRect(this.margin + (left + right) / 2 - 0.5, 0, 1, this.side);
    pen.globalAlpha = 1;
    pen.lineWidth = 2;
    pen.strokeRect(this.margin + left - 2, top - 2, right - left + 4, bottom - top + 4);
  }

  /**
   * Draw a square around each chunk, fill the first or the last of them, which the step is about, and veil the sentences after.
   * @param {CanvasRenderingContext2D} pen
   * @param {number[]} lasts
   * @param {Range} table
   */
  drawSquares(pen, lasts, table) {
    const squares = squaresOf(lasts, table);
    const current = squares[table[0] > 0 ? 0 : squares.length - 1];
    const end = this.at(table[1]);
    pen.fillStyle = this.colour("page");
    pen.globalAlpha = 0.72;
    pen.fillRect(this.margin + end, 0, this.side - end, this.side);
    pen.fillRect(this.margin, end, end, this.side - end);
    pen.fillStyle = pen.strokeStyle = this.colour("accent");
    for (const square of squares) {
      const [from, to] = square.map((sentence) => this.at(sentence));
      // Among hundreds of sentences a square is a few pixels wide.
      pen.lineWidth = Math.min(2.5 * this.larger, Math.max(1, (to - from) / 6));
      pen.globalAlpha = 0.25;
      if (square === current) pen.fillRect(this.margin + from, from, to - from, to - from);
      pen.globalAlpha = 1;
      pen.strokeRect(this.margin + from + 1, from + 1, to - from - 2, to - from - 2);
    }
  }

  /**
   * The cell under the pointer; null if there is none.
   * @param {MouseEvent} event
   * @returns {Cell | null}
   */
  cellAt(event) {
    const { distances } = this;
    if (!distances) return null;
    const box = this.map.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left - this.margin, event.clientY - box.top];
    if (x < 0 || y < 0 || x >= this.side || y >= this.side) return null;
    const row = (/** @type {number} */ at) => distances.row((at / this.side) * distances.count);
    return [row(y), row(x)];
  }

  /**
   * Returns the middle of a cell in the window, in pixels.
   * @param {number} row
   * @param {number} column
   */
  middleOf(row, column) {
    const box = this.map.getBoundingClientRect();
    const cells = this.distances?.cells ?? 1;
    const at = (/** @type {number} */ cell) => ((cell + 0.5) / cells) * this.side;
    return [box.right - this.side + at(column), box.top + at(row)];
  }
}

/**
 * Return the cell to which an arrow key moves, `by` rows away and within the heatmap; null for other keys.
 * @param {string} key
 * @param {Cell} cell
 * @param {number} by
 * @param {number} cells
 * @returns {Cell | null}
 */
export function neighbour(key, [row, column], by, cells) {
  /** @param {number} row */
  const within = (row) => Math.max(0, Math.min(cells - 1, row));
  if (key === "ArrowUp") return [within(row - by), column];
  if (key === "ArrowDown") return [within(row + by), column];
  if (key === "ArrowLeft") return [row, within(column - by)];
  if (key === "ArrowRight") return [row, within(column + by)];
  return null;
}

/**
 * The set of rows of every chunk.
 * @param {Pick<HeatmapData, "chunk_of" | "grounds">} data
 * @param {Pick<JointDistances, "row">} distances
 * @returns {Set<number>[]}
 */
export function rowsOf({ chunk_of, grounds }, distances) {
  const rows = grounds.map(() => new Set());
  for (const [sentence, chunk] of chunk_of.entries()) rows[chunk].add(distances.row(sentence));
  return rows;
}

/**
 * Return the chunks of a range's sentences in the best partition of the sentences before its end, in order.
 * @param {number[]} lasts the first sentence of the last chunk, for each number of sentences from the beginning
 * @param {Range} table
 * @returns {Range[]}
 */
export function squaresOf(lasts, [from, to]) {
  /** @type {Range[]} */
  const squares = [];
  for (let end = to; end > from; end = lasts[end]) squares.unshift([lasts[end], end]);
  return squares;
}

/**
 * The colour of every cell that holds a pair from one chunk; -1 for the others, and for all if the chunks are squares.
 * @param {Pick<HeatmapData, "chunk_of" | "grounds"> & Partial<Pick<HeatmapData, "lasts">>} data
 * @param {Pick<JointDistances, "row" | "cells">} distances
 */
export function owners(data, distances) {
  const { cells } = distances;
  const owner = new Int8Array(cells * cells).fill(-1);
  if (data.lasts) return owner;
  rowsOf(data, distances).forEach((own, chunk) => {
    for (const row of own) for (const column of own) owner[row * cells + column] = data.grounds[chunk];
  });
  return owner;
}

/**
 * Return 256 steps from one colour to another as canvas pixels, beginning at the share `least` of the way.
 * @param {string} from as `#rrggbb`
 * @param {string} to
 */
export function ramp(from, to, least = 0) {
  const [a, b] = [from, to].map((colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));
  return Uint32Array.from({ length: 256 }, (_, step) => {
    const part = least + (1 - least) * (step / 255);
    const [red, green, blue] = a.map((value, channel) => Math.round(value + (b[channel] - value) * part));
    return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  });
}
