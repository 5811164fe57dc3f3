// The arcs between the rows of a double pass, one for each merge, with their similarities.

import { el, firstWhere, svgEl } from "../components/shared/dom.js";

/**
 * @import { PassRows } from "./pass_rows.js"
 * @import { RowName } from "./rows.d.ts"
 * @import { SimilarityComparisonData } from "./passes.data.d.ts"
 */

/**
 * A comparison with its number.
 * @typedef {SimilarityComparisonData & { number: number }} Numbered
 */

/**
 * The position of an arc, in pixels of the drawing: its two ends, and how deep it hangs below them.
 * @typedef {{ left: number, right: number, top: number, depth: number }} Arc
 */

/**
 * The places of the rows for a size of type.
 * @typedef {{ type: number, room: number, rows: Record<RowName, [top: number, height: number]>, passOne: number, passTwo: number }} Places
 */

export const TYPE = 12; // pixels of the drawing

/**
 * Return the rows' tops and heights, the tops of the arcs of either pass, and the width of a digit.
 * @param {number} type
 * @returns {Places}
 */
export function placesFor(type) {
  const more = type - TYPE;
  const [sentences, minis, chunks, other] = [22 + 0.75 * more, 24 + more / 2, 24 + more / 2, 20 + 0.75 * more];
  const first = type + 8;
  const second = first + sentences + 62 + 0.8 * more;
  const third = second + minis + 88 + more;
  /** @type {Places["rows"]} */
  const rows = {
    sentences: [first, sentences],
    minis: [second, minis],
    chunks: [third, chunks],
    other: [third + chunks + 30, other],
  };
  return { type, room: (7 * type) / TYPE, rows, passOne: first + sentences + 2, passTwo: second + minis + 2 };
}

export const GROWTH = 5.3; // of all rows' height per pixel of type

const DEPTHS = { initial: 12, appending: 12, merging: 22, "over a snippet": 46, "over two snippets": 58 };

export class Arcs {
  /** @param {PassRows} rows */
  constructor(rows) {
    this.rows = rows;
  }

  /**
   * Draw pass one: a small arc between two sentences that join, and the similarity of every pair.
   * @param {ParentNode} layer
   * @param {ParentNode} values
   * @param {Numbered[]} level
   */
  drawFirst(layer, values, level) {
    const { places, wide, window } = this.rows;
    for (const comparison of level) {
      const at = comparison.right[0];
      if (at < window.from - 1 || at > window.to + 1) continue;
      this.drawArc(layer, comparison);
      if (wide <= 4 * places.room) continue;
      const kind = comparison.outcome === "joined" ? "" : "below";
      svgEl(
        "text",
        { x: this.rows.x(at), y: places.passOne + 17.6 + 0.7 * places.type, class: `value ${kind}` },
        values,
        comparison.value,
      );
    }
  }

  /**
   * Draw pass two: an arc from the growing chunk's last mini-chunk to the one that joins, and a post where the chunk ends.
   * @param {ParentNode} layer
   * @param {ParentNode} values
   * @param {Numbered[]} level
   */
  drawSecond(layer, values, level) {
    const { crowded, window } = this.rows;
    const free = [-Infinity, -Infinity, -Infinity];
    for (const comparison of level) {
      if (comparison.right[1] < window.from || comparison.left[1] - 1 > window.to) continue;
      if (comparison.outcome === "not above") {
        // The row below shows the cuts anyway.
        if (!crowded) this.drawPost(layer, values, comparison, free);
        continue;
      }
      const { left, right, top, depth } = this.drawArc(layer, comparison);
      if (crowded) continue;
      const over = comparison.tried.length ? ` over ${comparison.tried.join(", ")}` : "";
      const words = `${comparison.value}${over}${comparison.outcome === "joined" ? "" : " too long"}`;
      const line = comparison.kind === "merging" ? 0 : 1;
      this.drawValue(values, words, (left + right) / 2, top + depth + this.rows.places.type + 1, free, line, over && "over");
    }
  }

  /**
   * Draws the end of a chunk: a post, and the similarity.
   * @param {ParentNode} layer
   * @param {ParentNode} values
   * @param {Numbered} comparison
   * @param {number[]} free
   */
  drawPost(layer, values, comparison, free) {
    const { rows, room: digit, passTwo } = this.rows.places;
    const seam = this.rows.x(comparison.left[1]);
    const d = `M${seam} ${rows.minis[0] - 4}V${rows.chunks[0] - 22}`;
    svgEl("path", { d, class: "post" }, layer);
    svgEl("path", { d, class: "touch", "data-comparison": comparison.number }, layer);
    const words = `${comparison.value} closed`;
    const room = words.length * digit;
    const sides = [comparison.left[0], comparison.right[1]].map((at) => Math.abs(this.rows.x(at) - seam));
    if (Math.min(...sides) > room) this.drawValue(values, words, seam + room / 2 + 5, passTwo + 62, free, 2, "below");
  }

  /**
   * Draw a value unless it would overlap the previous one on its line, or leave the rows.
   * @param {ParentNode} layer
   * @param {string} words
   * @param {number} x of their middle
   * @param {number} y
   * @param {number[]} free where the next value of each line may begin
   * @param {number} line
   * @param {string} kind
   */
  drawValue(layer, words, x, y, free, line, kind) {
    const half = (words.length * this.rows.places.room) / 2;
    if (x - half < free[line] + 4 || x - half < 0 || x + half > this.rows.width) return;
    free[line] = x + half;
    svgEl("text", { x, y, class: `value ${kind}` }, layer, words);
  }

  /**
   * @param {SimilarityComparisonData} comparison
   * @returns {Arc}
   */
  arc(comparison) {
    return arcOf(comparison, this.rows.data?.minis ?? [], (at) => this.rows.x(at), this.rows.places);
  }

  /**
   * @param {ParentNode} layer
   * @param {Numbered} comparison
   */
  drawArc(layer, comparison) {
    const place = this.arc(comparison);
    const d = hang(place);
    if (kindOf(comparison)) svgEl("path", { d, class: `arc ${kindOf(comparison)}` }, layer);
    if (!this.rows.crowded) svgEl("path", { d, class: "touch", "data-comparison": comparison.number }, layer);
    return place;
  }

  /**
   * @param {ParentNode} layer
   * @param {SimilarityComparisonData} comparison
   */
  drawNow(layer, comparison) {
    const place = this.arc(comparison);
    svgEl("path", { d: hang(place), class: `now ${comparison.outcome === "joined" ? "" : "refused"}` }, layer);
    return place;
  }
}

/**
 * The path of an arc.
 * @param {Arc} arc
 */
const hang = ({ left, right, top, depth }) =>
  `M${left} ${top}C${left} ${top + depth * 1.33} ${right} ${top + depth * 1.33} ${right} ${top}`;

/**
 * Return the kind of mark for a decision; empty for none, as for a sentence that did not join in pass one.
 * @param {Pick<SimilarityComparisonData, "pass" | "kind" | "outcome">} comparison
 * @returns {"" | "merge" | "over" | "long" | "post"}
 */
export function kindOf(comparison) {
  if (comparison.outcome === "too long") return "long";
  if (comparison.outcome === "not above") return comparison.pass === 2 ? "post" : "";
  return comparison.kind.startsWith("over") ? "over" : "merge";
}

/**
 * Return the position of a comparison's arc: in pass one between two sentences, in pass two from the growing chunk's last
 * mini-chunk to the one compared.
 * @param {Pick<SimilarityComparisonData, "pass" | "kind" | "left" | "right">} comparison
 * @param {number[]} minis
 * @param {(at: number) => number} x
 * @param {Pick<Places, "passOne" | "passTwo">} places
 * @returns {Arc}
 */
export function arcOf(comparison, minis, x, places) {
  const depth = DEPTHS[comparison.kind];
  const right = x((comparison.right[0] + comparison.right[1]) / 2);
  if (comparison.pass === 1) return { left: x(comparison.right[0] - 0.5), right, top: places.passOne, depth };
  const last = firstWhere(minis.length, (number) => minis[number] >= comparison.left[1]) - 1;
  const [begin, end] = [x(Math.max(minis[last], comparison.left[0])), x(comparison.left[1])];
  return { left: (begin + end) / 2 + Math.min(9, (end - begin) * 0.3), right, top: places.passTwo, depth };
}

/**
 * Return the signs that occur in a text, with their meanings.
 * @param {Numbered[]} comparisons
 */
export function legendOf(comparisons) {
  const arc = hang({ left: 3, right: 23, top: 1, depth: 8 });
  const signs = {
    merge: ["merged", arc],
    over: ["merged over a snippet, which is hatched", arc],
    long: ["alike, but too long together", arc],
    post: ["closed", "M13 0V12"],
  };
  /** @type {Set<string>} */
  const kinds = new Set(comparisons.map((comparison) => kindOf(comparison)));
  const occurring = Object.entries(signs).filter(([kind]) => kinds.has(kind));
  return occurring.map(([kind, [words, d]]) => {
    const sample = svgEl("svg", { width: 26, height: 12, "aria-hidden": "true" });
    svgEl("path", { d, class: kind === "post" ? kind : `arc ${kind}` }, sample);
    const entry = el("span");
    entry.append(sample, words);
    return entry;
  });
}
