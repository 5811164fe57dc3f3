// Draws the heatmap: a cell for every pair of sentences, with the chunks' colours inside it and along its edges.

import { el, fit, groundCount, paints } from "../components/shared/dom.js";

const MARGIN = 40; // pixels at the left and the bottom for sentence numbers
const BAND = 9; // pixels of the chunks' colours along both edges
const DOT = 3; // pixels from which a single cell is visible
const SMALL = 12; // rows up to which a chunk's cells would be lost among the others
const BEYOND = 0.4; // strength of a cell beyond the line, relative to one within it

export class HeatmapDrawing {
  constructor(root) {
    this.map = root.appendChild(el("div", "map"));
    this.cells = this.map.appendChild(el("canvas"));
    this.over = this.map.appendChild(el("canvas"));
    this.map.tabIndex = 0;
    this.map.setAttribute("role", "group");
  }

  draw(data, distances) {
    this.data = data;
    this.distances = distances;
    this.colour = paints(this.map);
    this.side = this.map.clientWidth - MARGIN;
    if (this.side <= 0) return;
    const pen = fit(this.cells);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(this.image(), MARGIN, 0, this.side, this.side);
    this.drawPairs(pen);
    this.drawBands(pen);
    this.drawTicks(pen);
    const sentences = `${distances.count.toLocaleString("en")} sentences with each other`;
    this.map.setAttribute("aria-label", `Heatmap of ${sentences}: arrows go from cell to cell, Enter to the one sentence in the text and again to the other`);
  }

  // One pixel per cell: the nearer its sentences, the stronger.
  image() {
    const { cells } = this.distances;
    const image = new ImageData(cells, cells);
    const near = ramp(this.colour("page"), this.colour("ink"));
    const inChunk = Array.from({ length: groundCount(this.map) }, (_, index) => ramp(this.colour("page"), this.colour(`edge-${index}`), 0.3));
    const owner = this.owners();
    const level = this.data.line?.[1] ?? 1;
    const pixels = new Uint32Array(image.data.buffer);
    for (let one = 0, at = 0; one < cells; one++) {
      for (let other = 0; other < cells; other++, at++) {
        const distance = this.distances.between(one, other);
        const strength = distance <= level ? 1 - distance : BEYOND * (1 - distance);
        pixels[at] = owner[at] >= 0 ? inChunk[owner[at]][Math.round((1 - distance) * 255)] : near[Math.round(strength * 255)];
      }
    }
    const small = Object.assign(document.createElement("canvas"), { width: cells, height: cells });
    small.getContext("2d").putImageData(image, 0, 0);
    return small;
  }

  // The set of rows of every chunk.
  rows() {
    const rows = this.data.grounds.map(() => new Set());
    this.data.chunk_of.forEach((chunk, sentence) => rows[chunk].add(this.distances.row(sentence)));
    return rows;
  }

  // The colour of every cell that holds a pair from one chunk; -1 for the others.
  owners() {
    const { cells } = this.distances;
    const owner = new Int8Array(cells * cells).fill(-1);
    this.rows().forEach((own, chunk) => {
      for (const one of own) for (const other of own) owner[one * cells + other] = this.data.grounds[chunk];
    });
    return owner;
  }

  // Where single cells are too small to see, those of small chunks are drawn larger than they are.
  drawPairs(pen) {
    const size = this.side / this.distances.cells;
    if (size >= DOT) return;
    this.rows().forEach((own, chunk) => {
      if (own.size > SMALL) return;
      pen.fillStyle = this.colour(`edge-${this.data.grounds[chunk]}`);
      for (const one of own) for (const other of own) pen.fillRect(MARGIN + (other + 0.5) * size - DOT / 2, (one + 0.5) * size - DOT / 2, DOT, DOT);
    });
  }

  // Where a sentence begins, in pixels from the corner of the cells.
  at(sentence) {
    return (sentence / this.distances.count) * this.side;
  }

  drawBands(pen) {
    this.data.chunk_of.forEach((chunk, sentence) => {
      pen.fillStyle = this.colour(`edge-${this.data.grounds[chunk]}`);
      const [from, to] = [this.at(sentence), this.at(sentence + 1)];
      pen.fillRect(MARGIN - BAND - 2, from, BAND, to - from);
      pen.fillRect(MARGIN + from, this.side + 2, to - from, BAND);
    });
  }

  drawTicks(pen) {
    const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000].find((size) => this.at(size) >= 34) ?? 5000;
    pen.fillStyle = this.colour("muted");
    pen.font = `11px ${getComputedStyle(this.map).fontFamily}`;
    for (let number = step === 1 ? 1 : step; number <= this.distances.count; number += step) {
      const middle = this.at(number - 0.5);
      pen.textAlign = "right";
      pen.textBaseline = "middle";
      pen.fillText(String(number), MARGIN - BAND - 6, Math.min(Math.max(middle, 6), this.side - 6));
      pen.textAlign = "center";
      pen.textBaseline = "top";
      pen.fillText(String(number), MARGIN + Math.min(middle, this.side - 12), this.side + BAND + 6);
    }
  }

  // Mark the cell of two rows; null clears the mark.
  mark(cell) {
    const pen = fit(this.over);
    if (!cell) return;
    const [[top, bottom], [left, right]] = cell.map((row) => this.distances.range(row).map((sentence) => this.at(sentence)));
    pen.fillStyle = pen.strokeStyle = this.colour("accent");
    pen.globalAlpha = 0.45;
    pen.fillRect(MARGIN, (top + bottom) / 2 - 0.5, this.side, 1);
    pen.fillRect(MARGIN + (left + right) / 2 - 0.5, 0, 1, this.side);
    pen.globalAlpha = 1;
    pen.lineWidth = 2;
    pen.strokeRect(MARGIN + left - 2, top - 2, right - left + 4, bottom - top + 4);
  }

  // The two rows of the cell under the pointer; null if there is none.
  cellAt(event) {
    const box = this.map.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left - MARGIN, event.clientY - box.top];
    if (x < 0 || y < 0 || x >= this.side || y >= this.side) return null;
    return [y, x].map((at) => this.distances.row((at / this.side) * this.distances.count));
  }
}

// 256 steps from one colour to another, in the layout of canvas pixels; the first is `least` of the way.
function ramp(from, to, least = 0) {
  const [a, b] = [from, to].map((colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));
  return Uint32Array.from({ length: 256 }, (_, step) => {
    const part = least + (1 - least) * (step / 255);
    const [red, green, blue] = a.map((value, channel) => Math.round(value + (b[channel] - value) * part));
    return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  });
}
