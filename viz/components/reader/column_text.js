// The text of a column, in blocks. Blocks near the visible part are built first, the others when the browser is idle, so that
// its search finds the whole text.

import { all, arrange, el, firstWhere, whenIdle } from "../shared/dom.js";
import { fillBlock, makeBlock, updateBlock, updateSentences } from "./chunk_block.js";
import { statedByPart } from "./parts/stated_card.js";

const GROUP = 128; // sentences whose blocks form a group, which the browser lays out only near the visible part
const MOST_FILLED = 6e6; // characters of all columns up to which every block is built

/**
 * @import { Block } from "./chunk_block.js"
 * @import { Segments } from "./payload.data.d.ts"
 * @import { Reader } from "./reader.js"
 */

/**
 * Blocks that the browser lays out together: group `number` of the column, beginning with its block `first`.
 * @typedef {HTMLElement & { number: number, first: number, blocks: Block[] }} Group
 */

export class ColumnText {
  /** @type {Segments | null} */ segments = null;
  /** @type {Block[]} */ blocks = [];
  /** @type {Group[]} */ groups = [];
  /** @type {Map<string, Block>} */ drawn = new Map(); // the blocks by what they are made of
  /** @type {Block[] | null} */ whole = null; // the blocks, when all of them are built
  /** @type {Map<number, number[]>} */ splitting = new Map(); // the blocks of each chunk that lies in several places
  /** @type {Map<number, number[]>} */ stating = new Map(); // the chunks that begin with each block of which there is a card
  /** @type {Set<number>} */ partStarts = new Set(); // where the parts begin
  /** @type {Set<number>} */ astray = new Set(); // sentences that are not in the chunk of their section
  /** @type {Block[]} */ kin = []; // the other places of the chunk that is pointed at
  /** @type {number | null} */ frame = null;

  /** @param {Reader} reader */
  constructor(reader) {
    this.reader = reader;
    this.body = reader.texts.appendChild(el("div", "text"));
    this.body.tabIndex = 0;
    this.body.setAttribute("role", "region");
    this.body.addEventListener(
      "scroll",
      () => {
        this.frame ??= requestAnimationFrame(() => {
          this.frame = null;
          this.fillSight();
        });
      },
      { passive: true },
    );
  }

  forget() {
    this.drawn = new Map();
    this.blocks = [];
    this.groups = [];
  }

  /** @param {number} chunk */
  colour(chunk) {
    return (this.segments?.colours[chunk] ?? chunk) % this.reader.grounds;
  }

  /**
   * Draw the blocks, or `message` where there are none.
   * @param {Segments | null} segments
   * @param {string} [message]
   * @param {string} [tone]
   */
  draw(segments, message = "", tone = "") {
    const top = this.drawn.size ? this.topmost() : null;
    this.segments = segments;
    this.markKin(null);
    this.splitting = new Map(segments?.split.map((chunk) => [chunk, []]));
    this.stating = statedByPart(segments);
    this.partStarts = new Set(segments?.start);
    if (!segments?.start.length) {
      this.forget();
      const words = segments ? "No chunks: the text has no words." : message;
      this.body.replaceChildren(el("div", `message ${segments ? "" : tone}`, words));
      return;
    }
    this.arrangeBlocks(segments);
    for (const group of this.groups) {
      arrange(group, group.blocks);
      group.style.containIntrinsicSize = `auto ${group.blocks.reduce((sum, block) => sum + block.height, 0)}px`;
    }
    arrange(this.body, this.groups);
    this.fillSight();
    if (top && this.body.scrollTop) this.scrollTo(top.sentence, top.offset);
    this.fillAll();
  }

  /**
   * Put the blocks in order and into groups. Blocks whose text stays keep their nodes: while the line moves only few change.
   * @param {Segments} segments
   */
  arrangeBlocks(segments) {
    const before = this.drawn;
    const groups = new Map(this.groups.map((group) => [group.number, group]));
    this.forget();
    segments.start.forEach((start, number) => {
      for (const chunk of segments.over[number]) this.splitting.get(chunk)?.push(number);
      const key = `${start}:${segments.end[number]}:${segments.start[number + 1]}`;
      const block = before.get(key) ?? makeBlock(segments.end[number] - start);
      before.delete(key);
      block.number = number;
      if (block.filled) updateBlock(this, segments, block);
      this.drawn.set(key, block);
      this.blocks.push(block);
      const place = Math.floor(segments.from[number] / GROUP);
      let group = this.groups.at(-1);
      if (group?.number !== place) {
        group = Object.assign(groups.get(place) ?? el("div", "group"), { number: place, first: number, blocks: [] });
        this.groups.push(group);
      }
      group.blocks.push(block);
    });
    for (const block of before.values()) block.remove();
  }

  // ---- building blocks --------------------------------------------------------------------------------------------

  /** @param {Block} block */
  fill(block) {
    const { segments } = this;
    if (block.filled || !segments) return;
    fillBlock(this.reader, segments, block);
    updateBlock(this, segments, block);
    updateSentences(this, segments, block);
    this.reader.asking.markBlock(this, block);
    this.reader.horizon.markBlock(this, block);
  }

  // Show the marks and reasons of the known boundaries, or leave them out.
  updateBlocks() {
    const { segments } = this;
    if (segments) for (const block of this.blocks) if (block.filled) updateBlock(this, segments, block);
    this.updateAllSentences();
  }

  updateAllSentences() {
    const { segments } = this;
    if (segments) for (const block of this.blocks) if (block.filled) updateSentences(this, segments, block);
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
    /** @param {Pick<IdleDeadline, "timeRemaining">} deadline */
    const some = (deadline) => {
      if (blocks !== this.blocks) return;
      do this.fill(blocks[number++]);
      while (number < blocks.length && deadline.timeRemaining() > 1);
      if (number < blocks.length) whenIdle(some);
    };
    whenIdle(some);
  }

  // True if every block is built.
  get filled() {
    return !this.segments || this.whole === this.blocks;
  }

  /**
   * Mark the other blocks of a non-contiguous chunk.
   * @param {Block | null} block
   */
  markKin(block) {
    const over = (block && this.segments?.over[block.number]) ?? [];
    const kin = over.flatMap((chunk) => this.splitting.get(chunk) ?? []).map((number) => this.blocks[number]);
    for (const other of this.kin) other.classList.remove("kin");
    this.kin = kin.filter((other) => other !== block);
    for (const other of this.kin) other.classList.add("kin");
  }

  // ---- places ---------------------------------------------------------------------------------------------------

  /**
   * The first block that ends below a height in the browser's window.
   * @param {number} height
   */
  blockAt(height) {
    /** @param {Element[]} nodes */
    const at = (nodes) =>
      Math.min(
        nodes.length - 1,
        firstWhere(nodes.length, (number) => nodes[number].getBoundingClientRect().bottom > height),
      );
    const group = this.groups[at(this.groups)];
    return group ? group.first + at(group.blocks) : -1;
  }

  /** @param {number} sentence */
  blocksOf(sentence) {
    const { segments, reader } = this;
    /** @type {Block[]} */
    const blocks = [];
    if (!this.blocks.length || !segments) return blocks;
    const [start, end] = [reader.starts[sentence], reader.ends[sentence]];
    for (
      let number = firstWhere(this.blocks.length, (place) => segments.end[place] > start);
      segments.start[number] < end;
      number++
    )
      blocks.push(this.blocks[number]);
    return blocks;
  }

  /** @param {number} sentence */
  spansOf(sentence) {
    return this.blocksOf(sentence).flatMap((block) => (block.filled ? all(block, `[data-s="${sentence}"]`) : []));
  }

  /**
   * The nodes of the sentences from `first` to before `last`; builds their blocks if necessary.
   * @param {number} first
   * @param {number} last
   */
  spansBetween(first, last) {
    const [from, to] = [this.blocksOf(first)[0], this.blocksOf(last - 1).at(-1)];
    if (!from || !to) return [];
    return this.blocks.slice(from.number, to.number + 1).flatMap((block) => {
      this.fill(block);
      return all(block, ".s").filter(({ dataset }) => Number(dataset.s) >= first && Number(dataset.s) < last);
    });
  }

  topmost() {
    const top = this.body.getBoundingClientRect().top;
    for (let number = this.blockAt(top + 4); number >= 0 && number < this.blocks.length; number++) {
      this.fill(this.blocks[number]);
      const spans = all(this.blocks[number], ".s");
      const span = spans[firstWhere(spans.length, (place) => spans[place].getBoundingClientRect().bottom > top + 4)];
      if (span) return { sentence: Number(span.dataset.s), offset: span.getBoundingClientRect().top - top };
    }
    return null;
  }

  // ---- scrolling ------------------------------------------------------------------------------------------------

  /**
   * Scroll a sentence to `offset` pixels below the column's upper edge.
   * @param {number} sentence
   * @param {number} offset
   */
  scrollTo(sentence, offset) {
    const [block] = this.blocksOf(sentence);
    if (!block) return;
    this.fill(block);
    this.bring(this.spansOf(sentence)[0], offset);
  }

  /**
   * Flash a sentence.
   * @param {number} sentence
   */
  flash(sentence) {
    const [block] = this.blocksOf(sentence);
    if (!block) return;
    this.fill(block);
    const [span] = this.spansOf(sentence);
    span.classList.remove("jumped");
    requestAnimationFrame(() => span.classList.add("jumped"));
  }

  /**
   * @param {Element} node
   * @param {number} offset
   */
  bring(node, offset) {
    // Blocks out of sight have estimated heights: correct the position once they are laid out.
    for (let pass = 0; pass < 3; pass++) {
      const away = node.getBoundingClientRect().top - this.body.getBoundingClientRect().top - offset;
      if (Math.abs(away) > 1) this.body.scrollTop += away;
      this.fillSight();
    }
  }
}
