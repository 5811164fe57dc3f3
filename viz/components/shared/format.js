// Number formats of the page, the same as in chunkers/support/formatting.py: with a true minus sign, and zero without a sign.

/**
 * Format a number with a fixed number of decimals, rounding half to even.
 * @param {number} value
 * @param {number} places
 */
export function decimals(value, places) {
  const size = Math.abs(value);
  const exact = size.toFixed(places + 40);
  const [kept, rest] = [exact.slice(0, -40), exact.slice(-40)];
  const downToEven = /^50*$/.test(rest) && /[02468]$/.test(kept);
  const written = downToEven ? kept : size.toFixed(places);
  return (value < 0 && /[1-9]/.test(written) ? "−" : "") + written;
}

/**
 * Format a number with at most six digits, as Python's format "g" does.
 * @param {number} value
 */
export const sixDigits = (value) => String(Number(value.toPrecision(6))).replaceAll("-", "−");

/**
 * Format a score with two decimals (one from 10 on), without trailing zeros.
 * @param {number} value
 */
export const round = (value) =>
  decimals(value, Math.abs(value) >= 10 ? 1 : 2)
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");

/**
 * Formats the distance of one score above or below another.
 * @param {number} value
 */
export const signed = (value) => decimals(value, 3).replace(/^(?!−)/, "+");

/**
 * Format a count with grouped thousands.
 * @param {number} count
 */
export const grouped = (count) => count.toLocaleString("en");

/**
 * Format a count with its noun, in the plural unless the count is 1; the plural is `several`, or the noun with an s.
 * @param {number} count
 * @param {string} what
 */
export const counted = (count, what, several = `${what}s`) => `${grouped(count)} ${count === 1 ? what : several}`;
