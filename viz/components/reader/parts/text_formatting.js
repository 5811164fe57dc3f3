// The drawing of a text's formatting, which comes with the text: bold headings, monospaced code, list markers before items.

import { el, firstWhere } from "../../shared/dom.js";
import { writePieces } from "./long_words.js";

/** @import { HeadingData, TextHead } from "../../browser_exchange.data.d.ts" */

const BLANK = /\n[^\S\n]*\n|\r\r/;

/**
 * Return the titles of the headings above an offset, outermost first, without a heading that begins there.
 * @param {HeadingData[]} headings
 * @param {number} place
 */
export function pathAt(headings, place) {
  /** @type {string[]} */
  const titles = [];
  const next = firstWhere(headings.length, (at) => headings[at].start >= place);
  let level = headings[next]?.start === place ? headings[next].level : 7;
  for (let at = next - 1; at >= 0 && level > 1; at--) {
    if (headings[at].level >= level) continue;
    level = headings[at].level;
    if (headings[at].title) titles.unshift(headings[at].title);
  }
  return titles;
}

/**
 * Return the sentences that begin a paragraph, except the first sentence of the text.
 * @param {string} text
 * @param {number[]} starts
 * @param {number[]} ends
 */
export const paragraphsOf = (text, starts, ends) =>
  starts.flatMap((start, at) => (at && BLANK.test(text.slice(ends[at - 1], start)) ? [at] : []));

/**
 * Write the part of a text from `from` to before `to` into a node.
 * @param {Node & ParentNode} node
 * @param {string} text
 * @param {number} from
 * @param {number} to
 * @param {TextHead["looks"]} looks
 */
export function write(node, text, from, to, looks) {
  for (const { start, end, kind } of partsOf(from, to, looks)) {
    writePieces(kind ? node.appendChild(el("span", kind)) : node, text.slice(start, end));
  }
}

/**
 * Divide the part from `from` to before `to` at the ends of formatted ranges.
 * @param {number} from
 * @param {number} to
 * @param {TextHead["looks"]} looks
 */
export function partsOf(from, to, looks) {
  /** @type {{ start: number, end: number, kind: string }[]} */
  const parts = [];
  let start = from;
  for (let at = firstWhere(looks.length, (number) => looks[number][1] > from); start < to; at++) {
    const [lookStart, lookEnd, kind] = looks[at] ?? [to, to, ""];
    const begin = Math.min(to, lookStart);
    if (begin > start) parts.push({ start, end: begin, kind: "" });
    const end = Math.min(to, lookEnd);
    if (end > Math.max(start, begin)) parts.push({ start: Math.max(start, begin), end, kind });
    start = end;
  }
  return parts;
}
