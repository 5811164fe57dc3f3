// The text of a column, in blocks. A block is built when it comes near the visible part; the others follow when the browser is
// idle, so that its search finds all of the text.

import { el, firstWhere } from "../shared/dom.js";
import { fillBlock, makeBlock, updateBlock, updateSentences } from "./chunk_block.js";

const GROUP = 128; // sentences whose blocks form a group, which the browser lays out only near the visible part
const MOST_FILLED = 6e6; // characters of all columns up to which every block is built

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
    this.blocks = [];
    this.groups = [];
  }

  colour(chunk) {
    return (this.segments.colours?.[chunk] ?? chunk) % this.reader.grounds;
  }

  // Draw the blocks, or `message` where there are none.
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
    this.arrangeBlocks();
    for (const group of this.groups) {
      arrange(group, group.blocks);
      group.style.containIntrinsicSize = `auto ${group.blocks.reduce((sum, block) => sum + block.height, 0)}px`;
    }
    arrange(this.body, this.groups);
    this.fillSight();
    if (top && this.body.scrollTop) this.scrollTo(top.sentence, top.offset);
    this.fillAll();
  }

  // Put the blocks in order and into groups. Blocks whose text stays keep their nodes: while the line moves only few change.
  arrangeBlocks() {
    const { segments } = this;
    const [before, groups] = [this.drawn, new Map(this.groups.map((group) => [group.number, group]))];
    this.forget();
    segments.start.forEach((start, number) => {
      for (const chunk of segments.over[number]) this.splitting.get(chunk)?.push(number);
      const key = `${start}:${segments.end[number]}:${segments.start[number + 1]}`;
      const block = before.get(key) ?? makeBlock(segments.end[number] - start);
      before.delete(key);
      block.number = number;
      if (block.filled) updateBlock(this, block);
      this.drawn.set(key, block);
      this.blocks.push(block);
      const place = Math.floor(segments.from[number] / GROUP);
      let group = this.groups.at(-1);
      if (group?.number !== place) {
        group = groups.get(place) ?? el("div", "group");
        Object.assign(group, { number: place, first: number, blocks: [] });
        this.groups.push(group);
      }
      group.blocks.push(block);
    });
    for (const block of before.values()) block.remove();
  }

  // ---- building blocks --------------------------------------------------------------------------------------------

  fill(block) {
    if (block.filled) return;
    fillBlock(this, block);
    updateBlock(this, block);
    updateSentences(this, block);
  }

  updateAllSentences() {
    for (const block of this.blocks) if (block.filled) updateSentences(this, block);
  }

  // Build the visible blocks and one screen around them; they may turn out shorter than estimated, so look again.
  fillSight() {
    if (!this.blocks.length) return;
    for (let pass = 0; pass < 3; pass++) {
      const box = this.body.getBoundingClientRect();
      const first = this.blockAt(box.top - box.height);
      const empty = [];
      for (let number = first; number < this.blocks.length; number++) {
        const block = this.blocks[number];
        if (block.getBoundingClientRect().top > box.bottom + box.height) break;
        if (!block.filled) empty.push(block);
      }
      if (!empty.length) return;
      for (const block of empty) this.fill(block);
    }
  }

  fillAll() {
    if (this.reader.text.length * this.reader.columns.length > MOST_FILLED) return;
    const { blocks } = this;
    let number = 0;
    const some = (deadline) => {
      if (blocks !== this.blocks) return;
      do this.fill(blocks[number++]);
      while (number < blocks.length && deadline.timeRemaining() > 1);
      if (number < blocks.length) whenIdle(some);
      else this.whole = blocks;
    };
    whenIdle(some);
  }

  // Whether every block is built.
  get filled() {
    return !this.segments || this.whole === this.blocks;
  }

  // Mark the other blocks of a non-contiguous chunk.
  markKin(block) {
    const over = block ? this.segments.over[block.number] : [];
    const kin = over.flatMap((chunk) => this.splitting.get(chunk) ?? []).map((number) => this.blocks[number]);
    for (const other of this.kin) other.classList.remove("kin");
    this.kin = kin.filter((other) => other !== block);
    for (const other of this.kin) other.classList.add("kin");
  }

  // ---- places ---------------------------------------------------------------------------------------------------

  // The first block that ends below a height in the browser's window.
  blockAt(height) {
    const at = (nodes) => Math.min(nodes.length - 1, firstWhere(nodes.length, (number) => nodes[number].getBoundingClientRect().bottom > height));
    const group = this.groups[at(this.groups)];
    return group ? group.first + at(group.blocks) : -1;
  }

  blocksOf(sentence) {
    const { segments, reader } = this;
    const found = [];
    if (!this.blocks.length) return found;
    const [start, end] = [reader.starts[sentence], reader.ends[sentence]];
    for (let number = firstWhere(this.blocks.length, (one) => segments.end[one] > start); segments.start[number] < end; number++) found.push(this.blocks[number]);
    return found;
  }

  spansOf(sentence) {
    return this.blocksOf(sentence).flatMap((block) => (block.filled ? [...block.querySelectorAll(`[data-s="${sentence}"]`)] : []));
  }

  // The nodes of the sentences from `first` to before `last`; builds their blocks if necessary.
  spansBetween(first, last) {
    const [from, to] = [this.blocksOf(first)[0], this.blocksOf(last - 1).at(-1)];
    if (!from || !to) return [];
    return this.blocks.slice(from.number, to.number + 1).flatMap((block) => {
      this.fill(block);
      return [...block.querySelectorAll(".s")].filter(({ dataset }) => dataset.s >= first && dataset.s < last);
    });
  }

  topmost() {
    const top = this.body.getBoundingClientRect().top;
    for (let number = this.blockAt(top + 4); number >= 0 && number < this.blocks.length; number++) {
      this.fill(this.blocks[number]);
      const spans = this.blocks[number].querySelectorAll(".s");
      const span = spans[firstWhere(spans.length, (one) => spans[one].getBoundingClientRect().bottom > top + 4)];
      if (span) return { sentence: Number(span.dataset.s), offset: span.getBoundingClientRect().top - top };
    }
    return null;
  }

  // ---- scrolling ------------------------------------------------------------------------------------------------

  // Scroll to the next cut, or to the previous one.
  step(direction) {
    const top = this.body.getBoundingClientRect().top;
    const here = this.blockAt(top + (direction > 0 ? 24 : -4));
    if (here < 0) return;
    // The block that begins above the top edge and ends below it is the one being read.
    const begins = this.blocks[here].getBoundingClientRect().top;
    const next = direction > 0 ? here + (begins <= top + 24) : here - (begins >= top - 4);
    const block = this.blocks[Math.max(0, next)];
    if (block) this.bring(block, 8);
  }

  scrollTo(sentence, offset, flash = false) {
    const [block] = this.blocksOf(sentence);
    if (!block) return;
    this.fill(block);
    const [span] = this.spansOf(sentence);
    this.bring(span, offset);
    if (flash) {
      span.classList.remove("jumped");
      requestAnimationFrame(() => span.classList.add("jumped"));
    }
  }

  // Scroll to a sentence unless it is already visible.
  keepInSight(sentence) {
    const [block] = this.blocksOf(sentence);
    if (!block) return;
    this.fill(block);
    const [span] = this.spansOf(sentence);
    const box = this.body.getBoundingClientRect();
    const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
    const at = span.getBoundingClientRect();
    if (at.top < top + 8 || at.bottom > bottom - 8) this.scrollTo(sentence, Math.max(60, (bottom - top) / 3));
  }

  bring(node, offset) {
    // Blocks out of sight have estimated heights: correct the position once they are laid out.
    for (let pass = 0; pass < 3; pass++) {
      const away = node.getBoundingClientRect().top - this.body.getBoundingClientRect().top - offset;
      if (Math.abs(away) > 1) this.body.scrollTop += away;
      this.fillSight();
    }
  }
}

function whenIdle(act) {
  if (globalThis.requestIdleCallback) requestIdleCallback(act, { timeout: 500 });
  else {
    setTimeout(() => {
      const end = performance.now() + 8;
      act({ timeRemaining: () => end - performance.now() });
    }, 20);
  }
}

// Make `nodes` the children of `parent` without touching those already in place.
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
