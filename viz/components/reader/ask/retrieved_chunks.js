// The chunks that a question retrieves, shown in a column with rank and score; other chunks are dimmed, and the end of the
// budget is marked.

import { all, el } from "../../shared/dom.js";
import { pointAt } from "./selection_offsets.js";

/**
 * @import { AskedColumn } from "../../../compare/questions/question_search.data.d.ts"
 * @import { Block } from "../chunk_block.js"
 * @import { Column } from "../column.js"
 * @import { Segments } from "../payload.data.d.ts"
 */

/** The chunks that a question retrieves, as a map from chunk number to rank, from 0. */
export class Hits {
  /** @param {AskedColumn} asked */
  constructor(asked) {
    this.asked = asked;
    this.places = new Map(asked.chunks.map((chunk, place) => [chunk, place]));
    this.last = asked.cut === null ? -1 : asked.chunks[asked.chunks.length - 1];
  }

  /**
   * The places, best first, of the retrieved ones among some chunks; the one in which the budget ends has nothing from there on.
   * @param {number[]} over
   * @param {number} start of their stretch of the text
   */
  among(over, start) {
    const { asked, last, places } = this;
    return over
      .filter((chunk) => places.has(chunk) && !(chunk === last && start >= Number(asked.cut)))
      .map((chunk) => Number(places.get(chunk)))
      .sort((a, b) => a - b);
  }

  /**
   * True if the budget ends within a part of the text and no other retrieved chunk covers it.
   * @param {Pick<Segments, "start" | "end" | "over">} segments
   * @param {number} part
   */
  endsIn({ start, end, over }, part) {
    const cut = this.asked.cut ?? -1;
    const within = cut > start[part] && cut < end[part] && over[part].includes(this.last);
    return within && this.among(over[part], start[part]).length === 1;
  }

  /**
   * Returns the retrieved share of a part of the text, from 0 to 1.
   * @param {Pick<Segments, "start" | "end" | "over">} segments
   * @param {number} part
   */
  shareOf(segments, part) {
    const [start, end] = [segments.start[part], segments.end[part]];
    return this.endsIn(segments, part) ? (Number(this.asked.cut) - start) / (end - start) : 1;
  }
}

const CIRCLED = 20;

/**
 * A rank as a sign.
 * @param {number} rank from 1
 */
export const rankSign = (rank) => (rank <= CIRCLED ? String.fromCodePoint(0x245f + rank) : `(${rank})`);

/**
 * Show on a block whether it is retrieved.
 * @param {Pick<Column, "segments">} column
 * @param {Block} block
 * @param {Hits | null} hits null where nothing is asked
 */
export function markBlock({ segments }, block, hits) {
  const { chunk, number } = block;
  if (!chunk || !segments) return;
  const [start, over] = [segments.start[number], segments.over[number]];
  const among = hits ? hits.among(over, start) : [];
  const ends = hits?.endsIn(segments, number) ?? false;
  block.classList.toggle("hit", among.length > 0);
  block.classList.toggle("passed", hits !== null && !among.length);
  showRank(chunk, hits, among, ends);
  showEnd(chunk, ends ? Number(hits?.asked.cut) - start : null);
}

/**
 * @param {HTMLElement} chunk
 * @param {Hits | null} hits
 * @param {number[]} among
 * @param {boolean} ends
 */
function showRank(chunk, hits, among, ends) {
  const badge = all(chunk, ".rank")[0] ?? el("span", "rank");
  if (!hits || !among.length) return badge.remove();
  const { scores, said } = hits.asked;
  const parts = among.map((place) => `${rankSign(place + 1)} ${scores[place]}`.trim());
  // As an attribute, like the number, so that it is not part of the text that a user selects and copies.
  badge.dataset.rank = parts.join(" ") + (ends ? " · cut" : "");
  const words = among.map((place) => `rank ${place + 1}: ${said[place]}`);
  badge.title = words.join("\n") + (ends ? "\nthe budget ends within it" : "");
  badge.setAttribute("role", "note");
  badge.setAttribute("aria-label", badge.title.split("\n").join("; "));
  if (!badge.isConnected) chunk.firstElementChild?.after(badge);
}

/**
 * Show where the budget ends in a chunk's text; nowhere if null.
 * @param {HTMLElement} chunk
 * @param {number | null} place
 */
function showEnd(chunk, place) {
  for (const before of all(chunk, ".ends")) {
    const around = before.parentNode;
    before.remove();
    around?.normalize();
  }
  const point = place === null ? null : pointAt(chunk, place, false);
  if (!point) return;
  const mark = el("span", "ends");
  mark.dataset.said = "the budget ends here";
  mark.setAttribute("role", "note");
  mark.setAttribute("aria-label", mark.dataset.said);
  const range = document.createRange();
  range.setStart(...point);
  range.insertNode(mark);
}
