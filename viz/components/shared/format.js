// How numbers are written on the page.

/**
 * A score with two decimals, or one from 10 on, and without trailing zeros.
 * @param {number} value
 */
export const round = (value) =>
  (Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2)).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");

/**
 * How far one score lies above or below another.
 * @param {number} value
 */
export const signed = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(3);

/**
 * A count, thousands grouped.
 * @param {number} count
 */
export const grouped = (count) => count.toLocaleString("en");

/**
 * A count with its noun, in the plural unless the count is 1: `several`, or the noun with an s.
 * @param {number} count
 * @param {string} what
 */
export const counted = (count, what, several = `${what}s`) => `${grouped(count)} ${count === 1 ? what : several}`;
