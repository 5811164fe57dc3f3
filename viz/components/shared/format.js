// How numbers are written on the page.

// A score with two decimals, or one from 10 on, and without trailing zeros.
export const round = (value) => (Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2)).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
