// A column: its head, and the text in parts. A part is built when it comes near to sight; the rest follows when the browser
// has nothing else to do, so that its search finds all of it.

const GROUP = 128; // sentences whose parts stand in one block, which the browser lays out only near to sight
const FILLED_AT_REST = 6e6; // characters of all columns up to which every part is built

class Column {
  constructor(reader, index) {
    this.reader = reader;
    this.index = index;
    this.segments = null;
    this.kin = [];
    this.head = reader.heads.appendChild(el("div", "head"));
    this.body = reader.texts.appendChild(el("div", "text"));
    this.body.tabIndex = 0;
    this.body.setAttribute("role", "region");
    this.reset();
    const activate = () => (reader.active = this);
    for (const event of ["pointerenter", "focus", "wheel", "touchstart"]) this.body.addEventListener(event, activate, { passive: true });
    this.body.addEventListener("scroll", () => {
      this.frame ??= requestAnimationFrame(() => {
        this.frame = null;
        this.fillSight();
      });
      reader.follow(this);
    }, { passive: true });
    this.body.addEventListener("pointermove", (event) => {
      const span = event.target.closest?.(".s");
      if (span) reader.mark([Number(span.dataset.s)]);
      this.markKin(event.target.closest?.(".part"));
    });
    this.body.addEventListener("pointerleave", () => this.markKin(null));
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

  // Forget the parts: the text is another.
  reset() {
    this.hash = null;
    this.drawn = new Map();
    this.parts = [];
    this.groups = [];
  }

  remove() {
    this.head.remove();
    this.body.remove();
    this.parts = [];
  }

  update(data, selected) {
    this.data = data;
    if (String(this.wrong) !== String(data.wrong)) {
      this.wrong = data.wrong;
      this.astray = new Set(data.wrong);
      this.dressAll();
    }
    if (this.hash !== data.hash || !data.body) {
      this.made = data.body ? JSON.parse(data.body) : { segments: null, curve: null };
      this.hash = data.hash;
    } else if (!this.previewed) return this.drawHead(selected);
    this.previewed = false;
    this.curve = this.made.curve;
    this.draw(this.made.segments);
    this.drawHead(selected);
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
    head.replaceChildren(choose, list, ...data.notes.map((note) => el("p", "note", note)));
    if (data.table.length) {
      const table = el("table");
      data.table.forEach((cells, row) => {
        const line = table.insertRow();
        cells.forEach((cell, place) => line.append(el(row === 0 || place === 0 ? "th" : "td", "", cell)));
      });
      head.append(table);
    }
    this.body.setAttribute("aria-label", `Column ${index + 1}, ${data.title}: ${this.segments ? `${this.segments.start.length} parts` : data.message}. n and p go from cut to cut.`);
  }

  colour(chunk) {
    return (this.segments.colours?.[chunk] ?? chunk) % 8;
  }

  // ---- the parts ------------------------------------------------------------------------------------------------

  draw(segments) {
    const { body } = this;
    const top = this.drawn.size ? this.topmost() : null;
    this.segments = segments;
    const before = this.drawn;
    this.drawn = new Map();
    this.parts = [];
    const groups = new Map(this.groups.map((group) => [group.number, group]));
    this.groups = [];
    this.markKin(null);
    this.splitting = new Map(segments?.split.map((chunk) => [chunk, []]));
    this.found = new Set(segments?.start);
    if (!segments?.start.length) {
      const [words, tone] = segments ? ["No chunks: the text has no words.", ""] : [this.data.message, this.data.tone];
      this.groups = [];
      body.replaceChildren(el("div", `message ${tone}`, words));
      return;
    }
    segments.start.forEach((start, number) => {
      for (const chunk of segments.over[number]) this.splitting.get(chunk)?.push(number);
      // A part whose text stays keeps its nodes: while the line moves only few change.
      const key = `${start}:${segments.end[number]}:${segments.start[number + 1]}`;
      const part = before.get(key) ?? this.makePart(segments.end[number] - start);
      before.delete(key);
      part.number = number;
      if (part.filled) this.dress(part);
      this.drawn.set(key, part);
      this.parts.push(part);
      const place = Math.floor(segments.from[number] / GROUP);
      let group = this.groups.at(-1);
      if (group?.number !== place) {
        group = groups.get(place) ?? el("div", "group");
        Object.assign(group, { number: place, first: number, parts: [] });
        this.groups.push(group);
      }
      group.parts.push(part);
    });
    for (const part of before.values()) part.remove();
    for (const group of this.groups) {
      arrange(group, group.parts);
      group.style.containIntrinsicSize = `auto ${group.parts.reduce((sum, part) => sum + part.height, 0)}px`;
    }
    arrange(body, this.groups);
    this.fillSight();
    if (top && body.scrollTop) this.scrollTo(top.sentence, top.offset);
    this.fillAll();
  }

  makePart(length) {
    const part = el("div", "part");
    part.height = Math.round(46 + (length / 42) * 25);
    part.style.height = `${part.height}px`;
    return part;
  }

  fill(part) {
    if (part.filled) return;
    part.filled = true;
    part.style.height = "";
    part.style.containIntrinsicSize = `auto ${part.height}px`;
    const { reader, segments } = this;
    const { text, starts, ends } = reader;
    const { number } = part;
    const [start, end] = [segments.start[number], segments.end[number]];
    if (number > 0) {
      part.why = part.appendChild(el("div"));
      part.why.setAttribute("role", "note");
      part.why.append(el("span"));
    } else if (start > 0) part.append(el("span", "between", text.slice(0, start)));
    const chunk = (part.chunk = part.appendChild(el("div")));
    chunk.append(el("span", "no"));
    chunk.setAttribute("role", "group");
    let place = start;
    for (let next = firstWhere(ends.length, (sentence) => ends[sentence] > start); starts[next] < end; next++) {
      if (starts[next] > place) chunk.append(text.slice(place, starts[next]));
      const from = Math.max(starts[next], place);
      const to = Math.min(ends[next], end);
      const span = el("span", "s", text.slice(from, to));
      span.dataset.s = next;
      chunk.append(span);
      place = to;
    }
    if (place < end) chunk.append(text.slice(place, end));
    const following = segments.start[number + 1] ?? text.length;
    if (following > end) part.append(el("span", "between", text.slice(end, following)));
    this.dress(part);
    this.dressSentences(part);
  }

  dressAll() {
    for (const part of this.parts) if (part.filled) this.dressSentences(part);
  }

  // What of a sentence may change while its text stays: whether it is outside of its section's chunk, and whether a known
  // boundary before it is not cut; while boundaries are marked, the button that marks one.
  dressSentences(part) {
    const { starts, missed, data } = this.reader;
    const start = this.segments.start[part.number];
    // A button that stays keeps the focus.
    const gaps = new Map([...part.querySelectorAll(".gap")].map((button) => [Number(button.dataset.gap), button]));
    for (const span of part.querySelectorAll(".s")) {
      const sentence = Number(span.dataset.s);
      const begins = starts[sentence] >= start;
      const known = begins && missed.has(starts[sentence]);
      const uncut = known && !this.found.has(starts[sentence]);
      const astray = this.astray?.has(sentence) ?? false;
      span.classList.toggle("missed", uncut);
      span.classList.toggle("astray", astray);
      const said = [uncut && "a known boundary that is not cut", astray && "not in the chunk of its section"].filter(Boolean);
      span.title = said.join("; ");
      if (!data.marking || !begins || !sentence) continue;
      const button = gaps.get(sentence - 1) ?? span.parentNode.insertBefore(this.makeGap(sentence), span);
      button.setAttribute("aria-pressed", String(known));
      gaps.delete(sentence - 1);
    }
    for (const button of gaps.values()) button.remove();
  }

  makeGap(sentence) {
    const { reader } = this;
    const button = el("button", "gap");
    button.type = "button";
    button.dataset.gap = sentence - 1;
    button.title = `boundary between sentences ${sentence} and ${sentence + 1}`;
    button.setAttribute("aria-label", button.title);
    button.addEventListener("click", (event) => {
      event.stopPropagation();
      reader.component.setStateValue("mark", { gap: sentence - 1, at: performance.now() });
    });
    return button;
  }

  // What of a part may change while its text stays: number, colour and reason.
  dress(part) {
    const { segments } = this;
    const over = segments.over[part.number];
    const label = segments.label[part.number];
    const tone = segments.tone[part.number];
    const numbers = over.map((chunk) => chunk + 1);
    const grounds = over.map((chunk) => this.colour(chunk));
    const dressed = [numbers, grounds, tone, label].join("|");
    if (part.dressed === dressed) return;
    part.dressed = dressed;
    const { why, chunk } = part;
    if (why) {
      why.className = `why ${tone}`;
      why.title = label;
      why.setAttribute("aria-label", label);
      // As an attribute it is drawn but is no part of the text that a reader selects and copies.
      why.firstChild.dataset.why = label;
    }
    chunk.className = over.length > 1 ? "chunk shared" : "chunk";
    chunk.style.setProperty("--ground", `var(--ground-${grounds[0]})`);
    chunk.style.setProperty("--ground-b", `var(--ground-${grounds[grounds.length - 1]})`);
    chunk.style.setProperty("--edge", `var(--edge-${grounds[0]})`);
    const no = chunk.querySelector(".no");
    no.dataset.no = numbers.join("+");
    no.title = over.length > 1 ? `in chunks ${numbers.join(" and ")}` : "";
    chunk.setAttribute("aria-label", `chunk ${numbers.join("+")}`);
  }

  // Build the parts in sight and one height around it; those built may be shorter than thought, so it looks again.
  fillSight() {
    if (!this.parts.length) return;
    for (let pass = 0; pass < 3; pass++) {
      const box = this.body.getBoundingClientRect();
      const first = this.partAt(box.top - box.height);
      const empty = [];
      for (let number = first; number < this.parts.length; number++) {
        const part = this.parts[number];
        if (part.getBoundingClientRect().top > box.bottom + box.height) break;
        if (!part.filled) empty.push(part);
      }
      if (!empty.length) return;
      for (const part of empty) this.fill(part);
    }
  }

  fillAll() {
    if (this.reader.text.length * this.reader.columns.length > FILLED_AT_REST) return;
    const { parts } = this;
    let number = 0;
    const some = (deadline) => {
      if (parts !== this.parts) return;
      do this.fill(parts[number++]);
      while (number < parts.length && deadline.timeRemaining() > 1);
      if (number < parts.length) atRest(some);
      else this.whole = parts;
    };
    atRest(some);
  }

  // Whether every part is built.
  get filled() {
    return !this.segments || this.whole === this.parts;
  }

  // The first part that ends below a height of the window.
  partAt(height) {
    const at = (nodes) => Math.min(nodes.length - 1, firstWhere(nodes.length, (number) => nodes[number].getBoundingClientRect().bottom > height));
    const group = this.groups[at(this.groups)];
    return group ? group.first + at(group.parts) : -1;
  }

  partsOf(sentence) {
    const { segments, reader } = this;
    const found = [];
    if (!this.parts.length) return found;
    const [start, end] = [reader.starts[sentence], reader.ends[sentence]];
    for (let number = firstWhere(this.parts.length, (one) => segments.end[one] > start); segments.start[number] < end; number++) found.push(this.parts[number]);
    return found;
  }

  spansOf(sentence) {
    return this.partsOf(sentence).flatMap((part) => (part.filled ? [...part.querySelectorAll(`[data-s="${sentence}"]`)] : []));
  }

  // The other places of a chunk that lies in several.
  markKin(part) {
    const over = part ? this.segments.over[part.number] : [];
    const kin = over.flatMap((chunk) => this.splitting.get(chunk) ?? []).map((number) => this.parts[number]);
    for (const other of this.kin) other.classList.remove("kin");
    this.kin = kin.filter((other) => other !== part);
    for (const other of this.kin) other.classList.add("kin");
  }

  // What the candidate cuts would make, drawn while the line moves; sizes are the server's to apply.
  preview(cuts, level) {
    const { curve, reader } = this;
    const { starts, ends } = reader;
    const { known } = reader.data;
    const knownSet = known ? new Set(known) : null;
    const made = { start: [], end: [], over: [], from: [], to: [], label: [], tone: [], split: [] };
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
    this.previewed = true;
    this.draw(made);
  }

  // ---- places ---------------------------------------------------------------------------------------------------

  step(direction) {
    const top = this.body.getBoundingClientRect().top;
    const here = this.partAt(top + (direction > 0 ? 24 : -4));
    if (here < 0) return;
    // The part that begins above the mark and ends below it is the one being read.
    const begins = this.parts[here].getBoundingClientRect().top;
    const next = direction > 0 ? here + (begins <= top + 24) : here - (begins >= top - 4);
    const part = this.parts[Math.max(0, next)];
    if (part) this.bring(part, 8);
  }

  topmost() {
    const top = this.body.getBoundingClientRect().top;
    for (let number = this.partAt(top + 4); number >= 0 && number < this.parts.length; number++) {
      this.fill(this.parts[number]);
      const spans = this.parts[number].querySelectorAll(".s");
      const span = spans[firstWhere(spans.length, (one) => spans[one].getBoundingClientRect().bottom > top + 4)];
      if (span) return { sentence: Number(span.dataset.s), offset: span.getBoundingClientRect().top - top };
    }
    return null;
  }

  scrollTo(sentence, offset, flash = false) {
    const [part] = this.partsOf(sentence);
    if (!part) return;
    this.fill(part);
    const [span] = this.spansOf(sentence);
    this.bring(span, offset);
    if (flash) {
      span.classList.remove("jumped");
      requestAnimationFrame(() => span.classList.add("jumped"));
    }
  }

  bring(node, offset) {
    // Parts out of sight have estimated heights: once they are drawn, the place is set right.
    for (let pass = 0; pass < 3; pass++) {
      const away = node.getBoundingClientRect().top - this.body.getBoundingClientRect().top - offset;
      if (Math.abs(away) > 1) this.body.scrollTop += away;
      this.fillSight();
    }
  }
}

function atRest(act) {
  if (globalThis.requestIdleCallback) requestIdleCallback(act, { timeout: 500 });
  else {
    setTimeout(() => {
      const end = performance.now() + 8;
      act({ timeRemaining: () => end - performance.now() });
    }, 20);
  }
}

// Let `nodes` be the children of `parent`, touching none that is in its place.
function arrange(parent, nodes) {
  let next = parent.firstChild;
  for (const node of nodes) {
    if (node === next) next = next.nextSibling;
    else parent.insertBefore(node, next);
  }
  while (next) {
    const rest = next.nextSibling;
    next.remove();
    next = rest;
  }
}
