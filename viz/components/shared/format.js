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
