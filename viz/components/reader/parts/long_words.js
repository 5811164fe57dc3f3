// Text without white space, in pieces. Browsers shape such a text as a whole, which takes quadratic time in some of them: a
// minute for 100,000 combining marks on one letter.

import { el } from "../../shared/dom.js";

const LONGEST_PIECE = 256; // characters of a piece, unless a letter with its marks would be torn
const MOST_MARKS = 64; // characters by which a piece may be longer for that
const UNBROKEN = new RegExp(`\\S{${LONGEST_PIECE + MOST_MARKS + 1}}`, "g");
const LETTER = /[^\p{M}\p{Cf}\p{Emoji_Modifier}]/u;
const LOOSE_MODIFIERS = /\p{Emoji_Modifier}{2}/u;
const JOINS = /[\u200c\u200d]$/;

/**
 * Return the offsets at which to divide a text so that no piece without white space is long.
 * @param {string} text
 */
export function breaks(text) {
  /** @type {number[]} */
  const places = [];
  const [unbroken, space] = [new RegExp(UNBROKEN), /\s/g];
  for (let match = unbroken.exec(text); match; match = unbroken.exec(text)) {
    space.lastIndex = unbroken.lastIndex;
    const end = space.exec(text)?.index ?? text.length;
    for (let from = match.index + lengthAt(text, match.index); from < end; ) {
      const at = nextLetter(text, from, end);
      if (at < end) places.push(at);
      from = at + lengthAt(text, at);
    }
    unbroken.lastIndex = end;
  }
  return places;
}

/**
 * Return the maximum length of the piece at an offset; Chromium is slow with emoji modifiers that follow no emoji.
 * @param {string} text
 * @param {number} at
 */
const lengthAt = (text, at) => (LOOSE_MODIFIERS.test(text.slice(at, at + LONGEST_PIECE)) ? 16 : LONGEST_PIECE);

/**
 * Return the first offset from `from` on at which a letter begins, or a character if no letter is near.
 * @param {string} text
 * @param {number} from
 * @param {number} end of what has no white space
 */
function nextLetter(text, from, end) {
  const whole = isInside(text, from) ? from + 1 : from;
  for (let at = whole; at < Math.min(from + MOST_MARKS, end); at++) {
    const next = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (!isInside(text, at) && LETTER.test(next) && !JOINS.test(text[at - 1])) return at;
  }
  return whole;
}

/**
 * True if an offset lies between the two halves of a surrogate pair.
 * @param {string} text
 * @param {number} at
 */
const isInside = (text, at) => /[\uDC00-\uDFFF]/.test(text[at] ?? "") && /[\uD800-\uDBFF]/.test(text[at - 1] ?? "");

/**
 * Write text into a node, in pieces that a browser shapes separately, without adding characters that a user could copy.
 * @param {Node & ParentNode} node
 * @param {string} text
 */
export function writePieces(node, text) {
  let from = 0;
  for (const at of breaks(text)) {
    node.append(piece(text.slice(from, at)), el("wbr"));
    from = at;
  }
  node.append(from ? piece(text.slice(from)) : text);
}

/**
 * Create a separate element, because across plain text nodes Chromium rescans emoji modifiers from the first one each time.
 * @param {string} text
 */
const piece = (text) => el("span", "", text);
