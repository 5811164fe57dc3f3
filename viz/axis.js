// The axis: one window of the text, seen as a strip for every column, as the curve with its lines, and as one cursor.

const CLOSEST = 8; // sentences that fill the axis at the most
const WORTH_ZOOMING = 24; // sentences below which the axis has no buttons

class Axis {
  constructor(reader) {
    this.reader = reader;
    this.root = reader.root.appendChild(el("div", "axis"));
    this.strips = this.root.appendChild(el("div"));
    const bar = this.root.appendChild(el("div", "bar"));
    this.curveLabel = bar.appendChild(el("span"));
    this.legend = bar.appendChild(el("span", "legend"));
    this.zooming = bar.appendChild(el("span", "zooming"));
    this.plot = this.root.appendChild(el("div", "plot"));
    this.canvas = this.plot.appendChild(el("canvas"));
    this.overview = this.root.appendChild(el("div", "overview"));
    this.seen = this.overview.appendChild(el("div"));
    this.cursor = this.root.appendChild(el("div", "cursor"));
    this.rings = [0, 1].map(() => this.plot.appendChild(el("div", "ring")));
    this.said = this.root.appendChild(el("div", "said"));
    this.handles = [];
    this.lines = [];
    this.curve = null;
    this.from = 0;
    this.to = 1;
    this.buildZooming();
    this.buildPlot();
  }

  get count() {
    return Math.max(1, this.reader.sentences);
  }

  // ---- the window -----------------------------------------------------------------------------------------------

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
    this.root.addEventListener("wheel", (event) => {
      // The wheel alone scrolls the page; sideways it goes along the text.
      const sideways = event.shiftKey ? event.deltaY : event.deltaX;
      if (event.ctrlKey || event.metaKey) this.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.006), this.at(event));
      else if (this.zoomed && Math.abs(sideways) > Math.abs(event.shiftKey ? event.deltaX : event.deltaY)) this.pan((sideways / this.width) * (this.to - this.from));
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

  get zoomed() {
    return this.to - this.from < this.count;
  }

  get width() {
    return this.plot.clientWidth || this.strips.clientWidth;
  }

  show(from, to) {
    const span = Math.min(this.count, Math.max(CLOSEST, to - from));
    this.from = Math.max(0, Math.min(this.count - span, from));
    this.to = this.from + span;
    this.redraw();
  }

  // Around the pointer, or the gap that is looked at, or the middle.
  zoom(factor, at = this.cursorAt >= this.from && this.cursorAt <= this.to ? this.cursorAt : (this.from + this.to) / 2) {
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
    const edge = span / 10;
    if (at < this.from - span || at > this.to + span) this.show(at - span / 2, at + span / 2);
    else if (at < this.from + edge) this.show(at - edge, at - edge + span);
    else if (at > this.to - edge) this.show(at + edge - span, at + edge);
  }

  redraw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.draw();
    });
  }

  at(event) {
    const box = this.root.getBoundingClientRect();
    return this.from + ((event.clientX - box.left) / box.width) * (this.to - this.from);
  }

  x(at, width) {
    return ((at - this.from) / (this.to - this.from)) * width;
  }

  // Point at a place, and on the curve at the gaps beside it.
  point(at, gaps = []) {
    this.cursorAt = at;
    this.pointed = gaps;
    const shown = at !== undefined && at >= this.from && at <= this.to;
    this.cursor.style.display = shown ? "block" : "none";
    if (shown) this.cursor.style.left = `${this.x(at, 100)}%`;
    this.rings.forEach((ring, index) => {
      const gap = gaps[index];
      const score = this.curve?.scores[gap];
      const seen = score != null && gap + 1 >= this.from && gap + 1 <= this.to;
      ring.style.display = seen ? "block" : "none";
      if (seen) Object.assign(ring.style, { left: `${this.x(gap + 1, 100)}%`, top: `${this.y(score)}px` });
    });
  }

  // Point at a sentence, and say the gaps on both its sides.
  pointAround(sentence, at) {
    const gaps = [sentence - 1, sentence];
    this.point(at, gaps);
    const { curve } = this;
    const said = gaps.filter((gap) => curve?.scores[gap] != null).map((gap) => `gap ${gap + 1} ${curve.verdictNames[curve.verdicts[gap]]} at ${round(curve.scores[gap])}`);
    if (said.length) this.say(`Sentence ${sentence + 1}, between ${said.join(" and ")}`, false);
  }

  // ---- the strips -----------------------------------------------------------------------------------------------

  reset() {
    this.gap = this.disagreementAt = this.cursorAt = undefined;
    this.from = 0;
    this.to = this.count;
  }

  update(column) {
    this.column = column;
    this.curve = column?.curve ?? null;
    if (!this.dragging) this.lines = this.curve ? this.curve.lines.map((line) => ({ ...line })) : [];
    if (this.curve) {
      const unit = this.curve.label.startsWith("distance") || this.curve.label.startsWith("similarity");
      this.extent = unit ? [0, 1] : [Infinity, -Infinity];
      for (const score of this.curve.scores) {
        if (score !== null) this.extent = [Math.min(this.extent[0], score), Math.max(this.extent[1], score)];
      }
    }
    this.draw();
  }

  strip(index) {
    if (!this.strips.children[index]) {
      const strip = this.strips.appendChild(el("div", "strip"));
      strip.append(el("span", "name"), el("canvas"));
      const canvas = strip.lastChild;
      canvas.setAttribute("role", "img");
      const sentence = (event) => Math.max(0, Math.min(this.count - 1, Math.floor(this.at(event))));
      canvas.addEventListener("click", (event) => this.reader.jump(sentence(event)));
      canvas.addEventListener("pointermove", (event) => this.reader.mark([sentence(event)]));
    }
    return this.strips.children[index];
  }

  draw() {
    const { data, columns } = this.reader;
    const style = getComputedStyle(this.reader.root);
    const colours = {};
    this.colour = (name) => (colours[name] ??= style.getPropertyValue(`--${name}`));
    this.font = style.fontFamily;
    this.palette = Array.from({ length: 8 }, (_, index) => [this.colour(`ground-${index}`), this.colour(`edge-${index}`)]);
    let used = 0;
    if (data.known) {
      const edges = [0, ...data.knownAt, this.count];
      this.drawStrip(used++, "known boundaries", edges.slice(0, -1), edges.slice(1), (part) => part % 8);
    }
    const cutting = new Map();
    let drawn = 0;
    for (const column of columns) {
      const { segments } = column;
      if (!segments) continue;
      drawn++;
      this.drawStrip(used++, `${column.index + 1} ${column.data.title}`, segments.from, segments.to, (part) => column.colour(segments.over[part][0]));
      for (const at of new Set(segments.from.slice(1))) cutting.set(at, (cutting.get(at) ?? 0) + 1);
    }
    this.disagreements = [...cutting].filter(([, votes]) => votes < drawn).map(([at]) => at).sort((a, b) => a - b);
    if (drawn > 1) this.drawAgreement(used++, cutting, drawn);
    while (this.strips.children.length > used) this.strips.lastChild.remove();
    this.drawOverview();
    this.drawCurve();
    this.point(this.cursorAt, this.pointed);
  }

  drawStrip(index, name, from, to, ground) {
    const strip = this.strip(index);
    strip.classList.remove("agreement");
    strip.firstChild.textContent = name;
    const canvas = strip.lastChild;
    const pen = fit(canvas);
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    const first = firstWhere(from.length, (part) => to[part] > this.from);
    const last = firstWhere(from.length, (part) => from[part] >= this.to);
    const gap = width / Math.max(1, last - first) > 6 ? 1 : 0;
    let painted = -1;
    for (let part = first; part < last; part++) {
      const x = this.x(from[part], width);
      const right = this.x(to[part], width);
      // Of many parts in one pixel the first stands for all.
      if (right <= painted) continue;
      if (right - x < 1) painted = Math.floor(x) + 1;
      const [fill, edge] = this.palette[ground(part)];
      pen.fillStyle = fill;
      pen.fillRect(x, 0, Math.max(0.5, right - x - gap), height);
      if (gap) {
        pen.strokeStyle = edge;
        pen.strokeRect(x + 0.5, 0.5, Math.max(0.5, right - x - 1 - gap), height - 1);
      } else {
        pen.fillStyle = edge;
        pen.fillRect(x, 0, 1, height);
      }
    }
    const begins = from.slice(0, 40).map((at) => Math.floor(at) + 1).join(", ");
    canvas.setAttribute("aria-label", `${name}: ${from.length} parts, beginning at sentences ${begins}${from.length > 40 ? " and more" : ""}`);
  }

  drawAgreement(index, cutting, columns) {
    const strip = this.strip(index);
    strip.classList.add("agreement");
    const [name, canvas] = strip.children;
    const pen = fit(canvas);
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    pen.fillStyle = this.colour("ink");
    const most = new Map();
    for (const [at, votes] of cutting) {
      if (at < this.from || at > this.to) continue;
      const x = Math.round(this.x(at, width));
      most.set(x, Math.max(most.get(x) ?? 0, votes));
    }
    for (const [x, votes] of most) pen.fillRect(x - 1, height - (votes / columns) * height, 2, (votes / columns) * height);
    pen.fillStyle = this.colour("rule");
    pen.fillRect(0, height - 1, width, 1);
    canvas.setAttribute("aria-label", `${cutting.size} places where at least one column cuts; taller where more agree`);
    name.textContent = "columns that cut here ";
    if (!this.disagreements.length) return;
    const button = el("button", "step", `next of ${this.disagreements.length} disagreements`);
    button.addEventListener("click", () => this.nextDisagreement());
    name.append("· ", button);
  }

  nextDisagreement() {
    const { reader } = this;
    const next = this.disagreements.find((at) => at > (this.disagreementAt ?? -1)) ?? this.disagreements[0];
    this.disagreementAt = next;
    reader.jump(Math.min(this.count - 1, Math.floor(next)));
    const who = reader.columns.filter((column) => column.segments?.from.slice(1).includes(next)).map((column) => column.index + 1);
    this.say(`Before sentence ${Math.floor(next) + 1}: cut by column ${who.join(", ")} alone`);
  }

  drawOverview() {
    this.zooming.style.display = this.count < WORTH_ZOOMING ? "none" : "";
    this.closer.disabled = this.to - this.from <= CLOSEST;
    this.further.disabled = this.all.disabled = !this.zoomed;
    this.overview.style.display = this.zoomed ? "" : "none";
    this.plot.classList.toggle("zoomed", this.zoomed);
    this.seen.style.left = `${(this.from / this.count) * 100}%`;
    this.seen.style.width = `${((this.to - this.from) / this.count) * 100}%`;
    const words = `sentences ${Math.floor(this.from) + 1} to ${Math.ceil(this.to)} of ${this.count} are seen`;
    this.overview.setAttribute("aria-label", words);
    this.overview.title = words;
  }

  // ---- the curve ------------------------------------------------------------------------------------------------

  buildPlot() {
    const { plot } = this;
    plot.tabIndex = 0;
    plot.setAttribute("role", "group");
    plot.addEventListener("pointerdown", (event) => {
      this.panned = false;
      if (this.zoomed && !event.button && !event.target.closest(".line")) this.held = { x: event.clientX, from: this.from };
    });
    plot.addEventListener("pointermove", (event) => {
      if (this.dragging) return;
      if (!this.held) return this.showGap(this.gapAt(event));
      const away = event.clientX - this.held.x;
      // A hand that clicks trembles: only beyond a few pixels is it a drag.
      if (!this.panned && Math.abs(away) < 4) return;
      if (!this.panned) plot.setPointerCapture(event.pointerId);
      this.panned = true;
      const span = this.to - this.from;
      const from = this.held.from - (away / this.width) * span;
      this.show(from, from + span);
    });
    for (const name of ["pointerup", "pointercancel"]) plot.addEventListener(name, () => (this.held = null));
    plot.addEventListener("click", (event) => {
      const panned = this.panned;
      this.panned = false;
      if (panned || event.target.closest(".line")) return;
      const gap = this.gapAt(event);
      this.lead(gap);
      this.reader.chose(gap);
    });
    plot.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    if (event.target !== this.plot || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const act = {
      "+": () => this.zoom(0.5),
      "=": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      0: () => this.show(0, this.count),
      Enter: () => this.gap !== undefined && this.lead(this.gap),
    }[event.key];
    if (step) {
      const start = this.gap ?? (this.zoomed ? Math.floor(this.from) : -1);
      this.showGap(Math.max(0, Math.min(this.count - 2, start + step)), true);
    } else if (act) act();
    else return;
    event.preventDefault();
  }

  lead(gap) {
    this.reader.jump(gap + 1);
    this.showGap(gap);
  }

  gapAt(event) {
    return Math.max(0, Math.min(this.count - 2, Math.round(this.at(event)) - 1));
  }

  showGap(gap, aloud = false) {
    const { curve } = this;
    this.gap = gap;
    if (aloud && this.zoomed) this.reveal(gap + 1);
    this.reader.mark([gap, gap + 1], gap + 1);
    const verdict = curve.verdictNames[curve.verdicts[gap]];
    const score = curve.scores[gap];
    const reason = curve.reasons?.[gap] ?? (score == null ? "" : `${curve.label} ${round(score)}`);
    this.say(`Gap ${gap + 1}, between sentences ${gap + 1} and ${gap + 2} · ${verdict} · ${reason}`, aloud);
    if (aloud) this.reader.chose(gap);
  }

  say(text, aloud = true) {
    this.said.textContent = text;
    this.said.title = text;
    if (aloud) this.reader.live.textContent = text;
  }

  drawCurve() {
    const { curve, plot } = this;
    plot.style.display = curve ? "" : "none";
    this.curveLabel.textContent = curve ? `${capital(curve.label)}, column ${this.column.index + 1}` : "";
    this.legend.textContent = curve ? `${this.reader.data.known ? "▲ known boundary  " : ""}● cut  ○ kept${curve.constrained ? "  ◆ changed by a size" : ""}${this.reader.data.margin ? "  ◌ near the line" : ""}` : "";
    this.said.style.display = curve || this.disagreements.length ? "" : "none";
    if (!curve) return this.placeHandles();
    const pen = fit(this.canvas);
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    let [low, high] = this.extent;
    for (const { level } of this.lines) if (level !== null) [low, high] = [Math.min(low, level), Math.max(high, level)];
    if (!(high - low >= 1e-9)) [low, high] = Number.isFinite(low) ? [low - 0.5, high + 0.5] : [0, 1];
    this.scale = { low, high, top: 12, bottom: height - 12 };
    pen.font = `11px ${this.font}`;
    pen.lineWidth = 1;
    for (const tick of ticks(low, high)) {
      pen.strokeStyle = this.colour("rule");
      pen.beginPath();
      pen.moveTo(0, Math.round(this.y(tick)) + 0.5);
      pen.lineTo(width, Math.round(this.y(tick)) + 0.5);
      pen.stroke();
      pen.fillStyle = this.colour("muted");
      pen.fillText(round(tick), 2, this.y(tick) - 3);
    }
    this.drawScores(pen, width);
    pen.fillStyle = this.colour("ink");
    for (const at of this.reader.data.knownAt) {
      const left = this.x(at, width);
      pen.beginPath();
      pen.moveTo(left - 4, height);
      pen.lineTo(left + 4, height);
      pen.lineTo(left, height - 7);
      pen.fill();
    }
    plot.setAttribute("aria-label", `${curve.label} of ${curve.scores.length} gaps; left and right arrows go from gap to gap, Enter to the text, plus and minus zoom, 0 shows all`);
    this.placeHandles();
  }

  drawScores(pen, width) {
    const { scores, verdicts } = this.curve;
    const x = (gap) => this.x(gap + 1, width);
    const spacing = width / (this.to - this.from);
    // One beyond each edge, so that the curve runs out of the window.
    const first = Math.max(0, Math.floor(this.from) - 2);
    const last = Math.min(scores.length, Math.ceil(this.to) + 1);
    pen.strokeStyle = this.colour("muted");
    pen.beginPath();
    if (spacing < 0.7) {
      // Several gaps a pixel: the least and the greatest of each, so that no peak is lost.
      let gap = first;
      for (let pixel = 0; pixel < width; pixel++) {
        let [least, most] = [Infinity, -Infinity];
        for (; gap < last && x(gap) < pixel + 1; gap++) {
          if (scores[gap] !== null) [least, most] = [Math.min(least, scores[gap]), Math.max(most, scores[gap])];
        }
        if (most >= least) {
          pen.moveTo(pixel + 0.5, this.y(least));
          pen.lineTo(pixel + 0.5, this.y(most) - 0.5);
        }
      }
    } else {
      let open = false;
      for (let gap = first; gap < last; gap++) {
        if (scores[gap] !== null) pen[open ? "lineTo" : "moveTo"](x(gap), this.y(scores[gap]));
        open = scores[gap] !== null;
      }
    }
    pen.stroke();
    const roomy = spacing > 9;
    const cuts = this.candidates();
    const marked = new Set();
    for (let gap = first; gap < last; gap++) {
      if (scores[gap] === null) continue;
      const sized = !cuts && (verdicts[gap] === 2 || verdicts[gap] === 3);
      const cut = cuts ? cuts[gap] : isCut(verdicts[gap]);
      const near = this.isNear(scores[gap]);
      if (!cut && !roomy && !near && verdicts[gap] < 2) continue;
      const [left, top] = [x(gap), this.y(scores[gap])];
      // Marks that would cover each other are drawn once.
      const place = `${Math.round(left)}/${Math.round(top / 2)}/${sized}`;
      if (!roomy && marked.has(place)) continue;
      marked.add(place);
      pen.beginPath();
      if (sized) {
        pen.moveTo(left, top - 5);
        for (const [dx, dy] of [[5, 0], [0, 5], [-5, 0]]) pen.lineTo(left + dx, top + dy);
        pen.closePath();
      } else pen.arc(left, top, cut ? (roomy ? 5 : 2.5) : 3, 0, 7);
      pen.fillStyle = this.colour(cut ? "accent" : "page");
      pen.strokeStyle = this.colour(cut ? "accent" : "muted");
      if (cut || roomy || verdicts[gap] === 2) pen.fill();
      pen.stroke();
      if (!near) continue;
      pen.beginPath();
      pen.arc(left, top, roomy ? 9 : 5, 0, 7);
      pen.strokeStyle = this.colour("ink");
      pen.setLineDash([2, 2]);
      pen.stroke();
      pen.setLineDash([]);
    }
  }

  // Whether a score is within the page's margin of a line.
  isNear(score) {
    const { margin } = this.reader.data;
    return margin > 0 && this.lines.some(({ level }) => level !== null && Math.abs(score - level) <= margin);
  }

  y(value) {
    const { low, high, top, bottom } = this.scale;
    return bottom - ((value - low) / (high - low)) * (bottom - top);
  }

  // ---- the lines ------------------------------------------------------------------------------------------------

  placeHandles() {
    const wanted = this.curve ? this.lines.filter((line) => line.level !== null) : [];
    while (this.handles.length > wanted.length) this.handles.pop().remove();
    wanted.forEach((line, index) => {
      const handle = (this.handles[index] ??= this.makeHandle(index));
      const top = this.y(line.level);
      handle.style.top = `${top}px`;
      handle.classList.toggle("low", top < 30);
      const shown = line.value === line.level ? round(line.level) : `${round(line.level)} (${round(line.value)})`;
      // A line without stops follows from more than one parameter: it is to be seen, not moved.
      const fixed = !line.stops.length;
      handle.classList.toggle("fixed", fixed);
      handle.firstChild.textContent = fixed ? `${line.label} ${round(line.level)}` : `${line.label} ${shown} · drag`;
      handle.tabIndex = fixed ? -1 : 0;
      handle.setAttribute("role", fixed ? "presentation" : "slider");
      if (fixed) return;
      handle.setAttribute("aria-label", `${line.label} line of column ${this.column.index + 1}`);
      handle.setAttribute("aria-valuemin", line.stops[0][0]);
      handle.setAttribute("aria-valuemax", line.stops[line.stops.length - 1][0]);
      handle.setAttribute("aria-valuenow", line.value);
      handle.setAttribute("aria-valuetext", `${round(line.value)}, at ${this.curve.label} ${round(line.level)}`);
    });
  }

  makeHandle(index) {
    const handle = this.plot.appendChild(el("div", "line"));
    handle.appendChild(el("span"));
    handle.setAttribute("aria-orientation", "vertical");
    let frame = null;
    let startValue;
    let wantedY;
    const follow = () => {
      frame = null;
      this.moveLine(index, this.stopAt(this.lines[index], wantedY));
    };
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId);
      this.dragging = true;
      startValue = this.lines[index].value;
      event.preventDefault();
      handle.focus();
    });
    handle.addEventListener("pointermove", (event) => {
      if (!this.dragging) return;
      wantedY = event.clientY - this.plot.getBoundingClientRect().top;
      frame ??= requestAnimationFrame(follow);
    });
    const release = () => {
      if (!this.dragging) return;
      if (frame) {
        cancelAnimationFrame(frame);
        follow();
      }
      this.dragging = false;
      if (this.lines[index].value !== startValue) this.commit(index);
    };
    handle.addEventListener("pointerup", release);
    handle.addEventListener("pointercancel", release);
    handle.addEventListener("keydown", (event) => {
      const line = this.lines[index];
      const here = nearest(line.stops, line.value, 0);
      const falling = line.stops[0][1] > line.stops[line.stops.length - 1][1] ? -1 : 1;
      const steps = { ArrowUp: falling, ArrowRight: falling, ArrowDown: -falling, ArrowLeft: -falling, PageUp: 10 * falling, PageDown: -10 * falling }[event.key];
      let next = steps === undefined ? null : here + steps;
      if (event.key === "Home") next = 0;
      if (event.key === "End") next = line.stops.length - 1;
      if (next === null) return;
      event.preventDefault();
      event.stopPropagation();
      this.moveLine(index, Math.min(line.stops.length - 1, Math.max(0, next)));
      clearTimeout(this.keyed);
      this.keyed = setTimeout(() => this.commit(index), 150);
    });
    return handle;
  }

  stopAt(line, offset) {
    const { low, high, top, bottom } = this.scale;
    return nearest(line.stops, low + ((bottom - offset) / (bottom - top)) * (high - low), 1);
  }

  moveLine(index, stop) {
    const line = this.lines[index];
    [line.value, line.level] = line.stops[stop];
    const cuts = this.candidates();
    if (cuts) this.column.preview(cuts, line.level);
    this.draw();
  }

  commit(index) {
    const line = this.lines[index];
    this.reader.component.setStateValue("line", { column: this.column.index, parameter: line.parameter, value: line.value, at: performance.now() });
  }

  // The candidate cuts while the line is away from where the server put it; null when the server's verdicts hold.
  candidates() {
    const { curve, lines } = this;
    if (!curve?.live || lines[0]?.level === null || lines[0]?.level === curve.lines[0].level) return null;
    const level = lines[0].level;
    return curve.scores.map((score) => score !== null && (curve.above ? score > level : score < level));
  }
}

function ticks(low, high) {
  const step = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1].find((size) => (high - low) / size <= 5) ?? (high - low) / 4;
  const places = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + 1e-9; tick += step) places.push(Number(tick.toFixed(6)));
  return places;
}

function nearest(stops, value, side) {
  let best = 0;
  stops.forEach((stop, index) => {
    if (Math.abs(stop[side] - value) < Math.abs(stops[best][side] - value)) best = index;
  });
  return best;
}

function fit(canvas) {
  const scale = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth * scale, canvas.clientHeight * scale];
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}
