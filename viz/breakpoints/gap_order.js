// Filtering, sorting and keyboard navigation of the rows in the table of gaps.

import { grouped } from "../components/shared/format.js";

/**
 * @import { GapRows, StandingData } from "./gap_table.data.d.ts"
 */

/**
 * The column that the rows are sorted by, and whether the largest comes first.
 * @typedef {{ by: "gap" | "score" | "away" | "verdict", falling: boolean }} Sort
 */

/**
 * The rows to filter and sort, as one list per property, with the verdict of each row.
 * @typedef {Pick<GapRows, "scores" | "away" | "near" | "reasons"> & { standing: StandingData[] }} JudgedRows
 */

/**
 * Options of the filter: every gap, each verdict that occurs, and the gaps near the line, all with their counts.
 * @param {Pick<GapRows, "verdicts" | "near"> & { standing: StandingData[] }} rows
 * @returns {[value: string, words: string][]}
 */
export function filterOptions({ verdicts, standing, near }) {
  return [
    ["", `every gap (${grouped(standing.length)})`],
    ...verdicts.map((verdict) => {
      const count = standing.filter((other) => other === verdict).length;
      return /** @type {[string, string]} */ ([verdict.name, `${verdict.standing} (${grouped(count)})`]);
    }),
    ["near", `near the line (${grouped(near.filter(Boolean).length)})`],
  ];
}

/**
 * Return the rows with a verdict, or near the line, that contain the words in their reason or sentences.
 * @param {Pick<JudgedRows, "standing" | "near" | "reasons">} rows
 * @param {string} wanted the name of the verdict, "near", or empty for all rows
 * @param {string} words
 * @param {(entry: number) => string} textOf a row's sentences
 */
export function filterRows({ standing, near, reasons }, wanted, words, textOf) {
  const sought = words.trim().toLowerCase();
  /** @param {string} text */
  const holds = (text) => text.toLowerCase().includes(sought);
  return [...standing.keys()].filter((entry) => {
    if (wanted === "near" ? !near[entry] : wanted !== "" && standing[entry].name !== wanted) return false;
    return !sought || holds(reasons[entry]) || holds(textOf(entry));
  });
}

/**
 * Sort rows in place. Ties keep the text order, and gaps without a number come last in both directions.
 * @param {number[]} entries
 * @param {Pick<JudgedRows, "scores" | "away" | "standing">} rows
 * @param {StandingData[]} verdicts in their order
 * @param {Sort} sort
 */
export function sortRows(entries, { scores, away, standing }, verdicts, { by, falling }) {
  const values = {
    gap: () => [],
    score: () => scores,
    away: () => away.map((distance) => distance && Math.abs(distance)),
    verdict: () => standing.map((verdict) => verdicts.indexOf(verdict)),
  }[by]();
  const sign = falling ? -1 : 1;
  entries.sort((a, b) => {
    const [x, y] = by === "gap" ? [a, b] : [values[a], values[b]];
    if (x === null || y === null) return Number(x === null) - Number(y === null) || a - b;
    return sign * (x - y) || a - b;
  });
}

/**
 * Return the row to which a key moves, of the `count` shown; undefined if there is none or the key is another.
 * @param {string} key
 * @param {number} here the index of the selected row, -1 for none
 * @param {number} count
 * @param {number} page rows per page
 */
export function rowOfKey(key, here, count, page) {
  /** @type {Record<string, number>} */
  const places = {
    ArrowDown: here + 1,
    ArrowUp: here - 1,
    PageDown: here + page,
    PageUp: here - page,
    Home: 0,
    End: count - 1,
  };
  return count && Object.hasOwn(places, key) ? Math.max(0, Math.min(count - 1, places[key])) : undefined;
}
