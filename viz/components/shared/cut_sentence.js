// The sentence that explains a cut while its line moves. The server writes the same for results, in
// chunkers/results/result.py.

import { decimals } from "./format.js";
/** @import { CurveData } from "../reader/payload.data.d.ts" */

export const SIZES_FOLLOW = " · sizes apply when you let go";
export const UNKNOWN = " · not a known boundary";

/**
 * Format a number with at most so many significant digits, as Python's format "g" writes one too small for seventeen decimals.
 * @param {number} value
 * @param {number} most
 */
const digits = (value, most) =>
  value === 0
    ? "0"
    : value
        .toPrecision(most)
        .replace(/^(-?\d+)(?:\.0+|(\.\d*?)0+)(?=e|$)/, "$1$2")
        .replaceAll("-", "−");

/**
 * Format two numbers with as many decimals, from two to seventeen, as distinguish them; equal ones with six, and those that
 * differ even later with an exponent and as many digits, from six to seventeen, as distinguish them.
 * @param {number} score
 * @param {number} threshold
 */
export function toldApart(score, threshold) {
  if (score === threshold) return [decimals(score, 6), decimals(threshold, 6)];
  for (const [format, least] of /** @type {const} */ ([
    [decimals, 2],
    [digits, 6],
  ]))
    for (let places = least; places < 18; places++) {
      const [left, right] = [format(score, places), format(threshold, places)];
      if (left !== right) return [left, right];
    }
  return [digits(score, 6), digits(threshold, 6)];
}

/**
 * Format a score and the level with which it is compared.
 * @param {Pick<CurveData, "label" | "above">} curve
 * @param {number} score
 * @param {number} level
 * @param {boolean} passes
 */
export function comparison({ label, above }, score, level, passes) {
  const [left, right] = toldApart(score, level);
  const relation = above ? (passes ? ">" : "≤") : passes ? "<" : "≥";
  return `${label} ${left} ${relation} ${right}`;
}

/**
 * Return the sentence above a cut: the score and the level that it passes, whether size limits may still change it, and
 * whether it is `wrong`, that is not a known boundary.
 * @param {Pick<CurveData, "label" | "above" | "constrained">} curve
 * @param {number} score
 * @param {number} level
 * @param {boolean} wrong
 */
export function cutSentence(curve, score, level, wrong) {
  const cut = `cut: ${comparison(curve, score, level, true)}`;
  return cut + (curve.constrained ? SIZES_FOLLOW : "") + (wrong ? UNKNOWN : "");
}
