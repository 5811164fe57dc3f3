// On which pages of its file, or in which chapters of its book, a stretch of the text lies.

import { firstWhere } from "../../shared/dom.js";

/** @import { Pages } from "../../shared/component.d.ts" */

/**
 * Describes the position of a stretch: `p. 12`, `pp. 12–13`, or the title of a chapter; empty in a text without pages.
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
  return first === last ? `p. ${names[first]}` : `pp. ${names[first]}–${names[last]}`;
}

/**
 * True if a chapter is called as the outermost heading above it, which then need not stand there twice; its name may be cut.
 * @param {string} name
 * @param {string | undefined} heading
 */
export const isTitle = (name, heading) =>
  heading !== undefined &&
  (name === heading || (name.length > 1 && name.endsWith("…") && heading.startsWith(name.slice(0, -1))));
