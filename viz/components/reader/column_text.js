// The text of a column in parts. A part is built when it comes near to sight; the rest follows when the browser has nothing
// else to do, so that its search finds all of it.

import { el, firstWhere } from "../shared/dom.js";
import { dressPart, dressSentences, fillPart, makePart } from "./chunk_block.js";

const GROUP = 128; // sentences whose parts stand in one block, which the browser lays out only near to sight
const FILLED_AT_REST = 6e6; // characters of all columns up to which every part is built

export class ColumnText {
  constructor(reader) {
    this.reader = reader;
    this.segments = null;
    this.kin = [];
    this.body = reader.texts.appendChild(el("div", "text"));
    this.body.tabIndex = 0;
    this.body.setAttribute("role", "region");
    this.body.addEventListener("scroll", () => {
      this.frame ??= requestAnimationFrame(() => {
        this.frame = null;
        this.fillSight();
      });
    }, { passive: true });
    this.forget();
  }

  forget() {
    this.drawn = new Map();
    this.parts = [];
    this.groups = [];
  }

  colour(chunk) {
    return (this.segments.colours?.[chunk] ?? chunk) % 8;
  }

  // Draw the parts, or `message` where there are none.
  draw(segments, message, tone) {
    const top = this.drawn.size ? this.topmost() : null;
    this.segments = segments;
    this.markKin(null);
    this.splitting = new Map(segments?.split.map((chunk) => [chunk, []]));
    this.found = new Set(segments?.start);
    if (!segments?.start.length) {
      this.forget();
      const words = segments ? "No chunks: the text has no words." : message;
      this.body.replaceChildren(el("div", `message ${segments ? "" : tone}`, words));
      return;
    }
    this.arrangeParts();
    for (const group of this.groups) {
      arrange(group, group.parts);
      group.style.containIntrinsicSize = `auto ${group.parts.reduce((sum, part) => sum + part.height, 0)}px`;
    }
    arrange(this.body, this.groups);
    this.fillSight();
    if (top && this.body.scrollTop) this.scrollTo(top.sentence, top.offset);
    this.fillAll();
  }

  // Put the parts in order and in groups. One whose text stays keeps its nodes: while the line moves only few change.
  arrangeParts() {
    const { segments } = this;
    const [before, groups] = [this.drawn, new Map(this.groups.map((group) => [group.number, group]))];
    this.forget();
    segments.start.forEach((start, number) => {
      for (const chunk of segments.over[number]) this.splitting.get(chunk)?.push(number);
      const key = `${start}:${segments.end[number]}:${segments.start[number + 1]}`;
      const part = before.get(key) ?? makePart(segments.end[number] - start);
      before.delete(key);
      part.number = number;
      if (part.filled) dressPart(this, part);
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
  }

  // ---- building parts -------------------------------------------------------------------------------------------

  fill(part) {
    if (part.filled) return;
    fillPart(this, part);
    dressPart(this, part);
    dressSentences(this, part);
  }

  dressAll() {
    for (const part of this.parts) if (part.filled) dressSentences(this, part);
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

  // The other places of a chunk that lies in several.
  markKin(part) {
    const over = part ? this.segments.over[part.number] : [];
    const kin = over.flatMap((chunk) => this.splitting.get(chunk) ?? []).map((number) => this.parts[number]);
    for (const other of this.kin) other.classList.remove("kin");
    this.kin = kin.filter((other) => other !== part);
    for (const other of this.kin) other.classList.add("kin");
  }

  // ---- places ---------------------------------------------------------------------------------------------------

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

  // What is shown of the sentences `first` up to `last`; parts of them that are not built yet are.
  spansBetween(first, last) {
    const [from, to] = [this.partsOf(first)[0], this.partsOf(last - 1).at(-1)];
    if (!from || !to) return [];
    return this.parts.slice(from.number, to.number + 1).flatMap((part) => {
      this.fill(part);
      return [...part.querySelectorAll(".s")].filter(({ dataset }) => dataset.s >= first && dataset.s < last);
    });
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

  // ---- scrolling ------------------------------------------------------------------------------------------------

  // To the next cut, or the one before.
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

  // Scroll to a sentence unless it stands in the open already.
  keepInSight(sentence) {
    const [part] = this.partsOf(sentence);
    if (!part) return;
    this.fill(part);
    const [span] = this.spansOf(sentence);
    const box = this.body.getBoundingClientRect();
    const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
    const at = span.getBoundingClientRect();
    if (at.top < top + 8 || at.bottom > bottom - 8) this.scrollTo(sentence, Math.max(60, (bottom - top) / 3));
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
