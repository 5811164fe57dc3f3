// The linked reader. Text reaches the page through textContent and attributes alone.
// Hovering, scrolling and dragging stay here; the server hears of a line when it is let go, and of a chosen column.

const el = (tag, className = "", text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};
// The numbers are the order of chunkers.Verdict: cut, kept, rejected, forced, merged.
const isCut = (verdict) => verdict === 0 || verdict === 3;
const round = (value) => (Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2)).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");

export default function (component) {
  const root = component.parentElement.querySelector(".seamark");
  const reader = (root.reader ??= new Reader(root));
  reader.update(component);
  return () => reader.rest();
}

class Reader {
  constructor(root) {
    this.root = root;
    this.title = root.appendChild(el("h1"));
    this.summary = root.appendChild(el("p", "summary"));
    this.axis = root.appendChild(el("div", "axis"));
    this.scroller = root.appendChild(el("div", "columns"));
    this.heads = this.scroller.appendChild(el("div", "grid heads"));
    this.texts = this.scroller.appendChild(el("div", "grid"));
    this.live = root.appendChild(el("div", "hidden"));
    this.live.setAttribute("aria-live", "polite");
    this.columns = [];
    this.near = [];
    this.active = null;
    this.observer = new ResizeObserver(() => this.data && this.drawAxis());
    this.observer.observe(root);
    this.onText = () => this.component && this.update(this.component);
    globalThis.addEventListener("seamark-text", this.onText);
    this.buildAxis();
    root.addEventListener("pointerleave", () => this.mark([]));
  }

  rest() {
    // Streamlit calls this between updates too: only a reader that left the page lets go of its listeners.
    setTimeout(() => {
      if (this.root.isConnected) return;
      globalThis.removeEventListener("seamark-text", this.onText);
      this.observer.disconnect();
    }, 1000);
  }

  update(component) {
    this.component = component;
    const data = (this.data = component.data);
    const text = globalThis.seamarkTexts?.get(data.text);
    this.root.dataset.theme = isDark(this.root) ? "dark" : "light";
    this.title.textContent = data.title;
    this.summary.textContent = data.summary;
    if (text === undefined) return;
    if (this.textId !== data.text || this.sentences !== data.starts.length) this.columns.forEach((column) => (column.hash = null));
    this.textId = data.text;
    this.sentences = data.starts.length;
    this.text = text;
    this.missed = new Set(data.known ?? []);
    this.root.style.setProperty("--count", data.columns.length);
    while (this.columns.length > data.columns.length) this.columns.pop().remove();
    while (this.columns.length < data.columns.length) this.columns.push(new Column(this, this.columns.length));
    this.columns.forEach((column, index) => column.update(data.columns[index], index === data.selected));
    const withCurve = data.columns[data.selected]?.curve ? data.selected : data.columns.findIndex((column) => column.curve);
    this.curveColumn = withCurve;
    this.curve = withCurve < 0 ? null : data.columns[withCurve].curve;
    if (!this.dragging) this.lines = this.curve ? this.curve.lines.map((line) => ({ ...line })) : [];
    this.drawAxis();
    this.root.dataset.painted = String(Number(this.root.dataset.painted ?? 0) + 1);
  }

  // ---- the axis -------------------------------------------------------------------------------------------------

  buildAxis() {
    this.strips = this.axis.appendChild(el("div"));
    const bar = this.axis.appendChild(el("div", "bar"));
    this.curveLabel = bar.appendChild(el("span"));
    this.legend = bar.appendChild(el("span"));
    this.plot = this.axis.appendChild(el("div", "plot"));
    this.canvas = this.plot.appendChild(el("canvas"));
    this.cursor = this.axis.appendChild(el("div", "cursor"));
    this.said = this.axis.appendChild(el("div", "said"));
    this.handles = [];
    this.plot.tabIndex = 0;
    this.plot.setAttribute("role", "group");
    this.plot.addEventListener("pointermove", (event) => {
      if (!this.dragging) this.showGap(this.gapAt(event));
    });
    this.plot.addEventListener("click", (event) => {
      if (!event.target.closest(".line")) this.jump(this.gapAt(event) + 1);
    });
    this.plot.addEventListener("keydown", (event) => this.walkGaps(event));
  }

  strip(index) {
    if (!this.strips.children[index]) {
      const strip = this.strips.appendChild(el("div", "strip"));
      strip.append(el("span", "name"), el("canvas"));
      const canvas = strip.lastChild;
      canvas.setAttribute("role", "img");
      canvas.addEventListener("click", (event) => {
        const box = canvas.getBoundingClientRect();
        this.jump(Math.floor(((event.clientX - box.left) / box.width) * this.sentences));
      });
      canvas.addEventListener("pointermove", (event) => {
        const box = canvas.getBoundingClientRect();
        this.mark([Math.min(this.sentences - 1, Math.floor(((event.clientX - box.left) / box.width) * this.sentences))]);
      });
    }
    return this.strips.children[index];
  }

  drawAxis() {
    const { data } = this;
    const count = Math.max(1, this.sentences);
    let used = 0;
    const draw = (name, from, to, colours, agreement) => {
      const strip = this.strip(used++);
      strip.classList.toggle("agreement", Boolean(agreement));
      strip.firstChild.textContent = name;
      const canvas = strip.lastChild;
      const pen = fit(canvas);
      const width = canvas.clientWidth;
      const height = canvas.clientHeight;
      const style = getComputedStyle(this.root);
      if (agreement) {
        pen.fillStyle = style.getPropertyValue("--ink");
        for (const [at, share] of agreement) pen.fillRect((at / count) * width - 1, height * (1 - share), 2, height * share);
        pen.fillStyle = style.getPropertyValue("--rule");
        pen.fillRect(0, height - 1, width, 1);
        canvas.setAttribute("aria-label", `${agreement.length} places where at least one column cuts; taller where more agree`);
        return;
      }
      const gap = width / Math.max(1, from.length) > 6 ? 1 : 0;
      for (let i = 0; i < from.length; i++) {
        const x = (from[i] / count) * width;
        const right = (to[i] / count) * width;
        pen.fillStyle = style.getPropertyValue(`--ground-${colours[i] % 8}`);
        pen.fillRect(x, 0, Math.max(0.5, right - x - gap), height);
        pen.strokeStyle = style.getPropertyValue(`--edge-${colours[i] % 8}`);
        if (gap) pen.strokeRect(x + 0.5, 0.5, Math.max(0.5, right - x - 1 - gap), height - 1);
        else {
          pen.fillStyle = pen.strokeStyle;
          pen.fillRect(x, 0, 1, height);
        }
      }
      canvas.setAttribute("aria-label", `${name}: ${from.length} parts, beginning at sentences ${from.slice(0, 40).map((at) => Math.floor(at) + 1).join(", ")}${from.length > 40 ? " and more" : ""}`);
    };
    if (data.known) {
      const edges = [0, ...data.knownAt, count];
      draw("known boundaries", edges.slice(0, -1), edges.slice(1), edges.map((_, index) => index));
    }
    const cutting = new Map();
    let drawn = 0;
    for (const column of this.columns) {
      const segments = column.segments;
      if (!segments) continue;
      drawn++;
      draw(`${column.index + 1} ${column.data.title}`, segments.from, segments.to, segments.over.map((over) => over[0]));
      for (const at of new Set(segments.from.slice(1))) cutting.set(at, (cutting.get(at) ?? 0) + 1);
    }
    this.disagreements = [...cutting].filter(([, votes]) => votes < drawn).map(([at]) => at).sort((a, b) => a - b);
    if (drawn > 1) {
      draw("columns that cut here", [], [], [], [...cutting].map(([at, votes]) => [at, votes / drawn]));
      const name = this.strip(used - 1).firstChild;
      const button = el("button", "step", this.disagreements.length ? `next of ${this.disagreements.length} disagreements` : "");
      button.addEventListener("click", () => this.nextDisagreement());
      name.append(" ");
      if (this.disagreements.length) name.append("· ", button);
      button.style.color = "var(--accent)";
    }
    while (this.strips.children.length > used) this.strips.lastChild.remove();
    this.drawCurve();
  }

  nextDisagreement() {
    const here = this.disagreementAt ?? -1;
    const next = this.disagreements.find((at) => at > here) ?? this.disagreements[0];
    this.disagreementAt = next;
    this.jump(Math.min(this.sentences - 1, Math.floor(next)));
    const who = this.columns.filter((column) => column.segments?.from.slice(1).includes(next)).map((column) => column.index + 1);
    this.say(`Before sentence ${Math.floor(next) + 1}: cut by column ${who.join(", ")} alone`);
  }

  drawCurve() {
    const { curve, plot } = this;
    plot.style.display = curve ? "" : "none";
    this.curveLabel.textContent = curve ? `${capital(curve.label)}, column ${this.curveColumn + 1}` : "";
    this.legend.textContent = curve ? `${this.data.known ? "▲ known boundary  " : ""}● cut  ○ kept${curve.constrained ? "  ◆ changed by a size" : ""}` : "";
    this.said.style.display = curve ? "" : "none";
    if (!curve) return this.placeHandles();
    const pen = fit(this.canvas);
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    const style = getComputedStyle(this.root);
    const colour = (name) => style.getPropertyValue(`--${name}`);
    const values = curve.scores.filter((score) => score !== null);
    const levels = this.lines.map((line) => line.level).filter((level) => level !== null);
    const wholeUnit = curve.label.startsWith("distance") || curve.label.startsWith("similarity");
    let low = values.reduce((least, value) => Math.min(least, value), wholeUnit ? 0 : Infinity);
    let high = values.reduce((most, value) => Math.max(most, value), wholeUnit ? 1 : -Infinity);
    for (const level of levels) [low, high] = [Math.min(low, level), Math.max(high, level)];
    if (high - low < 1e-9) [low, high] = [low - 0.5, high + 0.5];
    this.scale = { low, high, top: 12, bottom: height - 12, height };
    const y = (value) => this.y(value);
    const x = (gap) => ((gap + 1) / this.sentences) * width;
    pen.font = `11px ${style.fontFamily}`;
    pen.lineWidth = 1;
    for (const tick of ticks(low, high)) {
      pen.strokeStyle = colour("rule");
      pen.beginPath();
      pen.moveTo(0, Math.round(y(tick)) + 0.5);
      pen.lineTo(width, Math.round(y(tick)) + 0.5);
      pen.stroke();
      pen.fillStyle = colour("muted");
      pen.fillText(round(tick), 2, y(tick) - 3);
    }
    const scores = curve.scores;
    const spacing = width / this.sentences;
    pen.strokeStyle = colour("muted");
    pen.beginPath();
    if (spacing < 0.7) {
      // Several gaps a pixel: the least and the greatest of each, so that no peak is lost.
      for (let pixel = 0; pixel < width; pixel++) {
        let [least, most] = [Infinity, -Infinity];
        for (let gap = Math.floor((pixel / width) * this.sentences); gap < ((pixel + 1) / width) * this.sentences; gap++) {
          if (scores[gap] == null) continue;
          [least, most] = [Math.min(least, scores[gap]), Math.max(most, scores[gap])];
        }
        if (most >= least) {
          pen.moveTo(pixel + 0.5, y(least));
          pen.lineTo(pixel + 0.5, y(most) - 0.5);
        }
      }
    } else {
      let open = false;
      scores.forEach((score, gap) => {
        if (score !== null) pen[open ? "lineTo" : "moveTo"](x(gap), y(score));
        open = score !== null;
      });
    }
    pen.stroke();
    const kept = spacing > 9;
    const cuts = this.candidates();
    scores.forEach((score, gap) => {
      if (score === null) return;
      const cut = cuts ? cuts[gap] : isCut(curve.verdicts[gap]);
      if (!cut && !kept && curve.verdicts[gap] < 2) return;
      pen.beginPath();
      if (!cuts && (curve.verdicts[gap] === 2 || curve.verdicts[gap] === 3)) {
        pen.moveTo(x(gap), y(score) - 5);
        for (const [dx, dy] of [[5, 0], [0, 5], [-5, 0]]) pen.lineTo(x(gap) + dx, y(score) + dy);
        pen.closePath();
      } else pen.arc(x(gap), y(score), cut ? (spacing > 9 ? 5 : 2.5) : 3, 0, 7);
      pen.fillStyle = cut ? colour("accent") : colour("page");
      pen.strokeStyle = cut ? colour("accent") : colour("muted");
      if (cut || kept || curve.verdicts[gap] === 2) pen.fill();
      pen.stroke();
    });
    pen.fillStyle = colour("ink");
    for (const at of this.data.knownAt) {
      const left = (at / this.sentences) * width;
      pen.beginPath();
      pen.moveTo(left - 4, height);
      pen.lineTo(left + 4, height);
      pen.lineTo(left, height - 7);
      pen.fill();
    }
    plot.setAttribute("aria-label", `${curve.label} of ${scores.length} gaps; left and right arrows go from gap to gap, Enter to the text`);
    this.placeHandles();
  }

  y(value) {
    const { low, high, top, bottom } = this.scale;
    return bottom - ((value - low) / (high - low)) * (bottom - top);
  }

  placeHandles() {
    const wanted = this.curve ? this.lines.filter((line) => line.level !== null && line.stops.length) : [];
    while (this.handles.length > wanted.length) this.handles.pop().remove();
    wanted.forEach((line, index) => {
      const handle = (this.handles[index] ??= this.makeHandle(index));
      const top = this.y(line.level);
      handle.style.top = `${top}px`;
      handle.classList.toggle("low", top < 30);
      const shown = line.value === line.level ? round(line.level) : `${round(line.level)} (${round(line.value)})`;
      handle.firstChild.textContent = `${line.label} ${shown} · drag`;
      handle.setAttribute("aria-label", `${line.label} line of column ${this.curveColumn + 1}`);
      handle.setAttribute("aria-valuemin", line.stops[0][0]);
      handle.setAttribute("aria-valuemax", line.stops[line.stops.length - 1][0]);
      handle.setAttribute("aria-valuenow", line.value);
      handle.setAttribute("aria-valuetext", `${round(line.value)}, at ${this.curve.label} ${round(line.level)}`);
    });
  }

  makeHandle(index) {
    const handle = this.plot.appendChild(el("div", "line"));
    handle.appendChild(el("span"));
    handle.tabIndex = 0;
    handle.setAttribute("role", "slider");
    handle.setAttribute("aria-orientation", "vertical");
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId);
      this.dragging = true;
      this.startValue = this.lines[index].value;
      event.preventDefault();
      handle.focus();
    });
    handle.addEventListener("pointermove", (event) => {
      if (!this.dragging) return;
      const offset = event.clientY - this.plot.getBoundingClientRect().top;
      this.wantedY = offset;
      this.frame ??= requestAnimationFrame(() => {
        this.frame = null;
        this.moveLine(index, this.stopAt(this.lines[index], this.wantedY));
      });
    });
    const release = () => {
      if (!this.dragging) return;
      if (this.frame) {
        cancelAnimationFrame(this.frame);
        this.frame = null;
        this.moveLine(index, this.stopAt(this.lines[index], this.wantedY));
      }
      this.dragging = false;
      if (this.lines[index].value !== this.startValue) this.commit(index);
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
    if (cuts) this.columns[this.curveColumn].preview(cuts, this.curve, line.level);
    this.drawAxis();
  }

  commit(index) {
    const line = this.lines[index];
    this.component.setStateValue("line", { column: this.curveColumn, parameter: line.parameter, value: line.value, at: performance.now() });
  }

  // The candidate cuts while the line is away from where the server put it; null when the server's verdicts hold.
  candidates() {
    const { curve, lines } = this;
    if (!curve?.live || lines[0]?.level === null || lines[0]?.level === curve.lines[0].level) return null;
    const level = lines[0].level;
    return curve.scores.map((score) => score !== null && (curve.above ? score > level : score < level));
  }

  gapAt(event) {
    const box = this.plot.getBoundingClientRect();
    const gap = Math.round(((event.clientX - box.left) / box.width) * this.sentences) - 1;
    return Math.max(0, Math.min(this.sentences - 2, gap));
  }

  walkGaps(event) {
    if (event.target !== this.plot) return;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) {
      this.showGap(Math.max(0, Math.min(this.sentences - 2, (this.gap ?? -1) + step)), true);
      event.preventDefault();
    } else if (event.key === "Enter" && this.gap !== undefined) this.jump(this.gap + 1);
  }

  showGap(gap, aloud = false) {
    this.gap = gap;
    this.mark([gap, gap + 1], gap + 1);
    const { curve } = this;
    const verdict = curve.verdictNames[curve.verdicts[gap]];
    const score = curve.scores[gap];
    const reason = curve.reasons?.[gap] ?? (score === null ? "" : `${curve.label} ${round(score)}`);
    this.say(`Gap ${gap + 1}, between sentences ${gap + 1} and ${gap + 2} · ${verdict} · ${reason}`, aloud);
  }

  say(text, aloud = true) {
    this.said.textContent = text;
    this.said.title = text;
    if (aloud) this.live.textContent = text;
  }

  // ---- links between the columns ---------------------------------------------------------------------------------

  mark(sentences, at) {
    for (const node of this.near) node.classList.remove("near");
    this.near = [];
    for (const sentence of sentences) {
      for (const column of this.columns) {
        for (const node of column.spans.get(sentence) ?? []) {
          node.classList.add("near");
          this.near.push(node);
        }
      }
    }
    this.cursor.style.display = sentences.length ? "block" : "none";
    if (sentences.length) this.cursor.style.left = `${((at ?? sentences[0] + 0.5) / this.sentences) * 100}%`;
  }

  jump(sentence) {
    const target = Math.max(0, Math.min(this.sentences - 1, sentence));
    for (const column of this.columns) column.scrollTo(target, 60, true);
    this.mark([target]);
  }

  follow(column) {
    if (this.active !== column || this.following) return;
    this.following = requestAnimationFrame(() => {
      this.following = null;
      const top = column.topmost();
      if (top) for (const other of this.columns) if (other !== column) other.scrollTo(top.sentence, top.offset);
    });
  }
}

class Column {
  constructor(reader, index) {
    this.reader = reader;
    this.index = index;
    this.spans = new Map();
    this.head = reader.heads.appendChild(el("div", "head"));
    this.body = reader.texts.appendChild(el("div", "text"));
    this.body.tabIndex = 0;
    this.body.setAttribute("role", "region");
    const activate = () => (reader.active = this);
    for (const event of ["pointerenter", "focus", "wheel", "touchstart"]) this.body.addEventListener(event, activate, { passive: true });
    this.body.addEventListener("scroll", () => reader.follow(this), { passive: true });
    this.body.addEventListener("pointermove", (event) => {
      const span = event.target.closest?.(".s");
      if (span) reader.mark([Number(span.dataset.s)]);
    });
    this.body.addEventListener("click", (event) => {
      const span = event.target.closest?.(".s");
      if (span && !getSelection()?.toString()) {
        const box = this.body.getBoundingClientRect();
        const offset = span.getBoundingClientRect().top - box.top;
        for (const other of reader.columns) if (other !== this) other.scrollTo(Number(span.dataset.s), offset);
      }
    });
    this.body.addEventListener("keydown", (event) => {
      const step = { n: 1, p: -1 }[event.key];
      if (step && !event.ctrlKey && !event.metaKey) this.step(step);
    });
  }

  remove() {
    this.head.remove();
    this.body.remove();
  }

  update(data, selected) {
    this.data = data;
    this.drawHead(selected);
    if (this.hash === data.hash && !this.previewed) return;
    this.hash = data.hash;
    this.previewed = false;
    this.segments = data.segments;
    this.draw();
  }

  drawHead(selected) {
    const { data, head, index } = this;
    head.classList.toggle("selected", selected);
    const choose = el("button", "choose");
    choose.append(el("span", "number", String(index + 1)), el("strong", "", data.title), el("i", "", data.subtitle));
    choose.setAttribute("aria-pressed", String(selected));
    choose.title = "Set this column in the side bar";
    choose.addEventListener("click", () => this.reader.component.setStateValue("selected", { column: index, at: performance.now() }));
    const list = el("dl");
    for (const [label, value, tone] of data.rows) list.append(el("dt", "", label), el("dd", tone, value));
    head.replaceChildren(choose, list);
    if (data.table.length) {
      const table = el("table");
      data.table.forEach((cells, row) => {
        const line = table.insertRow();
        cells.forEach((cell, place) => line.append(el(row === 0 || place === 0 ? "th" : "td", "", cell)));
      });
      head.append(table);
    }
    this.body.setAttribute("aria-label", `Column ${index + 1}, ${data.title}: ${data.segments ? `${data.segments.start.length} parts` : data.message}. n and p go from cut to cut.`);
  }

  draw() {
    const { reader, segments } = this;
    this.spans = new Map();
    if (!segments) {
      this.body.replaceChildren(el("div", `message ${this.data.tone}`, this.data.message));
      return;
    }
    const { text } = reader;
    const { starts, ends } = reader.data;
    const found = new Set(segments.start);
    const parts = document.createDocumentFragment();
    let sentence = 0;
    let shown = -1;
    segments.start.forEach((start, number) => {
      const end = segments.end[number];
      const over = segments.over[number];
      const part = el("div", "part");
      part.style.containIntrinsicSize = `auto ${Math.round(46 + ((end - start) / 42) * 25)}px`;
      if (number > 0) {
        const why = el("div", `why ${segments.tone[number]}`);
        const words = el("span");
        // As an attribute it is drawn but is no part of the text that a reader selects and copies.
        words.dataset.why = segments.label[number];
        why.title = segments.label[number];
        why.setAttribute("role", "note");
        why.setAttribute("aria-label", segments.label[number]);
        why.append(words);
        part.append(why);
      }
      const chunk = el("div", over.length > 1 ? "chunk shared" : "chunk");
      const colour = over[over.length - 1] % 8;
      chunk.style.setProperty("--ground", `var(--ground-${over[0] % 8})`);
      chunk.style.setProperty("--ground-b", `var(--ground-${colour})`);
      chunk.style.setProperty("--edge", `var(--edge-${over[0] % 8})`);
      const label = over.map((one) => one + 1).join("+");
      const no = el("span", "no");
      no.dataset.no = label;
      if (over.length > 1) no.title = `in chunks ${over.map((one) => one + 1).join(" and ")}`;
      chunk.append(no);
      chunk.setAttribute("role", "group");
      chunk.setAttribute("aria-label", `chunk ${label}`);
      while (sentence > 0 && ends[sentence - 1] > start) sentence--;
      while (sentence < ends.length && ends[sentence] <= start) sentence++;
      let place = start;
      for (let next = sentence; next < starts.length && starts[next] < end; next++) {
        if (starts[next] > place) chunk.append(text.slice(place, starts[next]));
        const from = Math.max(starts[next], place);
        const to = Math.min(ends[next], end);
        const span = el("span", "s", text.slice(from, to));
        span.dataset.s = next;
        if (reader.missed.has(starts[next]) && !found.has(starts[next]) && from === starts[next]) {
          span.classList.add("missed");
          span.title = "a known boundary that is not cut";
        }
        const same = this.spans.get(next);
        if (same) same.push(span);
        else this.spans.set(next, [span]);
        chunk.append(span);
        place = to;
      }
      if (place < end) chunk.append(text.slice(place, end));
      part.append(chunk);
      const following = number + 1 < segments.start.length ? segments.start[number + 1] : text.length;
      if (following > end) part.append(el("span", "between", text.slice(end, following)));
      if (number === 0 && start > 0) part.prepend(el("span", "between", text.slice(0, start)));
      parts.append(part);
      shown = number;
    });
    if (shown < 0) parts.append(el("div", "message", "No chunks: the text has no words."));
    const keep = this.body.scrollTop;
    this.body.replaceChildren(parts);
    this.body.scrollTop = keep;
  }

  // What the candidate cuts would make, drawn while the line moves; sizes are the server's to apply.
  preview(cuts, curve, level) {
    const { starts, ends, known } = this.reader.data;
    const knownSet = known ? new Set(known) : null;
    const made = { start: [], end: [], over: [], from: [], to: [], label: [], tone: [] };
    let first = 0;
    for (let last = 0; last < starts.length; last++) {
      if (last < starts.length - 1 && !cuts[last]) continue;
      const wrong = knownSet && first > 0 && !knownSet.has(starts[first]);
      made.start.push(starts[first]);
      made.end.push(ends[last]);
      made.over.push([made.over.length]);
      made.from.push(first);
      made.to.push(last + 1);
      made.label.push(first ? `cut: ${curve.label} ${curve.scores[first - 1].toFixed(2)} ${curve.above ? ">" : "<"} ${level.toFixed(2)}${curve.constrained ? " · sizes apply when you let go" : ""}${wrong ? " · not a known boundary" : ""}` : "");
      made.tone.push(wrong ? "wrong" : "");
      first = last + 1;
    }
    this.segments = made;
    this.previewed = true;
    this.draw();
  }

  step(direction) {
    const cuts = [...this.body.querySelectorAll(".why")];
    const top = this.body.getBoundingClientRect().top;
    const places = cuts.map((cut) => cut.getBoundingClientRect().top - top);
    const next = direction > 0 ? places.findIndex((place) => place > 24) : places.findLastIndex((place) => place < -4);
    if (next >= 0) this.body.scrollTop += places[next] - 12;
  }

  topmost() {
    const top = this.body.getBoundingClientRect().top;
    const parts = this.body.children;
    let [low, high] = [0, parts.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (parts[middle].getBoundingClientRect().bottom <= top + 4) low = middle + 1;
      else high = middle;
    }
    for (const span of parts[low]?.querySelectorAll(".s") ?? []) {
      const box = span.getBoundingClientRect();
      if (box.bottom > top + 4) return { sentence: Number(span.dataset.s), offset: box.top - top };
    }
    return null;
  }

  scrollTo(sentence, offset, flash = false) {
    const span = this.spans.get(sentence)?.[0];
    if (!span) return;
    // Parts out of sight have estimated heights: once they are drawn, the place is set right.
    for (let pass = 0; pass < 2; pass++) {
      const away = span.getBoundingClientRect().top - this.body.getBoundingClientRect().top - offset;
      if (Math.abs(away) > 1) this.body.scrollTop += away;
    }
    if (flash) {
      span.classList.remove("jumped");
      requestAnimationFrame(() => span.classList.add("jumped"));
    }
  }
}

function isDark(root) {
  const colour = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
  const parts = colour.startsWith("#") ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) : colour.match(/\d+/g)?.map(Number);
  return parts ? 0.3 * parts[0] + 0.6 * parts[1] + 0.1 * parts[2] < 128 : matchMedia("(prefers-color-scheme: dark)").matches;
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

function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}
