// The joint distances between a text's sentences. The server sends the semantic distances once. The positional part is
// computed here, so that a new λ needs no new data.

/**
 * @import { HeatmapData } from "./heatmap.data.d.ts"
 */
/**
 * @import { Range } from "../shared/bus.js"
 * @import { Matrix } from "../shared/component.d.ts"
 */

export class JointDistances {
  /**
   * @param {Pick<HeatmapData, "block" | "weight" | "chunk_of">} data
   * @param {Matrix} matrix the mean distances in meaning between blocks of `block` sentences
   */
  constructor({ block, weight, chunk_of }, matrix) {
    this.block = block;
    this.weight = weight;
    this.count = chunk_of.length;
    this.cells = matrix.cells;
    this.meanings = matrix.meaning;
    this.middles = Array.from({ length: this.cells }, (_, row) => (this.range(row)[0] + this.range(row)[1] - 1) / 2);
  }

  /** @param {number} sentence */
  row(sentence) {
    return Math.min(this.cells - 1, Math.floor(sentence / this.block));
  }

  /**
   * The sentences of a row, as a half-open range.
   * @param {number} row
   * @returns {Range}
   */
  range(row) {
    return [row * this.block, Math.min(this.count, (row + 1) * this.block)];
  }

  /**
   * The mean of |a - b| / n over the pairs of two rows.
   * @param {number} row
   * @param {number} column
   */
  place(row, column) {
    if (row !== column) return Math.abs(this.middles[row] - this.middles[column]) / this.count;
    const [first, last] = this.range(row);
    return ((last - first) ** 2 - 1) / (3 * (last - first)) / this.count;
  }

  /**
   * @param {number} row
   * @param {number} column
   */
  meaning(row, column) {
    return this.meanings[row * this.cells + column] / 65535;
  }

  /**
   * @param {number} row
   * @param {number} column
   */
  between(row, column) {
    return this.weight * this.place(row, column) + (1 - this.weight) * this.meaning(row, column);
  }
}

/** @param {number} value */
export const hundredths = (value) => value.toFixed(2);
/** @param {number} value */
export const thousandths = (value) => String(Number(value.toFixed(3)));

/**
 * Describe a cell: `facts` state the distance and the chunks, `terms` the parts of the distance, and `sentences` maps the
 * rows' names to their first sentences.
 * @param {JointDistances} distances
 * @param {Pick<HeatmapData, "weight" | "line" | "chunk_of" | "block"> & Partial<Pick<HeatmapData, "lasts">>} data
 * @param {[row: number, column: number]} cell
 * @returns {{ head: string, facts: string[], terms: string, sentences: Map<string, number> }}
 */
export function describePair(distances, { weight, line, chunk_of, block, lasts }, [row, column]) {
  const ranges = [row, column].map((index) => distances.range(index));
  const names = ranges.map(([first, last]) => (last - first > 1 ? `${first + 1}–${last}` : String(first + 1)));
  const chunks = [...new Set(ranges.flatMap(([first, last]) => chunk_of.slice(first, last)))]
    .sort((a, b) => a - b)
    .map((chunk) => chunk + 1);
  const same = row === column && block === 1;
  const where =
    chunks.length > 1
      ? `chunks ${chunks.slice(0, -1).join(", ")} and ${chunks[chunks.length - 1]}`
      : `${same ? "" : "both "}in chunk ${chunks[0]}`;
  const sentences = new Map(names.map((name, index) => [name, ranges[index][0]]));
  if (lasts && row !== column) {
    const alike = `${block > 1 ? "mean " : ""}similarity ${hundredths(1 - distances.between(row, column))}`;
    return { head: `Sentences ${names[0]} and ${names[1]}`, facts: [alike], terms: "", sentences };
  }
  if (same) return { head: `Sentence ${names[0]}`, facts: [where], terms: "", sentences };
  const [place, meaning] = [distances.place(row, column), distances.meaning(row, column)];
  const distance = distances.between(row, column);
  const reach =
    line && block === 1 ? `, ${distance <= line[1] ? "within" : "beyond"} ${line[0]} ${thousandths(line[1])}` : "";
  const terms = weight
    ? `place ${hundredths(weight * place)} (${thousandths(weight)} × ${hundredths(place)}) + meaning ${hundredths((1 - weight) * meaning)} (${thousandths(1 - weight)} × ${hundredths(meaning)})`
    : "";
  const comparison = `${block > 1 ? "mean " : ""}distance ${hundredths(distance)}${reach}`;
  return { head: `Sentences ${names[0]} and ${names[1]}`, facts: [comparison, where], terms, sentences };
}
