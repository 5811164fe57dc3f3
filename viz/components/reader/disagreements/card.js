// The content of the card on a disagreement: its place, and the verdict of each column.

import { actButton, el } from "../../shared/dom.js";
import { cutsAt, firstWords, gapAt } from "./disagreement_positions.js";

/**
 * @import { VerdictCell } from "../../../shell/card/verdicts.data.d.ts"
 * @import { Column } from "../column.js"
 * @import { Reader } from "../reader.js"
 * @import { Preview } from "./preview.js"
 */

/**
 * Return the sentences on both sides of a position, or the sentence that contains it.
 * @param {number} at
 */
export const sentencesAt = (at) => (gapAt(at) === null ? [Math.floor(at)] : [at - 1, at]);

/**
 * Draws the verdict of a column at a place.
 * @param {Column} column
 * @param {number} at
 * @param {VerdictCell | null} answer
 * @param {Preview} preview
 * @param {boolean} formula whether the formula with its values is shown
 */
export function cellOf(column, at, answer, preview, formula) {
  const cell = el("div", "verdict");
  cell.append(el("span", "number", String(column.index + 1)));
  if (!column.segments) {
    cell.append(el("span", "why-not", column.data?.message ?? ""));
    return cell;
  }
  const cuts = cutsAt(column.segments.from, at);
  cell.append(el("b", cuts ? "cut" : "kept", cuts ? "CUT" : "kept"));
  // While a line moves, the server has not yet decided.
  if (column.previewed) return cell;
  // A chunk may begin or end without a decision there, as overlaps do.
  const part = column.segments.from.indexOf(at);
  const agrees = answer?.cut === cuts;
  const reason = agrees ? answer.reason : answer && part > 0 ? column.segments.label[part] : "";
  cell.append(el("span", "reason", reason));
  if (formula && agrees) cell.append(...answer.formula.map((line) => el("p", "formula", line)));
  cell.append(changeOf(column, agrees ? answer : null, preview));
  return cell;
}

/**
 * Draws the change that would reverse a verdict, as a button that previews its other effects, and the undo of the last change.
 * @param {Column} column
 * @param {VerdictCell | null} answer
 * @param {Preview} preview
 */
function changeOf({ index }, answer, preview) {
  const line = el("span", "change");
  const { change, undo } = answer ?? { change: null, undo: "" };
  if (change) {
    const would = actButton(change.words, `would ${index}`, () => preview.press(index, change));
    would.classList.add("would");
    would.title = "Show what else it changes";
    would.setAttribute("aria-expanded", String(preview.isOf(index)));
    line.append(change.margin && `${change.margin}: `, would);
  }
  if (undo) {
    const back = actButton("Undo", `undo ${index}`, () => preview.undo());
    back.title = undo;
    line.append(change ? " · " : "", back);
  }
  return line;
}

/**
 * Describes a place, and whether it is a known boundary; empty without known boundaries.
 * @param {Reader} reader
 * @param {number} at
 */
export function placeSaid({ text, starts, ends, data }, at) {
  const [sentence] = sentencesAt(at);
  const where = `${gapAt(at) === null ? "inside" : "after"} “${firstWords(text.slice(starts[sentence], ends[sentence]))}”`;
  if (!data?.known) return [where];
  return [where, data.knownAt.includes(at) ? "a known boundary" : "not a known boundary"];
}
