// Draws the rows of a double pass: a block for every sentence, mini-chunk and chunk in the window, and between the rows an arc
// for every merge.

import { el, firstWhere, groundCount, svgEl } from "../components/shared/dom.js";

const ROOM = 7; // pixels per digit
const CROWDED = 8; // pixels per sentence below which arcs cannot be told apart: they are drawn thin, without labels or pointer targets
const ROWS = { sentences: [20, 22], minis: [104, 24], chunks: [216, 24], other: [270, 20] }; // top and height
const ARCS = { one: ROWS.sentences[0] + ROWS.sentences[1] + 2, two: ROWS.minis[0] + ROWS.minis[1] + 2 };
const DEPTHS = { initial: 12, appending: 12, merging: 22, "over a snippet": 46, "over two snippets": 58 };
const KEPT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "paint-order", "text-anchor", "font-size", "font-weight", "font-family"];

// The path of an arc that hangs from `left` to `right`.
const hang = ({ left, right, top, depth }) => `M${left} ${top}C${left} ${top + depth * 1.33} ${right} ${top + depth * 1.33} ${right} ${top}`;

// The kind of drawing for a decision.
function kindOf(one) {
  if (one.outcome === "too long") return "long";
  if (one.outcome === "not above") return one.pass === 2 ? "post" : "";
  return one.kind.startsWith("over") ? "over" : "merge";
}

export class PassRows {
  constructor(root) {
    this.root = root;
    this.root.tabIndex = 0;
    this.root.setAttribute("role", "group");
    this.svg = svgEl("svg", { "aria-hidden": "true" }, root);
  }

  // Take the blocks and comparisons of `data`, the deciding comparisons of either pass, and the window that shows them.
  update(data, levels, window) {
    this.data = data;
    this.levels = levels;
    this.window = window;
    this.snippets = new Set(data.snippets);
    this.grounds = groundCount(this.root);
  }

  // The page's font size relative to the one that everything here is drawn for.
  get scale() {
    return parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  }

  x(at) {
    return Math.round(this.window.x(at, this.width) * 10) / 10;
  }

  // ---- rows and arcs ----------------------------------------------------------------------------------------------

  draw() {
    const { data, svg, window } = this;
    const [top, tall] = data.other ? ROWS.other : ROWS.chunks;
    const height = top + tall + 2;
    const layer = document.createDocumentFragment();
    this.width = this.root.clientWidth / this.scale;
    this.wide = this.width / window.span; // pixels per sentence
    this.crowded = this.wide < CROWDED;
    svg.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
    svg.setAttribute("width", this.width * this.scale);
    svg.setAttribute("height", height * this.scale);
    svg.classList.toggle("crowded", this.crowded);
    this.drawPattern(layer);
    this.under = svgEl("g", {}, layer);
    for (const [name, [at]] of Object.entries(ROWS)) {
      if (data.labels[name]) svgEl("text", { x: 0, y: at - 7, class: "label" }, layer, data.labels[name]);
    }
    this.drawSentences(layer);
    this.drawRow(layer, "minis", data.minis);
    this.drawRow(layer, "chunks", data.chunks);
    if (data.other) this.drawRow(layer, "other", data.other);
    const values = document.createDocumentFragment();
    this.drawFirst(layer, values);
    this.drawSecond(layer, values);
    layer.append(values);
    this.above = svgEl("g", {}, layer);
    this.over = svgEl("g", {}, layer);
    svg.replaceChildren(layer);
  }

  drawPattern(layer) {
    const pattern = svgEl("pattern", { id: "hatch", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, svgEl("defs", {}, layer));
    svgEl("path", { d: "M0 0V7", class: "hatching" }, pattern);
  }

  drawSentences(layer) {
    const { wide, window } = this;
    const { count } = this.data;
    const [top, tall] = ROWS.sentences;
    const last = Math.min(count, Math.ceil(window.to));
    const step = Math.max(1, Math.ceil(2 / wide));
    const numbered = wide > String(count).length * ROOM + 3;
    for (let sentence = Math.floor(window.from / step) * step; sentence < last; sentence += step) {
      const x = this.x(sentence);
      svgEl("rect", { x: x + 0.5, y: top, width: Math.max(0.5, wide * step - 1.5), height: tall, rx: Math.min(3, wide / 4), class: "block sentence", "data-row": "sentences", "data-at": sentence }, layer);
      if (numbered) svgEl("text", { x: x + wide / 2, y: top + tall - 7, class: "number" }, layer, sentence + 1);
    }
  }

  drawRow(layer, row, starts) {
    const [top, tall] = ROWS[row];
    const ends = [...starts.slice(1), this.data.count];
    for (const { part: number, left, right } of this.window.seenOf(starts, ends, this.width)) {
      const shape = { x: left + 0.75, y: top, width: Math.max(0.5, right - left - 1.5), height: tall, rx: Math.min(3, (right - left) / 4) };
      // A narrow block is all edge.
      const ground = number % this.grounds;
      const colour = right - left < 4 ? `fill: var(--edge-${ground})` : `fill: var(--ground-${ground}); stroke: var(--edge-${ground})`;
      svgEl("rect", { ...shape, class: "block", style: colour, "data-row": row, "data-at": number }, layer);
      if (row === "minis" && this.snippets.has(starts[number])) svgEl("rect", { ...shape, class: "hatched", fill: "url(#hatch)" }, layer);
      const [shown, until] = [Math.max(left, 0), Math.min(right, this.width)];
      if (until - shown > String(number + 1).length * ROOM + 4) svgEl("text", { x: (shown + until) / 2, y: top + tall / 2 + 4.5, class: "number" }, layer, number + 1);
    }
  }

  // Pass one: a small arc from every sentence to the next one if it joins, and the similarity of every pair.
  drawFirst(layer, values) {
    for (const one of this.levels[0]) {
      const at = one.right[0];
      if (at < this.window.from - 1 || at > this.window.to + 1) continue;
      this.drawArc(layer, one);
      if (this.wide > 4 * ROOM) svgEl("text", { x: this.x(at), y: ARCS.one + 26, class: `value ${one.outcome === "joined" ? "" : "below"}` }, values, one.value);
    }
  }

  // Pass two: an arc from the growing chunk's last mini-chunk to the one it takes in, and a post where it closes.
  drawSecond(layer, values) {
    const free = [-Infinity, -Infinity, -Infinity];
    for (const one of this.levels[1]) {
      if (one.right[1] < this.window.from || one.left[1] - 1 > this.window.to) continue;
      if (one.outcome === "not above") {
        // The row below shows the cuts anyway.
        if (this.crowded) continue;
        const seam = this.x(one.left[1]);
        const d = `M${seam} ${ROWS.minis[0] - 4}V${ROWS.chunks[0] - 22}`;
        svgEl("path", { d, class: "post" }, layer);
        svgEl("path", { d, class: "touch", "data-comparison": one.number }, layer);
        const said = `${one.value} closed`;
        const around = [one.left[0], one.right[1]].map((at) => Math.abs(this.x(at) - seam));
        if (Math.min(...around) > said.length * ROOM) this.drawValue(values, said, seam + (said.length * ROOM) / 2 + 5, ARCS.two + 62, free, 2, "below");
        continue;
      }
      const { left, right, top, depth } = this.drawArc(layer, one);
      if (this.crowded) continue;
      const words = `${one.value}${one.tried.length ? ` over ${one.tried.join(", ")}` : ""}${one.outcome === "joined" ? "" : " too long"}`;
      this.drawValue(values, words, (left + right) / 2, top + depth + 13, free, one.kind === "merging" ? 0 : 1, one.tried.length ? "over" : "");
    }
  }

  drawValue(layer, words, x, y, free, level, kind) {
    const half = (words.length * ROOM) / 2;
    if (x - half < free[level] + 4 || x - half < 0 || x + half > this.width) return;
    free[level] = x + half;
    svgEl("text", { x, y, class: `value ${kind}` }, layer, words);
  }

  drawArc(layer, one) {
    const place = this.arc(one);
    const d = hang(place);
    if (kindOf(one)) svgEl("path", { d, class: `arc ${kindOf(one)}` }, layer);
    if (!this.crowded) svgEl("path", { d, class: "touch", "data-comparison": one.number }, layer);
    return place;
  }

  // The position of a comparison's arc.
  arc(one) {
    const depth = DEPTHS[one.kind];
    const right = this.x((one.right[0] + one.right[1]) / 2);
    if (one.pass === 1) return { left: this.x(one.right[0] - 0.5), right, top: ARCS.one, depth };
    const { minis } = this.data;
    const last = firstWhere(minis.length, (number) => minis[number] >= one.left[1]) - 1;
    const [begin, end] = [Math.max(minis[last], one.left[0]), one.left[1]].map((at) => this.x(at));
    return { left: (begin + end) / 2 + Math.min(9, (end - begin) * 0.3), right, top: ARCS.two, depth };
  }

  // ---- over the rows ----------------------------------------------------------------------------------------------

  // Draw the stepper's step: its comparison and what it compares.
  drawStep(step) {
    this.under.replaceChildren();
    this.above.replaceChildren();
    if (!step) return;
    const one = this.data.comparisons[step.comparison];
    if (one) {
      const { left, right, top, depth } = this.drawNow(this.above, one);
      if (!one.decides) svgEl("text", { x: (left + right) / 2, y: top + depth + 13, class: "value" }, this.above, one.value);
    }
    const [top, tall] = one?.pass === 1 ? ROWS.sentences : ROWS.minis;
    for (const name of ["growing", "middle", "next"]) {
      if (!step[name]) continue;
      const [left, right] = step[name].map((at) => this.x(at));
      const layer = name === "next" ? this.above : this.under;
      svgEl("rect", { x: left, y: top - 4, width: Math.max(1, right - left), height: tall + 8, rx: 4, class: `band ${name}` }, layer);
    }
  }

  // Draw the item under the pointer, or chosen by keyboard: a block of a row or a comparison.
  drawItem(item) {
    this.over.replaceChildren();
    if (item?.comparison !== undefined) this.drawNow(this.over, this.data.comparisons[item.comparison]);
    const block = item?.row && this.svg.querySelector(`[data-row="${item.row}"][data-at="${item.at}"]`);
    if (!block) return;
    const copy = this.over.appendChild(block.cloneNode());
    copy.removeAttribute("style");
    copy.setAttribute("class", "chosen");
  }

  drawNow(layer, one) {
    const place = this.arc(one);
    svgEl("path", { d: hang(place), class: `now ${one.outcome === "joined" ? "" : "refused"}` }, layer);
    return place;
  }

  // ---- the legend, and the picture to save --------------------------------------------------------------------------

  // The signs that occur in this text, with their meanings.
  legend() {
    const arc = hang({ left: 3, right: 23, top: 1, depth: 8 });
    const signs = { merge: ["merged", arc], over: ["merged over a snippet, which is hatched", arc], long: ["alike, but too long together", arc], post: ["closed", "M13 0V12"] };
    const kinds = new Set(this.levels.flat().map((one) => kindOf(one)));
    return Object.entries(signs).filter(([kind]) => kinds.has(kind)).map(([kind, [words, d]]) => {
      const sample = svgEl("svg", { width: 26, height: 12, "aria-hidden": "true" });
      svgEl("path", { d, class: kind === "post" ? kind : `arc ${kind}` }, sample);
      const entry = el("span");
      entry.append(sample, words);
      return entry;
    });
  }

  // What is visible, as SVG with the current colours, on a `ground`.
  picture(ground) {
    const copy = this.svg.cloneNode(true);
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
