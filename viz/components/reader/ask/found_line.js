// The line below a column's name while a question is asked: the retrieved chunks, and the fate of the answer. Each rank is a
// button that scrolls to its chunk.

import { el } from "../../shared/dom.js";
import { counted } from "../../shared/format.js";
import { rankSign } from "./retrieved_chunks.js";

/** @import { AnswerFate, AskedColumn } from "../../../compare/questions/question_search.data.d.ts" */

const SHOWN = 5; // ranks that are buttons; the other chunks are found by scrolling

/**
 * Describes the fate of the answer.
 * @param {AnswerFate} fate
 */
export function fateSaid({ words, places, why }) {
  const named = places.map(({ rank, retrieved }) => rankSaid(rank, retrieved));
  return [[words, named.join(" · ")].filter(Boolean).join(" "), why].filter(Boolean).join("; ");
}

/**
 * @param {number | null} rank
 * @param {boolean} retrieved
 */
function rankSaid(rank, retrieved) {
  if (rank === null) return "not ranked";
  return retrieved ? rankSign(rank) : `rank ${rank}`;
}

/**
 * Describes the chunks that a question retrieves in a column.
 * @param {AskedColumn} asked
 */
export function foundSaid({ chunks, scores, tokens }) {
  if (!chunks.length) return "nothing found";
  return `${counted(chunks.length, "chunk")} of ${counted(tokens, "token")}, the best ${scores[0]}`;
}

/**
 * Draw the line.
 * @param {HTMLElement} root
 * @param {AskedColumn | null} asked
 * @param {(chunk: number) => void} go
 */
export function drawFound(root, asked, go) {
  root.replaceChildren();
  if (!asked) return;
  /**
   * @param {string} words
   * @param {string} label
   * @param {number} chunk
   */
  const button = (words, label, chunk) => {
    const made = el("button", "to", words);
    made.type = "button";
    made.title = label;
    made.setAttribute("aria-label", label);
    made.addEventListener("click", () => go(chunk));
    return made;
  };
  const { chunks, scores, said, tokens, cut, fate } = asked;
  const line = root.appendChild(el("div", "ranks"));
  chunks.slice(0, SHOWN).forEach((chunk, place) => {
    line.append(button(rankSign(place + 1), `Go to rank ${place + 1}: ${said[place]}`, chunk));
    if (!place) line.append(el("span", "score", scores[0]));
  });
  const more = chunks.length > SHOWN ? [`+${chunks.length - SHOWN}`] : [];
  const size = chunks.length ? counted(tokens, "token") : "nothing found";
  line.append(el("span", "given", [...more, size, ...(cut === null ? [] : ["last cut"])].join(" · ")));
  if (!fate) return;
  const verdict = root.appendChild(el("div", fate.good ? "fate good" : "fate wrong"));
  verdict.append(el("span", "", `${fate.words} `));
  fate.places.forEach(({ chunk, rank, retrieved }, place) => {
    if (place) verdict.append(" · ");
    const words = rankSaid(rank, retrieved);
    verdict.append(button(words, `Go to the chunk: ${rank === null ? words : `rank ${rank}`}`, chunk));
  });
  if (fate.why) verdict.append(el("span", "seam", ` · ${fate.why}`));
}
