// Conversion between selections in a column and offsets in its text. A chunk's node contains the chunk's text only; numbers,
// pages and badges are attributes.

import { firstWhere } from "../../shared/dom.js";

/**
 * @import { ColumnText } from "../column_text.js"
 */

/** @typedef {Pick<Range, "startContainer" | "startOffset" | "endContainer" | "endOffset">} Ends */

/** @param {Node} chunk */
function* textsOf(chunk) {
  const walker = document.createTreeWalker(chunk, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) yield/** @type {Text} */ (node);
}

/**
 * Returns start and end of a range in a chunk's text; null if the chunk has none of it.
 * @param {HTMLElement} chunk
 * @param {Range} range
 * @returns {[start: number, end: number] | null}
 */
function within(chunk, range) {
  let place = 0;
  let start = -1;
  let end = -1;
  for (const text of textsOf(chunk)) {
    if (range.intersectsNode(text)) {
      const from = text === range.startContainer ? range.startOffset : 0;
      const to = text === range.endContainer ? range.endOffset : text.length;
      if (from < to) {
        if (start < 0) start = place + from;
        end = place + to;
      }
    }
    place += text.length;
  }
  return start < 0 ? null : [start, end];
}

/**
 * Returns start and end of a selection in a column's text; null if the column has none of it.
 * @param {ColumnText} column
 * @param {Ends} ends
 * @returns {[start: number, end: number] | null}
 */
export function placesOf({ blocks, segments }, { startContainer, startOffset, endContainer, endOffset }) {
  if (!segments) return null;
  const range = document.createRange();
  range.setStart(startContainer, startOffset);
  range.setEnd(endContainer, endOffset);
  let start = -1;
  let end = -1;
  for (const block of blocks) {
    if (!block.chunk || !range.intersectsNode(block.chunk)) continue;
    const part = within(block.chunk, range);
    if (!part) continue;
    const begins = segments.start[block.number];
    if (start < 0) start = begins + part[0];
    end = begins + part[1];
  }
  return start < 0 ? null : [start, end];
}

/**
 * Return the DOM ranges that show a passage of a column's text; none where no nodes are built yet.
 * @param {ColumnText} column
 * @param {number} start
 * @param {number} end
 * @returns {Range[]}
 */
export function rangesOf({ blocks, segments }, start, end) {
  /** @type {Range[]} */
  const ranges = [];
  if (!segments) return ranges;
  for (const block of blocks) {
    const begins = segments.start[block.number];
    if (!block.chunk || begins >= end || segments.end[block.number] <= start) continue;
    const from = pointAt(block.chunk, Math.max(0, start - begins), false);
    const to = pointAt(block.chunk, Math.min(end, segments.end[block.number]) - begins, true);
    if (!from || !to) continue;
    const range = document.createRange();
    range.setStart(...from);
    range.setEnd(...to);
    ranges.push(range);
  }
  return ranges;
}

/**
 * Return the DOM point at an offset in a chunk's text; between nodes, the end of the first if `ending`, else the next's start.
 * @param {HTMLElement} chunk
 * @param {number} place
 * @param {boolean} ending
 * @returns {[node: Text, offset: number] | null}
 */
export function pointAt(chunk, place, ending) {
  let left = place;
  for (const text of textsOf(chunk)) {
    if (left < text.length || (ending && left === text.length)) return [text, left];
    left -= text.length;
  }
  return null;
}

/**
 * Returns the selection in the component's tree; null if there is none.
 * @param {Node} root
 * @returns {Ends | null}
 */
export function selectedIn(root) {
  const selection = getSelection();
  const tree = root.getRootNode();
  if (!selection || !(tree instanceof ShadowRoot)) return null;
  const [range] = selection.getComposedRanges({ shadowRoots: [tree] });
  if (!range || !tree.contains(range.startContainer) || !tree.contains(range.endContainer)) return null;
  const { startContainer, startOffset, endContainer, endOffset } = range;
  return startContainer === endContainer && startOffset === endOffset ? null : range;
}

/**
 * Return the sentence that contains an offset, or the next one.
 * @param {number[]} ends of the sentences
 * @param {number} place
 */
export function sentenceAt(ends, place) {
  const sentence = firstWhere(ends.length, (number) => ends[number] > place);
  return Math.max(0, Math.min(ends.length - 1, sentence));
}
