// How numbers are written on the page, as chunkers/support/numbers.py writes them: with a minus sign, and a zero without one.

/**
 * A number with so many decimals: halfway between two it is the even one.
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
 * A number with at most six digits, as Python's format "g" writes one that is not too small.
 * @param {number} value
 */
export const sixDigits = (value) => String(Number(value.toPrecision(6))).replaceAll("-", "−");

/**
 * A score with two decimals, or one from 10 on, and without trailing zeros.
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
