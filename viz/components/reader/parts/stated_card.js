// The card with a language model's title, summary and propositions, above the chunk's source text; each proposition shows its
// source.

import { all, el } from "../../shared/dom.js";
import { counted } from "../../shared/format.js";

/**
 * @import { Block } from "../chunk_block.js"
 * @import { ColumnText } from "../column_text.js"
 * @import { PropositionData, Segments, StatedData } from "../payload.data.d.ts"
 */

/**
 * Return the numbers of the chunks that begin with each part.
 * @param {Segments | null} segments
 * @returns {Map<number, number[]>}
 */
export function statedByPart(segments) {
  /** @type {Map<number, number[]>} */
  const chunksByPart = new Map();
  segments?.stated.forEach(({ at }, chunk) => {
    chunksByPart.set(at, [...(chunksByPart.get(at) ?? []), chunk]);
  });
  return chunksByPart;
}

/**
 * Returns the texts on the chunks that begin with a block, to detect changes.
 * @param {Segments} segments
 * @param {number[]} chunks
 */
export function statedKey(segments, chunks) {
  return chunks.length ? JSON.stringify(chunks.map((chunk) => [chunk, segments.stated[chunk]])) : "";
}

/**
 * Show the cards of the chunks that begin with a block before its text, outside the element in which answers are marked.
 * @param {ColumnText} column
 * @param {Segments} segments
 * @param {Block} block
 * @param {number[]} chunks
 */
export function showStated(column, segments, block, chunks) {
  for (const card of all(block, ".stated")) card.remove();
  for (const chunk of chunks) {
    const data = segments.stated[chunk];
    if (data) block.chunk?.before(cardOf(column, chunk, data));
  }
}

/**
 * @param {ColumnText} column
 * @param {number} chunk
 * @param {StatedData} data
 */
function cardOf(column, chunk, data) {
  const card = el("div", "stated");
  const name = `Chunk ${chunk + 1}`;
  card.setAttribute("role", "group");
  card.setAttribute("aria-label", data.title ? `${name}: ${data.title}` : name);
  card.style.setProperty("--ground", `var(--ground-${column.colour(chunk)})`);
  card.style.setProperty("--edge", `var(--edge-${column.colour(chunk)})`);
  card.append(el("div", "title", data.title ? `${chunk + 1} ${data.title}` : `${chunk + 1} without a title`));
  if (data.summary) card.append(el("div", "said", data.summary));
  const folded = el("details", "");
  folded.open = true;
  const list = el("ul");
  list.append(...data.propositions.map((proposition) => propositionOf(column, proposition)));
  folded.append(el("summary", "", counted(data.propositions.length, "proposition")), list);
  card.append(folded);
  if (data.left_out.length) card.append(leftOut(column, data.left_out));
  return card;
}

/**
 * Draws the propositions in no chunk, because their quotation is not in the text.
 * @param {ColumnText} column
 * @param {PropositionData[]} propositions
 */
function leftOut(column, propositions) {
  const folded = el("details", "left-out");
  folded.open = true;
  const list = el("ul");
  list.append(...propositions.map((proposition) => propositionOf(column, proposition, "said to be from")));
  const summary = `${counted(propositions.length, "proposition")} left out: the text has no such words`;
  folded.append(el("summary", "", summary), list);
  return folded;
}

/**
 * @param {ColumnText} column
 * @param {PropositionData} data
 * @param {string} from how it comes from its source
 */
function propositionOf(column, { text, start, end, first, last, remark }, from = "from") {
  const { reader } = column;
  const item = el("li");
  const button = item.appendChild(el("button", "", text));
  button.type = "button";
  button.title = `${from}: ${reader.text.slice(start, end)}`;
  const mark = () => reader.markRanges([[first, last + 1]]);
  button.addEventListener("pointerenter", mark);
  button.addEventListener("focus", mark);
  for (const event of ["pointerleave", "blur"]) button.addEventListener(event, () => reader.mark([]));
  button.addEventListener("click", () => {
    reader.jump(first);
    mark();
  });
  if (remark) item.append(el("span", "remark", remark));
  return item;
}
