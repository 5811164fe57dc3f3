// The formatting of a text: bold headings, monospaced code, list markers before items. It affects the drawing only, not
// offsets, sentences or chunks.

import { el, firstWhere } from "../../shared/dom.js";
import { writePieces } from "./long_words.js";
import { isSource, linesOf, markFences, monoRanges } from "./monospaced_ranges.js";

/**
 * @import { Line } from "./monospaced_ranges.js"
 * @typedef {"mono" | "heading" | "marker"} Kind
 * @typedef {{ start: number, end: number, kind: Kind }} Look
 * @typedef {{ start: number, end: number, level: number, title: string }} Heading
 * @typedef {{ looks: Look[], headings: Heading[] }} Looks
 */

const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const CLOSING = /(?:^|[ \t])#+[ \t]*$/; // of a heading with signs on both sides
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const ITEM = /^([ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+)\S/;
// Lines that do not belong to a paragraph, whose last line could be underlined.
const NO_PARAGRAPH = /^(?: {0,3}(?:>|#{1,6}(?:[ \t]|$)|[-*+][ \t]|\d{1,9}[.)][ \t]|\|)| {4}|\t)/;
const MARKS = /(\*\*|__|\*|`)(?=\S)(.+?)\1/g;
const LINK = /!?\[([^\]]*)\]\([^)]*\)/g;
const BLANK = /\n[^\S\n]*\n|\r\r/;
const LONGEST = 1000; // characters of a title that is searched for marks

/**
 * Return the formatted ranges of a text, in order and without overlap, and its headings.
 * @param {string} text
 * @returns {Looks}
 */
export function looksOf(text) {
  const lines = linesOf(text);
  if (isSource(lines)) return { looks: [{ start: 0, end: text.length, kind: "mono" }], headings: [] };
  const code = new Array(lines.length).fill(false);
  markFences(lines, code);
  const headings = headingsOf(lines, code);
  /** @type {Look[]} */
  const ranges = headings.map(({ start, end }) => ({ start, end, kind: "heading" }));
  lines.forEach(({ start, words }, at) => {
    const item = code[at] ? null : ITEM.exec(words);
    if (!item) return;
    const lead = item[1].length - item[1].trimStart().length;
    ranges.push({ start: start + lead, end: start + item[1].length, kind: "marker" });
  });
  const mono = monoRanges(text);
  for (let at = 0; at < mono.length; at += 2) ranges.push({ start: mono[at], end: mono[at + 1], kind: "mono" });
  // Among ranges with the same start the longest comes first; covered ones are left out.
  ranges.sort((a, b) => a.start - b.start || b.end - a.end);
  let end = 0;
  const looks = ranges.filter((look) => {
    if (look.start < end) return false;
    end = look.end;
    return true;
  });
  return { looks, headings };
}

/**
 * Return the headings of a text: lines that begin with number signs, and underlined paragraphs.
 * @param {Line[]} lines
 * @param {boolean[]} code lines that are code, whatever stands in them
 * @returns {Heading[]}
 */
function headingsOf(lines, code) {
  /** @type {Heading[]} */
  const headings = [];
  let first = -1; // the first line of the paragraph that may be underlined
  lines.forEach(({ start, words }, at) => {
    const signs = code[at] ? null : ATX.exec(words);
    const under = code[at] || first < 0 ? null : UNDERLINE.exec(words);
    if (signs) {
      const title = (signs[2] ?? "").replace(CLOSING, "").trim();
      const lead = words.length - words.trimStart().length;
      headings.push({
        start: start + lead,
        end: start + words.trimEnd().length,
        level: signs[1].length,
        title: plain(title),
      });
    } else if (under) {
      const title = lines
        .slice(first, at)
        .map((line) => line.words.trim())
        .join(" ");
      const lead = lines[first].words.length - lines[first].words.trimStart().length;
      const level = under[1].startsWith("=") ? 1 : 2;
      headings.push({ start: lines[first].start + lead, end: start + words.trimEnd().length, level, title: plain(title) });
    }
    const inParagraph = !code[at] && !signs && !under && words.trim() && (first >= 0 || !NO_PARAGRAPH.test(words));
    if (!inParagraph || ITEM.test(words)) first = -1;
    else if (first < 0) first = at;
  });
  return headings;
}

/** @param {string} title */
const plain = (title) =>
  title.length > LONGEST ? `${title.slice(0, LONGEST)}…` : title.replace(LINK, "$1").replace(MARKS, "$2");

/**
 * Return the titles of the headings above an offset, outermost first, without a heading that begins there.
 * @param {Heading[]} headings
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
 * @param {Look[]} looks
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
 * @param {Look[]} looks
 */
export function partsOf(from, to, looks) {
  /** @type {{ start: number, end: number, kind: Kind | "" }[]} */
  const parts = [];
  let start = from;
  for (let at = firstWhere(looks.length, (number) => looks[number].end > from); start < to; at++) {
    const look = looks[at];
    const begin = Math.min(to, look?.start ?? to);
    if (begin > start) parts.push({ start, end: begin, kind: "" });
    const end = Math.min(to, look?.end ?? to);
    if (look && end > Math.max(start, begin)) parts.push({ start: Math.max(start, begin), end, kind: look.kind });
    start = end;
  }
  return parts;
}
