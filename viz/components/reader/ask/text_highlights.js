// Parts of the text painted without elements, by the browser's custom highlights. Browsers without them show only the marks on
// chunks.

/** @typedef {"answer" | "beyond"} HighlightName */

/**
 * Paint these ranges, and no others, by the style sheet's `::highlight(seamark-…)`.
 * @param {HighlightName} name
 * @param {Range[]} ranges
 */
export function paintRanges(name, ranges) {
  if (typeof Highlight !== "function") return;
  if (ranges.length) CSS.highlights.set(`seamark-${name}`, new Highlight(...ranges));
  else CSS.highlights.delete(`seamark-${name}`);
}
