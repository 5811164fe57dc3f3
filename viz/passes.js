// The rows of a double pass on one axis of sentences: sentences, what pass one leaves, what pass two leaves, and another
// chunker's chunks; between them an arc for every merge. What is in the window is drawn, anew whenever the window moves.

const CLOSEST = 8; // sentences that fill the axis at the most
const AT_FIRST = 32; // sentences in the window of a text of more than MOST
const MOST = 48; // sentences that are all shown at first
const ROOM = 7; // pixels that a digit takes
const CROWDED = 8; // pixels of a sentence below which arcs can be told apart no more: they are thin, and neither named nor touched
const ROWS = { sentences: [20, 22], minis: [104, 24], chunks: [216, 24], other: [270, 20] }; // top and height
const ARCS = { one: ROWS.sentences[0] + ROWS.sentences[1] + 2, two: ROWS.minis[0] + ROWS.minis[1] + 2 };
const DEPTHS = { initial: 12, appending: 12, merging: 22, "over a snippet": 46, "over two snippets": 58 };
const KEPT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "paint-order", "text-anchor", "font-size", "font-weight", "font-family"];
const SVG = "http://www.w3.org/2000/svg";

export default function (component) {
  const root = component.parentElement.querySelector(".passes");
  const passes = (root.passes ??= new Passes(root));
  passes.update(component.data);
  return () => passes.rest();
}

const range = (first, last) => (last - first === 1 ? `sentence ${first + 1}` : `sentences ${first + 1} to ${last}`);
const capital = (word) => word[0].toUpperCase() + word.slice(1);
// How an arc hangs from `left` to `right`.
const hang = (left, right, top, depth) => `M${left} ${top}C${left} ${top + depth * 1.33} ${right} ${top + depth * 1.33} ${right} ${top}`;

// How a decision is drawn.
function kindOf(one) {
  if (one.outcome === "too long") return "long";
  if (one.outcome === "not above") return one.pass === 2 ? "post" : "";
  return one.kind.startsWith("over") ? "over" : "merge";
}

class Passes {
  constructor(root) {
    this.root = root;
    root.append(el("h1"), el("p", "summary"));
    this.message = root.appendChild(el("div", "message"));
    this.body = root.appendChild(el("div"));
    const bar = this.body.appendChild(el("div", "bar"));
    this.legend = bar.appendChild(el("span", "legend"));
    this.zooming = bar.appendChild(el("span", "zooming"));
    this.rows = this.body.appendChild(el("div", "rows"));
    this.svg = this.rows.appendChild(document.createElementNS(SVG, "svg"));
    this.svg.setAttribute("aria-hidden", "true");
    this.overview = this.body.appendChild(el("div", "overview"));
    this.seen = this.overview.appendChild(el("div"));
    this.said = this.body.appendChild(el("div", "said"));
    this.live = root.appendChild(el("div", "hidden"));
    this.live.setAttribute("aria-live", "polite");
    this.from = 0;
    this.to = 1;
    this.buildZooming();
    this.buildPointer();
    this.rows.tabIndex = 0;
    this.rows.setAttribute("role", "group");
    this.rows.addEventListener("keydown", (event) => this.key(event));
    this.observer = new ResizeObserver(() => this.data && this.redraw());
    this.observer.observe(root);
    this.onStep = (event) => this.showStep(event.detail);
    globalThis.addEventListener("seamark-step", this.onStep);
  }

  rest() {
    // Streamlit calls this between updates too: only rows that left the page let go of their listeners.
    setTimeout(() => {
      if (this.root.isConnected) return;
      globalThis.removeEventListener("seamark-step", this.onStep);
      this.observer.disconnect();
    }, 1000);
  }

  update(data) {
    this.root.dataset.theme = isDark(this.root) ? "dark" : "light";
    this.root.querySelector("h1").textContent = data.title;
    this.root.querySelector(".summary").textContent = data.summary;
    this.message.textContent = data.message;
    this.message.className = `message ${data.tone}`;
    this.message.style.display = data.message ? "" : "none";
    this.body.style.display = data.made ? "" : "none";
    if (this.made === data.made && this.source === data.source) return;
    const first = !this.data;
    this.made = data.made;
    this.data = data.made ? JSON.parse(data.made) : null;
    if (!this.data) return;
    const { count, comparisons } = this.data;
    this.snippets = new Set(this.data.snippets);
    if (this.source !== data.source) {
      this.source = data.source;
      this.item = null;
      this.from = 0;
      this.to = count > MOST ? AT_FIRST : count;
    }
    const deciding = comparisons.map((one, number) => ({ ...one, number })).filter((one) => one.decides);
    this.levels = [deciding.filter((one) => one.pass === 1), deciding.filter((one) => one.pass === 2)];
    const words = this.levels.map((level) => `${level.filter((one) => one.outcome === "joined").length} of ${level.length}`);
    this.rows.setAttribute("aria-label", `The two passes: pass one joined ${words[0]}, pass two ${words[1]}. Left and right go along the decisions, up and down from pass to pass, Enter shows one in the text.`);
    this.drawLegend();
    this.draw();
    // Who stepped before there were rows may step again.
    if (first) tell("seamark-reader");
    this.root.dataset.painted = String(Number(this.root.dataset.painted ?? 0) + 1);
  }

  // ---- the window -------------------------------------------------------------------------------------------------

  get count() {
    return Math.max(1, this.data?.count ?? 1);
  }

  // How large the type of the page is, compared with the pixels that everything here is drawn in.
  get scale() {
    return parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  }

  get zoomed() {
    return this.to - this.from < this.count;
  }

  // What occurs in this text, and its sign.
  drawLegend() {
    const arc = hang(3, 23, 1, 8);
    const signs = { merge: ["merged", arc], over: ["merged over a snippet, which is hatched", arc], long: ["alike, but too long together", arc], post: ["closed", "M13 0V12"] };
    const kinds = new Set(this.levels.flat().map((one) => kindOf(one)));
    const entries = Object.entries(signs).filter(([kind]) => kinds.has(kind)).map(([kind, [words, d]]) => {
      const sample = this.make("svg", { width: 26, height: 12, "aria-hidden": "true" });
      this.make("path", { d, class: kind === "post" ? kind : `arc ${kind}` }, sample);
      const entry = el("span");
      entry.append(sample, words);
      return entry;
    });
    this.legend.replaceChildren(...entries);
  }

  buildZooming() {
    const button = (sign, name, act) => {
      const made = this.zooming.appendChild(el("button", "", sign));
      made.setAttribute("aria-label", name);
      made.title = name;
      made.addEventListener("click", act);
      return made;
    };
    this.closer = button("+", "Zoom in (key +, or Ctrl and the wheel)", () => this.zoom(0.5));
    this.further = button("−", "Zoom out (key −)", () => this.zoom(2));
    this.all = button("all", "Show the whole text (key 0)", () => this.show(0, this.count));
    this.save = button("SVG", "Save the rows as SVG", () => this.download());
    this.rows.addEventListener("wheel", (event) => {
      // The wheel alone scrolls the page; sideways it goes along the text.
      const sideways = event.shiftKey ? event.deltaY : event.deltaX;
      if (event.ctrlKey || event.metaKey) this.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.006), this.at(event));
      else if (this.zoomed && Math.abs(sideways) > Math.abs(event.shiftKey ? event.deltaX : event.deltaY)) this.pan((sideways / this.rows.clientWidth) * (this.to - this.from));
      else return;
      event.preventDefault();
    }, { passive: false });
    const centre = (event) => {
      const half = (this.to - this.from) / 2;
      const box = this.overview.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * this.count;
      this.show(at - half, at + half);
    };
    this.overview.setAttribute("role", "img");
    this.overview.addEventListener("pointerdown", (event) => {
      this.overview.setPointerCapture(event.pointerId);
      centre(event);
    });
    this.overview.addEventListener("pointermove", (event) => {
      if (this.overview.hasPointerCapture(event.pointerId)) centre(event);
    });
  }

  show(from, to) {
    const span = Math.min(this.count, Math.max(CLOSEST, to - from));
    const left = Math.max(0, Math.min(this.count - span, from));
    if (left === this.from && left + span === this.to) return;
    [this.from, this.to] = [left, left + span];
    this.redraw();
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    const span = Math.min(this.count, Math.max(CLOSEST, (this.to - this.from) * factor));
    const from = at - ((at - this.from) / (this.to - this.from)) * span;
    this.show(from, from + span);
  }

  pan(sentences) {
    this.show(this.from + sentences, this.to + sentences);
  }

  // Bring a place into the window: along with a walk, or to the middle from afar.
  reveal(at) {
    const span = this.to - this.from;
    const edge = span / 8;
    if (at < this.from - span || at > this.to + span) this.show(at - span / 2, at + span / 2);
    else if (at < this.from + edge) this.show(at - edge, at - edge + span);
    else if (at > this.to - edge) this.show(at + edge - span, at + edge);
  }

  redraw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (this.data) this.draw();
    });
  }

  at(event) {
    const box = this.rows.getBoundingClientRect();
    return this.from + ((event.clientX - box.left) / box.width) * (this.to - this.from);
  }

  x(at) {
    return Math.round(((at - this.from) / (this.to - this.from)) * this.width * 10) / 10;
  }

  // ---- drawing ----------------------------------------------------------------------------------------------------

  make(tag, attributes, parent, text) {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    parent?.append(node);
    return node;
  }

  draw() {
    const { data } = this;
    const [top, tall] = data.other ? ROWS.other : ROWS.chunks;
    const height = top + tall + 2;
    const layer = document.createDocumentFragment();
    this.width = this.rows.clientWidth / this.scale;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
    this.svg.setAttribute("width", this.width * this.scale);
    this.svg.setAttribute("height", height * this.scale);
    this.crowded = this.width / (this.to - this.from) < CROWDED;
    this.svg.classList.toggle("crowded", this.crowded);
    this.drawPattern(layer);
    this.under = this.make("g", {}, layer);
    for (const [name, [at]] of Object.entries(ROWS)) {
      if (data.labels[name]) this.make("text", { x: 0, y: at - 7, class: "label" }, layer, data.labels[name]);
    }
    this.drawSentences(layer);
    this.drawRow(layer, "minis", data.minis);
    this.drawRow(layer, "chunks", data.chunks);
    if (data.other) this.drawRow(layer, "other", data.other);
    const values = document.createDocumentFragment();
    this.drawFirst(layer, values);
    this.drawSecond(layer, values);
    layer.append(values);
    this.above = this.make("g", {}, layer);
    this.over = this.make("g", {}, layer);
    this.svg.replaceChildren(layer);
    this.drawStep();
    this.drawItem();
    this.drawOverview();
  }

  drawPattern(layer) {
    const pattern = this.make("pattern", { id: "hatch", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, this.make("defs", {}, layer));
    this.make("path", { d: "M0 0V7", class: "hatching" }, pattern);
  }

  drawSentences(layer) {
    const { count } = this.data;
    const wide = this.width / (this.to - this.from);
    const [top, tall] = ROWS.sentences;
    const last = Math.min(count, Math.ceil(this.to));
    const step = Math.max(1, Math.ceil(2 / wide));
    const numbered = wide > String(count).length * ROOM + 3;
    for (let sentence = Math.floor(this.from / step) * step; sentence < last; sentence += step) {
      const x = this.x(sentence);
      this.make("rect", { x: x + 0.5, y: top, width: Math.max(0.5, wide * step - 1.5), height: tall, rx: Math.min(3, wide / 4), class: "block sentence", "data-row": "sentences", "data-at": sentence }, layer);
      if (numbered) this.make("text", { x: x + wide / 2, y: top + tall - 7, class: "number" }, layer, sentence + 1);
    }
  }

  drawRow(layer, row, starts) {
    const [top, tall] = ROWS[row];
    const end = (number) => starts[number + 1] ?? this.count;
    let painted = -Infinity;
    for (let number = firstWhere(starts.length, (one) => end(one) > this.from); number < starts.length && starts[number] < this.to; number++) {
      const x = this.x(starts[number]);
      const right = this.x(end(number));
      // Of many blocks in one pixel the first stands for all.
      if (right <= painted) continue;
      if (right - x < 1.5) painted = Math.floor(x) + 1.5;
      const shape = { x: x + 0.75, y: top, width: Math.max(0.5, right - x - 1.5), height: tall, rx: Math.min(3, (right - x) / 4) };
      // A narrow block is all edge.
      const colour = right - x < 4 ? `fill: var(--edge-${number % 8})` : `fill: var(--ground-${number % 8}); stroke: var(--edge-${number % 8})`;
      this.make("rect", { ...shape, class: "block", style: colour, "data-row": row, "data-at": number }, layer);
      if (row === "minis" && this.snippets.has(starts[number])) this.make("rect", { ...shape, class: "hatched", fill: "url(#hatch)" }, layer);
      const [shown, until] = [Math.max(x, 0), Math.min(right, this.width)];
      if (until - shown > String(number + 1).length * ROOM + 4) this.make("text", { x: (shown + until) / 2, y: top + tall / 2 + 4.5, class: "number" }, layer, number + 1);
    }
  }

  // Pass one: a small arc from every sentence to the next that joins it, and the similarity of all.
  drawFirst(layer, values) {
    const wide = this.width / (this.to - this.from);
    for (const one of this.levels[0]) {
      const at = one.right[0];
      if (at < this.from - 1 || at > this.to + 1) continue;
      this.drawArc(layer, one);
      if (wide > 4 * ROOM) this.make("text", { x: this.x(at), y: ARCS.one + 26, class: `value ${one.outcome === "joined" ? "" : "below"}` }, values, one.value);
    }
  }

  // Pass two: arcs from the last mini-chunk of the growing chunk to the one that it takes in, and a post where it closes.
  drawSecond(layer, values) {
    const free = [-Infinity, -Infinity, -Infinity];
    for (const one of this.levels[1]) {
      if (one.right[1] < this.from || one.left[1] - 1 > this.to) continue;
      if (one.outcome === "not above") {
        // The row below shows the cuts, too.
        if (this.crowded) continue;
        const seam = this.x(one.left[1]);
        this.make("path", { d: `M${seam} ${ROWS.minis[0] - 4}V${ROWS.chunks[0] - 22}`, class: "post" }, layer);
        this.make("path", { d: `M${seam} ${ROWS.minis[0] - 4}V${ROWS.chunks[0] - 22}`, class: "touch", "data-comparison": one.number }, layer);
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
    this.make("text", { x, y, class: `value ${kind}` }, layer, words);
  }

  drawArc(layer, one) {
    const place = this.arc(one);
    const d = hang(...Object.values(place));
    if (kindOf(one)) this.make("path", { d, class: `arc ${kindOf(one)}` }, layer);
    if (!this.crowded) this.make("path", { d, class: "touch", "data-comparison": one.number }, layer);
    return place;
  }

  // Where the arc of a comparison hangs.
  arc(one) {
    const depth = DEPTHS[one.kind];
    const right = this.x((one.right[0] + one.right[1]) / 2);
    if (one.pass === 1) return { left: this.x(one.right[0] - 0.5), right, top: ARCS.one, depth };
    const { minis } = this.data;
    const last = firstWhere(minis.length, (number) => minis[number] >= one.left[1]) - 1;
    const [begin, end] = [Math.max(minis[last], one.left[0]), one.left[1]].map((at) => this.x(at));
    return { left: (begin + end) / 2 + Math.min(9, (end - begin) * 0.3), right, top: ARCS.two, depth };
  }

  drawOverview() {
    for (const button of [this.closer, this.further, this.all]) button.style.display = this.count > CLOSEST * 2 ? "" : "none";
    this.closer.disabled = this.to - this.from <= CLOSEST;
    this.further.disabled = this.all.disabled = !this.zoomed;
    this.overview.style.display = this.zoomed ? "" : "none";
    this.rows.classList.toggle("zoomed", this.zoomed);
    this.seen.style.left = `${(this.from / this.count) * 100}%`;
    this.seen.style.width = `${((this.to - this.from) / this.count) * 100}%`;
    const words = `sentences ${Math.floor(this.from) + 1} to ${Math.ceil(this.to)} of ${this.count} are seen`;
    this.overview.setAttribute("aria-label", words);
    this.overview.title = words;
  }

  // Save what is seen, with the colours that it has here.
  download() {
    const copy = this.svg.cloneNode(true);
    const copies = copy.querySelectorAll("*");
    this.svg.querySelectorAll("*").forEach((node, number) => {
      const style = getComputedStyle(node);
      for (const name of KEPT) copies[number].style.setProperty(name, style.getPropertyValue(name));
    });
    for (const touch of copy.querySelectorAll(".touch")) touch.remove();
    copy.style.background = getComputedStyle(this.root).getPropertyValue("--page");
    const link = el("a");
    link.href = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
    link.download = "seamark-double-pass.svg";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // ---- the step of the stepper --------------------------------------------------------------------------------------

  showStep(step) {
    this.step = step;
    if (!this.data) return;
    if (step.gap !== null) this.reveal(step.gap + 1);
    this.drawStep();
  }

  drawStep() {
    this.under.replaceChildren();
    this.above.replaceChildren();
    const { step } = this;
    if (!step) return;
    const one = this.data.comparisons[step.comparison];
    const [top, tall] = one?.pass === 1 ? ROWS.sentences : ROWS.minis;
    const band = (sentences, name) => {
      if (!sentences) return;
      const [left, right] = sentences.map((at) => this.x(at));
      const layer = name === "next" ? this.above : this.under;
      this.make("rect", { x: left, y: top - 4, width: Math.max(1, right - left), height: tall + 8, rx: 4, class: `band ${name}` }, layer);
    };
    if (one) {
      const place = this.arc(one);
      this.make("path", { d: hang(...Object.values(place)), class: `now ${one.outcome === "joined" ? "" : "refused"}` }, this.above);
      if (!one.decides) this.make("text", { x: (place.left + place.right) / 2, y: place.top + place.depth + 13, class: "value" }, this.above, one.value);
    }
    band(step.growing, "growing");
    band(step.middle, "middle");
    band(step.next, "next");
  }

  // ---- the item under the pointer, or chosen by keyboard --------------------------------------------------------------

  // An item is a block of a row or a comparison: what it is about, in sentences and in words.
  describe(item) {
    const { data } = this;
    if (item.comparison !== undefined) {
      const one = data.comparisons[item.comparison];
      return { ranges: [one.compared, one.right], words: one.words, sentence: one.right[0], step: item.comparison };
    }
    const { row, at } = item;
    if (row === "sentences") return { ranges: [[at, at + 1]], words: `Sentence ${at + 1}.`, sentence: at };
    const starts = data[row];
    const [first, last] = [Math.floor(starts[at]), Math.ceil(starts[at + 1] ?? this.count)];
    const snippet = row === "minis" && this.snippets.has(first) ? ", a snippet that pass two merged over" : "";
    return { ranges: [[first, last]], words: `${data.names[row]} ${at + 1}: ${range(first, last)}${snippet}.`, sentence: first };
  }

  choose(item, aloud = false) {
    if (JSON.stringify(item) === JSON.stringify(this.item)) return;
    this.item = item;
    const told = item ? this.describe(item) : { ranges: [], words: "" };
    this.said.textContent = told.words;
    if (aloud) this.live.textContent = told.words;
    this.drawItem();
    tell("seamark-mark", { ranges: told.ranges });
  }

  drawItem() {
    this.over.replaceChildren();
    const { item } = this;
    if (!item) return;
    if (item.comparison !== undefined) {
      const one = this.data.comparisons[item.comparison];
      this.make("path", { d: hang(...Object.values(this.arc(one))), class: `now ${one.outcome === "joined" ? "" : "refused"}` }, this.over);
      return;
    }
    const block = this.svg.querySelector(`[data-row="${item.row}"][data-at="${item.at}"]`);
    if (!block) return;
    const copy = this.over.appendChild(block.cloneNode());
    copy.removeAttribute("style");
    copy.setAttribute("class", "chosen");
  }

  // Show it in the text, and let the stepper go there.
  go(item) {
    const { sentence, step } = this.describe(item);
    tell("seamark-jump", { sentence });
    if (step !== undefined) tell("seamark-go", { at: step });
  }

  itemAt(event) {
    const { dataset } = event.target;
    if (dataset?.comparison) return { comparison: Number(dataset.comparison) };
    return dataset?.row ? { row: dataset.row, at: Number(dataset.at) } : null;
  }

  buildPointer() {
    const { rows } = this;
    rows.addEventListener("pointerdown", (event) => {
      this.panned = false;
      if (this.zoomed && !event.button) this.held = { x: event.clientX, from: this.from };
    });
    rows.addEventListener("pointermove", (event) => {
      if (!this.held) return this.choose(this.itemAt(event));
      const away = event.clientX - this.held.x;
      // A hand that clicks trembles: only beyond a few pixels is it a drag.
      if (!this.panned && Math.abs(away) < 4) return;
      if (!this.panned) rows.setPointerCapture(event.pointerId);
      this.panned = true;
      const span = this.to - this.from;
      const from = this.held.from - (away / this.rows.clientWidth) * span;
      this.show(from, from + span);
    });
    for (const name of ["pointerup", "pointercancel"]) rows.addEventListener(name, () => (this.held = null));
    rows.addEventListener("pointerleave", () => this.choose(null));
    rows.addEventListener("click", (event) => {
      const item = this.itemAt(event);
      if (item && !this.panned) this.go(item);
      this.panned = false;
    });
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.data) return;
    const at = this.item?.comparison;
    const level = at === undefined ? (this.levels[1].length ? 1 : 0) : this.data.comparisons[at].pass - 1;
    const walk = this.levels[level];
    const here = at === undefined ? -1 : walk.findIndex((one) => one.number === at);
    const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: walk.length - 1 }[event.key];
    const other = { ArrowUp: 0, ArrowDown: 1 }[event.key];
    let chosen;
    if (to !== undefined) chosen = walk[Math.max(0, Math.min(walk.length - 1, to))];
    else if (other !== undefined) {
      const gap = at === undefined ? 0 : this.data.comparisons[at].left[1];
      const next = this.levels[other];
      chosen = other === level && at !== undefined ? undefined : next[Math.min(next.length - 1, firstWhere(next.length, (one) => next[one].left[1] >= gap))];
    } else if (event.key === "+" || event.key === "=") this.zoom(0.5);
    else if (event.key === "-") this.zoom(2);
    else if (event.key === "0") this.show(0, this.count);
    else if (event.key === "Enter" && this.item) this.go(this.item);
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (!chosen) return;
    this.reveal(chosen.left[1]);
    if (this.frame) {
      cancelAnimationFrame(this.frame);
      this.frame = null;
      this.draw();
    }
    this.choose({ comparison: chosen.number }, true);
  }
}
