// The heatmap of the joint distance. The server sends the distances in meaning once; what the place adds is worked out here,
// so that another λ sends none of it again.

const MARGIN = 40; // pixels on the left and below for the numbers of sentences
const BAND = 9; // pixels of the chunks' colours along both edges
const DOT = 3; // pixels of a cell that can be seen alone
const SMALL = 12; // rows of a chunk whose cells would be lost among the others
const BEYOND = 0.4; // of the strength of a cell that is near enough, what one that is not has
const NOTHING = { growing: null, next: null, middle: null, gap: null };
const said = (value) => value.toFixed(2);

export default function (component) {
  const root = component.parentElement.querySelector(".heatmap");
  const view = (root.heatmap ??= new Heatmap(root));
  view.update(component);
  return () => view.rest();
}

class Heatmap {
  constructor(root) {
    this.root = root;
    this.title = root.appendChild(el("h2"));
    this.explained = root.appendChild(el("p"));
    this.map = root.appendChild(el("div", "map"));
    this.cells = this.map.appendChild(el("canvas"));
    this.over = this.map.appendChild(el("canvas"));
    this.map.tabIndex = 0;
    this.map.setAttribute("role", "group");
    this.legend = root.appendChild(el("div", "legend"));
    this.said = root.appendChild(el("div", "said"));
    this.message = root.appendChild(el("p", "message"));
    this.live = root.appendChild(el("div", "hidden"));
    this.live.setAttribute("aria-live", "polite");
    this.outer = null; // the step of another part of the page
    this.pinned = null;
    this.listen();
  }

  listen() {
    const on = {
      "seamark-matrix": () => this.component && this.update(this.component),
      "seamark-step": ({ detail }) => this.speaking || this.follow(detail),
    };
    for (const [name, act] of Object.entries(on)) globalThis.addEventListener(name, act);
    this.observer = new ResizeObserver(() => this.matrix && this.draw());
    this.observer.observe(this.map);
    this.leave = () => {
      for (const [name, act] of Object.entries(on)) globalThis.removeEventListener(name, act);
      this.observer.disconnect();
    };
    const { map } = this;
    map.addEventListener("pointermove", (event) => {
      this.pointed = this.cellAt(event);
      this.frame ??= requestAnimationFrame(() => {
        this.frame = null;
        if (!this.pointed) return;
        this.show(this.pointed);
        this.tell(this.stepOf(this.pointed));
      });
    });
    map.addEventListener("pointerleave", () => {
      this.pointed = null;
      this.relax();
    });
    map.addEventListener("click", (event) => {
      const cell = this.cellAt(event);
      if (cell) this.pin(cell);
    });
    map.addEventListener("keydown", (event) => this.key(event));
  }

  rest() {
    // Streamlit calls this between updates too: only a component that left the page lets go of its listeners.
    setTimeout(() => !this.root.isConnected && this.leave(), 1000);
  }

  update(component) {
    this.component = component;
    const data = (this.data = component.data);
    this.root.dataset.theme = isDark(this.root) ? "dark" : "light";
    const matrix = globalThis.seamarkMatrices?.get(data.matrix) ?? null;
    const other = matrix !== this.matrix;
    if (other) this.pinned = this.pointed = null;
    this.matrix = matrix;
    this.count = data.chunk_of.length;
    for (const node of [this.map, this.legend, this.said]) node.style.display = data.matrix ? "" : "none";
    this.message.style.display = data.matrix || !this.count ? "none" : "";
    this.message.textContent = `The heatmap compares every sentence with every other: there may be at most ${data.most.toLocaleString("en")}, and this text has ${this.count.toLocaleString("en")}.`;
    this.title.textContent = data.weight ? "Joint distance" : "Distance in meaning";
    const formula = data.weight ? `λ × place + (1 − λ) × meaning, λ ${round(data.weight)}` : "1 − cosine, and no more than 1";
    const averaged = data.block > 1 ? ` Each cell is the mean of ${data.block} × ${data.block} pairs of sentences.` : "";
    this.explained.textContent = `${formula}. The stronger a cell, the nearer its two sentences.${averaged}`;
    if (!matrix) return;
    this.middles = Array.from({ length: matrix.cells }, (_, row) => (this.range(row)[0] + this.range(row)[1] - 1) / 2);
    if (other) this.pinned = this.pairOf(this.outer);
    this.draw();
    const painted = Number(this.root.dataset.painted ?? 0) + 1;
    this.root.dataset.painted = String(painted);
    // Who stepped before there was a heatmap to show it in may step again.
    if (painted === 1) tell("seamark-reader");
  }

  // ---- numbers --------------------------------------------------------------------------------------------------

  row(sentence) {
    return Math.min(this.matrix.cells - 1, Math.floor(sentence / this.data.block));
  }

  // The sentences of a row, half-open.
  range(row) {
    return [row * this.data.block, Math.min(this.count, (row + 1) * this.data.block)];
  }

  // The mean of |a - b| / n over the pairs of two rows.
  place(one, other) {
    if (one !== other) return Math.abs(this.middles[one] - this.middles[other]) / this.count;
    const [first, last] = this.range(one);
    return ((last - first) ** 2 - 1) / (3 * (last - first)) / this.count;
  }

  meaning(one, other) {
    return this.matrix.meaning[one * this.matrix.cells + other] / 65535;
  }

  distance(one, other) {
    const { weight } = this.data;
    return weight * this.place(one, other) + (1 - weight) * this.meaning(one, other);
  }

  // ---- the map --------------------------------------------------------------------------------------------------

  draw() {
    const style = getComputedStyle(this.root);
    this.colour = (name) => style.getPropertyValue(`--${name}`).trim();
    this.font = style.fontFamily;
    this.side = this.map.clientWidth - MARGIN;
    if (this.side <= 0) return;
    const pen = fit(this.cells);
    const { cells } = this.matrix;
    const image = new ImageData(cells, cells);
    const near = ramp(this.colour("page"), this.colour("ink"));
    const inChunk = Array.from({ length: 8 }, (_, index) => ramp(this.colour("page"), this.colour(`edge-${index}`), 0.3));
    const owner = this.owners();
    const level = this.data.line?.[1] ?? 1;
    const pixels = new Uint32Array(image.data.buffer);
    for (let one = 0, at = 0; one < cells; one++) {
      for (let other = 0; other < cells; other++, at++) {
        const distance = this.distance(one, other);
        const strength = distance <= level ? 1 - distance : BEYOND * (1 - distance);
        pixels[at] = owner[at] >= 0 ? inChunk[owner[at]][Math.round((1 - distance) * 255)] : near[Math.round(strength * 255)];
      }
    }
    const small = Object.assign(document.createElement("canvas"), { width: cells, height: cells });
    small.getContext("2d").putImageData(image, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(small, MARGIN, 0, this.side, this.side);
    this.drawPairs(pen);
    this.drawBands(pen);
    this.drawTicks(pen);
    this.drawLegend();
    this.show(this.pointed ?? this.pinned);
  }

  // The rows of every chunk.
  rows() {
    const rows = this.data.grounds.map(() => new Set());
    this.data.chunk_of.forEach((chunk, sentence) => rows[chunk].add(this.row(sentence)));
    return rows;
  }

  // The colour of every cell some of whose pairs are in one chunk, -1 for the others.
  owners() {
    const { cells } = this.matrix;
    const owner = new Int8Array(cells * cells).fill(-1);
    this.rows().forEach((own, chunk) => {
      for (const one of own) for (const other of own) owner[one * cells + other] = this.data.grounds[chunk];
    });
    return owner;
  }

  // Where cells are too small to be seen alone, the few of a small chunk are drawn larger than they are.
  drawPairs(pen) {
    const size = this.side / this.matrix.cells;
    if (size >= DOT) return;
    this.rows().forEach((own, chunk) => {
      if (own.size > SMALL) return;
      pen.fillStyle = this.colour(`edge-${this.data.grounds[chunk]}`);
      for (const one of own) for (const other of own) pen.fillRect(MARGIN + (other + 0.5) * size - DOT / 2, (one + 0.5) * size - DOT / 2, DOT, DOT);
    });
  }

  // Where a sentence begins, in pixels from the corner.
  at(sentence) {
    return (sentence / this.count) * this.side;
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
    pen.font = `11px ${this.font}`;
    for (let number = step === 1 ? 1 : step; number <= this.count; number += step) {
      const middle = this.at(number - 0.5);
      pen.textAlign = "right";
      pen.textBaseline = "middle";
      pen.fillText(String(number), MARGIN - BAND - 6, Math.min(Math.max(middle, 6), this.side - 6));
      pen.textAlign = "center";
      pen.textBaseline = "top";
      pen.fillText(String(number), MARGIN + Math.min(middle, this.side - 12), this.side + BAND + 6);
    }
    const rows = `${this.count.toLocaleString("en")} sentences with each other`;
    this.map.setAttribute("aria-label", `Heatmap of ${rows}: arrows go from cell to cell, Enter to the one sentence in the text and again to the other`);
  }

  drawLegend() {
    const { line } = this.data;
    const swatch = (background, words, className = "") => {
      const item = el("span");
      const box = item.appendChild(el("i", className));
      box.style.background = background;
      item.append(words);
      return item;
    };
    const items = [swatch("linear-gradient(to right, var(--ink), var(--page))", "0 to 1", "ramp")];
    if (line) items.push(swatch("color-mix(in srgb, var(--ink) 16%, var(--page))", `paler: beyond ${line[0]} ${round(line[1])}`));
    items.push(swatch("linear-gradient(135deg, var(--edge-0) 50%, var(--edge-1) 50%)", "in one chunk, in its colour"));
    this.legend.replaceChildren(...items);
  }

  cellAt(event) {
    if (!this.matrix) return null;
    const box = this.map.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left - MARGIN, event.clientY - box.top];
    if (x < 0 || y < 0 || x >= this.side || y >= this.side) return null;
    return [this.row((y / this.side) * this.count), this.row((x / this.side) * this.count)];
  }

  // ---- the pair that is looked at -------------------------------------------------------------------------------

  // Mark the cell of two rows and say what it is.
  show(cell, aloud = false) {
    const pen = fit(this.over);
    this.shown = cell;
    if (!cell) return this.said.replaceChildren(el("span", "parts", "Point at a cell, and its two sentences are marked in the text; click, and they come into sight."));
    const ranges = cell.map((row) => this.range(row));
    const [[top, bottom], [left, right]] = ranges.map((range) => range.map((sentence) => this.at(sentence)));
    pen.fillStyle = pen.strokeStyle = this.colour("accent");
    pen.globalAlpha = 0.45;
    pen.fillRect(MARGIN, (top + bottom) / 2 - 0.5, this.side, 1);
    pen.fillRect(MARGIN + (left + right) / 2 - 0.5, 0, 1, this.side);
    pen.globalAlpha = 1;
    pen.lineWidth = 2;
    pen.strokeRect(MARGIN + left - 2, top - 2, right - left + 4, bottom - top + 4);
    this.say(cell, ranges, aloud);
  }

  say([one, other], ranges, aloud) {
    const { weight, line, chunk_of, block } = this.data;
    const names = ranges.map(([first, last]) => (last - first > 1 ? `${first + 1}–${last}` : String(first + 1)));
    const [place, meaning] = [this.place(one, other), this.meaning(one, other)];
    const distance = this.distance(one, other);
    const mean = block > 1 ? "mean " : "";
    const parts = weight ? `place ${said(weight * place)} (${round(weight)} × ${said(place)}) + meaning ${said((1 - weight) * meaning)} (${round(1 - weight)} × ${said(meaning)})` : "";
    const reach = line && block === 1 ? (distance <= line[1] ? `, within ${line[0]} ${round(line[1])}` : `, beyond ${line[0]} ${round(line[1])}`) : "";
    const chunks = [...new Set(ranges.flatMap(([first, last]) => chunk_of.slice(first, last)))].sort((a, b) => a - b).map((chunk) => chunk + 1);
    const where = chunks.length > 1 ? `chunks ${chunks.slice(0, -1).join(", ")} and ${chunks[chunks.length - 1]}` : `${one === other && block === 1 ? "" : "both "}in chunk ${chunks[0]}`;
    const same = one === other && block === 1;
    const head = same ? `Sentence ${names[0]}` : `Sentences ${names[0]} and ${names[1]}`;
    const line1 = el("div");
    line1.append(el("b", "", head), same ? ` · ${where}` : ` · ${mean}distance ${said(distance)}${reach} · ${where}`);
    const buttons = el("div");
    for (const [name, [first]] of new Map(names.map((name, index) => [name, ranges[index]]))) {
      const button = buttons.appendChild(el("button", "", `sentence ${name}`));
      button.addEventListener("click", () => this.jump(first));
    }
    this.said.replaceChildren(line1, el("div", "parts", same ? "" : parts && `= ${parts}`), buttons);
    if (aloud) this.live.textContent = `${head}, ${same ? where : `${mean}distance ${said(distance)}${reach}, ${where}`}`;
  }

  pin(cell, aloud = false) {
    this.pinned = cell;
    this.outer = null;
    this.show(cell, aloud);
    this.tell({ ...this.stepOf(cell), still: false });
  }

  // What was looked at before the pointer came.
  relax() {
    if (this.matrix) this.show(this.pinned);
    this.tell(this.outer ?? (this.pinned ? this.stepOf(this.pinned) : { ...NOTHING, still: true }));
  }

  // The step that marks two rows in the text, which stays where it is.
  stepOf([one, other]) {
    return { ...NOTHING, growing: this.range(one), next: one === other ? null : this.range(other), still: true };
  }

  jump(sentence) {
    tell("seamark-jump", { sentence });
  }

  tell(step) {
    this.speaking = true;
    tell("seamark-step", step);
    this.speaking = false;
  }

  // Another part of the page speaks of two sentences.
  follow(step) {
    this.outer = step.growing || step.next ? { ...step, still: true } : null;
    const pair = this.pairOf(this.outer);
    if (!pair) return;
    this.pinned = pair;
    this.show(pair);
  }

  // The rows of the two sentences of a step, if it is about two.
  pairOf(step) {
    return this.matrix && step?.growing && step.next ? [this.row(step.growing[0]), this.row(step.next[0])] : null;
  }

  key(event) {
    if (!this.matrix || event.target !== this.map || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = event.shiftKey ? 10 : 1;
    const step = { ArrowUp: [-by, 0], ArrowDown: [by, 0], ArrowLeft: [0, -by], ArrowRight: [0, by] }[event.key];
    if (event.key === "Enter" && this.shown) {
      this.turn = !this.turn;
      this.jump(this.range(this.shown[this.turn ? 0 : 1])[0]);
    } else if (step) {
      this.turn = false;
      const last = this.matrix.cells - 1;
      this.pin((this.pinned ?? [0, 0]).map((row, axis) => Math.max(0, Math.min(last, row + step[axis]))), true);
    } else return;
    event.preventDefault();
  }
}

// 256 steps from one colour to another, as a canvas keeps its pixels; the first is `least` of the way.
function ramp(from, to, least = 0) {
  const [a, b] = [from, to].map((colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));
  return Uint32Array.from({ length: 256 }, (_, step) => {
    const part = least + (1 - least) * (step / 255);
    const [red, green, blue] = a.map((value, channel) => Math.round(value + (b[channel] - value) * part));
    return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  });
}

function round(value) {
  return String(Number(value.toFixed(3)));
}

function fit(canvas) {
  const scale = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth * scale, canvas.clientHeight * scale].map(Math.round);
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}
