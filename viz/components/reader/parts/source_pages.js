// The pages, chapters, rows, slides or cells that contain a passage of the text.

import { firstWhere } from "../../shared/dom.js";

/** @import { Pages } from "../../browser_exchange.data.d.ts" */

/**
 * Describes the position of a passage: `p. 12`, `pp. 12–13`, `rows 2–9`, or the title of a chapter; empty in a text without pages.
 * @param {Pages | undefined} pages
 * @param {number} start
 * @param {number} end
 */
export function pagesOf(pages, start, end) {
  if (!pages) return "";
  const { kind, starts, names } = pages;
  /** @param {number} place */
  const at = (place) => Math.max(0, firstWhere(starts.length, (page) => starts[page] > place) - 1);
  const [first, last] = [at(start), at(Math.max(start, end - 1))];
  if (kind === "chapter") return first === last ? names[first] : `${names[first]} – ${names[last]}`;
  const [singular, plural] = kind === "page" ? ["p.", "pp."] : [kind, `${kind}s`];
  return first === last ? `${singular} ${names[first]}` : `${plural} ${names[first]}–${names[last]}`;
}

/**
 * True if a chapter's (possibly shortened) name is its outermost heading, which then need not be shown twice.
 * @param {string} name
 * @param {string | undefined} heading
 */
export const isTitle = (name, heading) =>
  heading !== undefined &&
  (name === heading || (name.length > 1 && name.endsWith("…") && heading.startsWith(name.slice(0, -1))));
