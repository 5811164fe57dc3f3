// What a number or a verdict is called on the page.

/**
 * The numbers are the order of chunkers.Verdict: cut, kept, rejected, forced, merged.
 * @param {number} verdict
 */
export const isCut = (verdict) => verdict === 0 || verdict === 3;

/**
 * A score, with as many places as its size asks for and no zero at the end.
 * @param {number} value
 */
export const round = (value) => (Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2)).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
