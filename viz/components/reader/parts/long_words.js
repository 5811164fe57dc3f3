// Text without white space, in pieces. Browsers shape such a text as a whole, which takes some of them the square of its
// length: a minute for 100,000 marks over one letter.

import { el } from "../../shared/dom.js";

const LONGEST_PIECE = 256; // characters of a piece, unless a letter with its marks would be torn
const MOST_MARKS = 64; // characters by which a piece may be longer for that
const UNBROKEN = new RegExp(`\\S{${LONGEST_PIECE + MOST_MARKS + 1}}`, "g");
const LETTER = /[^\p{M}\p{Cf}\p{Emoji_Modifier}]/u;
const LOOSE_MODIFIERS = /\p{Emoji_Modifier}{2}/u;
const JOINS = /[\u200c\u200d]$/;

/**
 * The places at which a text may be divided so that no piece without white space is long.
 * @param {string} text
 */
export function breaks(text) {
  /** @type {number[]} */
  const places = [];
  const [unbroken, space] = [new RegExp(UNBROKEN), /\s/g];
  for (let found = unbroken.exec(text); found; found = unbroken.exec(text)) {
    space.lastIndex = unbroken.lastIndex;
    const end = space.exec(text)?.index ?? text.length;
    for (let from = found.index + lengthAt(text, found.index); from < end; ) {
      const at = nextLetter(text, from, end);
      if (at < end) places.push(at);
      from = at + lengthAt(text, at);
    }
    unbroken.lastIndex = end;
  }
  return places;
}

/**
 * How long the piece that begins at a place may be: Chromium takes long for modifiers of emoji that have no emoji before them.
 * @param {string} text
 * @param {number} at
 */
const lengthAt = (text, at) => (LOOSE_MODIFIERS.test(text.slice(at, at + LONGEST_PIECE)) ? 16 : LONGEST_PIECE);

/**
 * The first place from `from` on where a letter begins; where none is near, that where a character does.
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
 * True if a place lies between the two halves of a character.
 * @param {string} text
 * @param {number} at
 */
const isInside = (text, at) => /[\uDC00-\uDFFF]/.test(text[at] ?? "") && /[\uD800-\uDBFF]/.test(text[at - 1] ?? "");

/**
 * Write text into a node, in pieces that a browser shapes one by one. No character is added that a user could copy.
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
 * An element of its own: across text nodes alone, Chromium looks through modifiers of emoji from the first on for each.
 * @param {string} text
 */
const piece = (text) => el("span", "", text);
