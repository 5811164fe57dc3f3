// A block of a column's text, which belongs to one chunk or to the same overlapping chunks. Its nodes are built when it is
// filled, and updated when a new result leaves its text unchanged.

import { UNKNOWN } from "../shared/cut_sentence.js";
import { actButton, all, el, firstWhere, found } from "../shared/dom.js";
import { writePieces } from "./parts/long_words.js";
import { isTitle, pagesOf } from "./parts/source_pages.js";
import { showStated, statedKey } from "./parts/stated_card.js";
import { pathAt, write } from "./parts/text_formatting.js";

/**
 * @import { Words } from "../gaps/gap_marks.js"
 * @import { ColumnText } from "./column_text.js"
 * @import { Segments } from "./payload.data.d.ts"
 * @import { Reader } from "./reader.js"
 */

/**
 * @typedef {object} BlockState
 * @property {number} number Its place among the column's blocks.
 * @property {number} height Its estimated height, in pixels.
 * @property {boolean} filled True if its nodes are built.
 * @property {HTMLElement | null} why The element with the reason of its cut.
 * @property {HTMLElement | null} chunk The element with its text.
 * @property {string} pages The pages that its text is on, in words.
 * @property {string[]} path The titles of the headings above it.
 * @property {string} shown The content written by the last update.
 * @property {string} horizon A stepper's progress in it: "ahead", "open", or empty if all of it is in a chunk.
 * @typedef {HTMLElement & BlockState} Block
 */

/**
 * @param {number} length of its text
 * @returns {Block}
 */
export function makeBlock(length) {
  const height = Math.round(46 + (length / 42) * 25);
  const state = { number: 0, height, filled: false, why: null, chunk: null, pages: "", path: [], shown: "", horizon: "" };
  const block = Object.assign(el("div", "block"), state);
  block.style.height = `${height}px`;
  return block;
}

/**
 * Build the nodes of a block.
 * @param {Reader} reader
 * @param {Segments} segments
 * @param {Block} block
 */
export function fillBlock(reader, segments, block) {
  const { text, headings } = reader;
  const { number } = block;
  const [start, end] = [segments.start[number], segments.end[number]];
  block.filled = true;
  block.style.height = "";
  block.style.containIntrinsicSize = `auto ${block.height}px`;
  if (number > 0) {
    block.why = block.appendChild(el("div"));
    block.why.setAttribute("role", "note");
    block.why.append(reasonOf(reader, segments.from[number]));
  } else if (start > 0) writePieces(block.appendChild(el("span", "between")), text.slice(0, start));
  const chunk = block.appendChild(el("div"));
  block.chunk = chunk;
  chunk.append(el("span", "no"));
  block.path = pathAt(headings, start);
  const pages = pagesOf(reader.pages, start, end);
  block.pages = reader.pages?.kind === "chapter" && isTitle(pages, block.path[0]) ? "" : pages;
  if (block.pages) {
    const place = chunk.appendChild(el("span", `pages ${reader.pages?.kind}`));
    // As an attribute, like the number: it is no part of the text that a user selects and copies.
    place.dataset.pages = block.pages;
    place.title = block.pages;
  }
  if (block.path.length) {
    const path = chunk.appendChild(el("span", "path"));
    path.dataset.path = path.title = block.path.join(" › ");
  }
  chunk.setAttribute("role", "group");
  writeSentences(reader, chunk, start, end);
  const following = segments.start[number + 1] ?? text.length;
  if (following > end) writePieces(block.appendChild(el("span", "between")), text.slice(end, following));
}

/**
 * Write a passage of the text into a node, each sentence in its own element.
 * @param {Reader} reader
 * @param {HTMLElement} node
 * @param {number} start
 * @param {number} end
 */
export function writeSentences({ text, starts, ends, looks }, node, start, end) {
  let place = start;
  for (let next = firstWhere(ends.length, (sentence) => ends[sentence] > start); starts[next] < end; next++) {
    if (starts[next] > place) write(node, text, place, starts[next], looks);
    const from = Math.max(starts[next], place);
    const to = Math.min(ends[next], end);
    const span = el("span", "s");
    write(span, text, from, to, looks);
    span.dataset.s = String(next);
    node.append(span);
    place = to;
  }
  if (place < end) write(node, text, place, end, looks);
}

/**
 * Create the element with the reason of a cut: a button that opens the card, if the page has one. The Tab key skips it, since
 * there may be hundreds; n and p move to it.
 * @param {Reader} reader
 * @param {number} at
 */
function reasonOf(reader, at) {
  if (!reader.data?.card) {
    const plain = el("span");
    plain.dataset.act = "why";
    return plain;
  }
  const reason = actButton("", "why", () => reader.disagreements.open(at));
  reason.tabIndex = -1;
  reason.title = "What would change it";
  return reason;
}

/**
 * Update what may change while the block's text stays the same: number, colour and reason.
 * @param {ColumnText} column
 * @param {Segments} segments
 * @param {Block} block
 */
export function updateBlock(column, segments, block) {
  const every = segments.over[block.number];
  const outer = segments.outer[block.number] ?? 0;
  const over = every.slice(0, every.length - outer);
  const hides = hidesKnown(column);
  const label = hides ? segments.label[block.number].replace(UNKNOWN, "") : segments.label[block.number];
  const tone = hides ? segments.tone[block.number].replace("wrong", "") : segments.tone[block.number];
  const numbers = over.map((chunk) => chunk + 1);
  const grounds = over.map((chunk) => column.colour(chunk));
  const context = segments.contexts[(segments.context[block.number] ?? 0) - 1] ?? "";
  const stated = column.stating.get(block.number) ?? [];
  const shown = [numbers, grounds, outer, tone, label, context, statedKey(segments, stated)].join("|");
  if (block.shown === shown) return;
  block.shown = shown;
  const { why, chunk } = block;
  if (!chunk) return;
  if (why) {
    why.className = `why ${tone}`;
    why.title = label;
    why.setAttribute("aria-label", label);
    // As an attribute it is shown, but is not part of the text that a user selects and copies.
    const reason = found(why, "[data-act=why]");
    reason.dataset.why = label;
    if (reason instanceof HTMLButtonElement) reason.setAttribute("aria-label", label);
  }
  block.classList.toggle("child", outer > 0);
  block.classList.toggle("begins-parent", tone.includes("parent"));
  chunk.className = over.length > 1 ? "chunk shared" : "chunk";
  chunk.style.setProperty("--ground", `var(--ground-${grounds[0]})`);
  chunk.style.setProperty("--ground-b", `var(--ground-${grounds[grounds.length - 1]})`);
  chunk.style.setProperty("--edge", `var(--edge-${grounds[0]})`);
  showContext(chunk, context);
  showStated(column, segments, block, stated);
  const no = found(chunk, ".no");
  no.dataset.no = numbers.join("+");
  no.title = over.length > 1 ? `in chunks ${numbers.join(" and ")}` : "";
  const repeats = context && `repeats ${context.split(/\s+/).join(" ")}`;
  const named = [`chunk ${numbers.join("+")}`, block.pages, ...block.path, repeats];
  chunk.setAttribute("aria-label", named.filter(Boolean).join(", "));
}

/**
 * True if a stepper builds the column's result up, and its reader did not ask for the known boundaries.
 * @param {ColumnText} column
 */
const hidesKnown = (column) => column.reader.horizon.hidesKnown && column.reader.columns[0] === column;

/**
 * Show the text that a chunk repeats, such as the header of a cut table, above its text; nothing if empty.
 * @param {HTMLElement} chunk
 * @param {string} context
 */
function showContext(chunk, context) {
  const beside = all(chunk, ".context")[0] ?? el("span", "context");
  // As an attribute, like the number: it is no part of the text that a user selects and copies.
  beside.dataset.context = context;
  beside.title = `repeated next to this chunk, not part of its text:\n${context}`;
  if (!context) beside.remove();
  else if (!beside.isConnected) (all(chunk, ".path")[0] ?? all(chunk, ".pages")[0] ?? found(chunk, ".no")).after(beside);
}

/**
 * Update the marks of sentences while the block's text stays the same: sentences outside their section's chunk, missed known
 * boundaries, and the buttons of clickable gaps.
 * @param {ColumnText} column
 * @param {Segments} segments
 * @param {Block} block
 */
export function updateSentences(column, segments, block) {
  const { starts, marking } = column.reader;
  const hides = hidesKnown(column);
  const missed = hides ? new Set() : column.reader.missed;
  const start = segments.start[block.number];
  for (const span of all(block, ".s")) {
    const sentence = Number(span.dataset.s);
    const uncut = starts[sentence] >= start && missed.has(starts[sentence]) && !column.partStarts.has(starts[sentence]);
    const astray = !hides && column.astray.has(sentence);
    span.classList.toggle("missed", uncut);
    span.classList.toggle("astray", astray);
    const remarks = [uncut && "a known boundary that is not cut", astray && "not in the chunk of its section"].filter(
      Boolean,
    );
    span.title = remarks.join("; ");
  }
  if (marking.inColumns) updateGaps(column, segments, block, marking.words);
  else for (const button of all(block, ".gap")) button.remove();
}

/**
 * Update the buttons of the gaps before a block's sentences. They are reused, so that the focus stays where it is.
 * @param {ColumnText} column
 * @param {Segments} segments
 * @param {Block} block
 * @param {Words} words
 */
export function updateGaps(column, segments, block, words) {
  const { starts, marking } = column.reader;
  const buttons = new Map(all(block, ".gap").map((button) => [Number(button.dataset.gap), button]));
  for (const span of all(block, ".s")) {
    const sentence = Number(span.dataset.s);
    if (!sentence || starts[sentence] < segments.start[block.number]) continue;
    const button = buttons.get(sentence - 1) ?? marking.marks.button(sentence - 1, words);
    if (!button.isConnected) span.before(button);
    button.setAttribute("aria-pressed", String(marking.marks.set.has(sentence - 1)));
  }
}
