// Positions, on the sentence axis, at which some columns cut and some do not.

import { firstWhere } from "../../shared/dom.js";

/**
 * @import { CurveData } from "../payload.data.d.ts"
 * @typedef {{ begins: number[], curve: CurveData | null }} Cutter where the parts of a column begin, and its scores
 */

/**
 * Counts the columns that cut at each place, from the starts of every column's parts.
 * @param {number[][]} begins
 * @returns {Map<number, number>}
 */
export function votes(begins) {
  const cutting = new Map();
  for (const places of begins) for (const at of new Set(places.slice(1))) cutting.set(at, (cutting.get(at) ?? 0) + 1);
  return cutting;
}

/**
 * Return the positions at which some but not all columns cut, in order.
 * @param {Map<number, number>} cutting
 * @param {number} columns
 */
export function disagreements(cutting, columns) {
  const places = [...cutting].filter(([, count]) => count < columns).map(([at]) => at);
  return places.sort((a, b) => a - b);
}

/**
 * True if a part other than the first begins at the position.
 * @param {number[]} begins
 * @param {number} at
 */
export function cutsAt(begins, at) {
  const place = firstWhere(begins.length, (part) => begins[part] >= at);
  return place > 0 && begins[place] === at;
}

/**
 * Return the gap at a position; null inside a sentence.
 * @param {number} at
 */
export const gapAt = (at) => (Number.isInteger(at) ? at - 1 : null);

/**
 * Return the size of the disagreement at each position. If a single line decides in every column, it is the certainty of the
 * less certain side: the largest distance of a score from its line, in standard deviations. Otherwise it is the number of
 * columns on the smaller side.
 * @param {number[]} places
 * @param {Cutter[]} cutters
 * @returns {{ by: "certainty" | "split", sizes: Map<number, number> }}
 */
export function disputes(places, cutters) {
  const margins = cutters.map(({ curve }) => (curve ? marginsOf(curve) : null));
  const known = margins.every((margin) => margin !== null);
  const by = known ? "certainty" : "split";
  const sizes = new Map();
  for (const at of places) {
    const [cut, kept] = [[0], [0]];
    cutters.forEach(({ begins }, number) => {
      const side = cutsAt(begins, at) ? cut : kept;
      side.push(margins[number]?.[gapAt(at) ?? -1] ?? 0);
    });
    sizes.set(at, known ? Math.min(Math.max(...cut), Math.max(...kept)) : Math.min(cut.length, kept.length) - 1);
  }
  return { by, sizes };
}

/**
 * Return the distance of each gap's score from the line, in standard deviations; 0 if something else decided. Null if no
 * single line decides.
 * @param {CurveData} curve
 */
function marginsOf({ live, lines, scores, verdicts, verdictOf }) {
  const level = lines[0]?.level ?? null;
  if (!live || level === null) return null;
  const there = scores.filter((score) => score !== null);
  const mean = there.reduce((sum, score) => sum + score, 0) / there.length;
  const deviation = Math.sqrt(there.reduce((sum, score) => sum + (score - mean) ** 2, 0) / there.length);
  return scores.map((score, gap) =>
    score === null || !deviation || verdicts[Number(verdictOf[gap])].overruled ? 0 : Math.abs(score - level) / deviation,
  );
}

/**
 * Sort positions by disagreement, largest first; ties are in text order.
 * @param {number[]} places
 * @param {Map<number, number>} sizes
 */
export const bySize = (places, sizes) => [...places].sort((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0) || a - b);

/**
 * Return the next or previous position in the list, wrapping around; from a position not in the list, the nearest one in the
 * text in that direction.
 * @param {number[]} list
 * @param {number | undefined} at
 * @param {1 | -1} direction
 */
export function stepFrom(list, at, direction) {
  const here = at === undefined ? -1 : list.indexOf(at);
  if (here >= 0) return list[(here + direction + list.length) % list.length];
  const sorted = [...list].sort((a, b) => a - b);
  if (at === undefined) return direction > 0 ? list[0] : list[list.length - 1];
  const beyond = direction > 0 ? sorted.find((place) => place > at) : sorted.findLast((place) => place < at);
  return beyond ?? (direction > 0 ? sorted[0] : sorted[sorted.length - 1]);
}

/**
 * Describes which of at least three columns cut: `column 2 stands alone`; empty for fewer, and if all agree.
 * @param {number[]} cut the numbers of the columns, from 1
 * @param {number[]} kept
 */
export function whoStands(cut, kept) {
  if (cut.length + kept.length < 3 || !cut.length || !kept.length) return "";
  const alone = cut.length === 1 ? cut : kept.length === 1 ? kept : null;
  return alone ? `column ${alone[0]} stands alone` : `columns ${listed(cut)} cut, ${listed(kept)} do not`;
}

/** @param {number[]} numbers */
const listed = (numbers) =>
  numbers.length < 2 ? numbers.join("") : `${numbers.slice(0, -1).join(", ")} and ${numbers[numbers.length - 1]}`;

/**
 * Return the first words of a passage, up to a number of characters.
 * @param {string} text
 */
export function firstWords(text, most = 36) {
  const line = text.trim().replace(/\s+/g, " ");
  if (line.length <= most) return line;
  const cut = line.slice(0, most + 1);
  const words = cut.lastIndexOf(" ") > most / 2 ? cut.slice(0, cut.lastIndexOf(" ")) : [...line.slice(0, most)].join("");
  return `${words} …`;
}
