// The joint distances of a text's sentences. The server sends those in meaning once; what the place adds is worked out here,
// so that another λ sends none of it again.

/**
 * @import { Range } from "../components/shared/bus.js"
 * @import { Matrix } from "../components/shared/component.d.ts"
 */

export class JointDistances {
  /**
   * @param {{ block: number, weight: number, chunk_of: number[] }} data `weight` is λ
   * @param {Matrix} matrix of every `block` sentences
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
   * The sentences of a row.
   * @param {number} row
   * @returns {Range}
   */
  range(row) {
    return [row * this.block, Math.min(this.count, (row + 1) * this.block)];
  }

  /**
   * The mean of |a - b| / n over the pairs of two rows.
   * @param {number} one
   * @param {number} other
   */
  place(one, other) {
    if (one !== other) return Math.abs(this.middles[one] - this.middles[other]) / this.count;
    const [first, last] = this.range(one);
    return ((last - first) ** 2 - 1) / (3 * (last - first)) / this.count;
  }

  /**
   * @param {number} one
   * @param {number} other
   */
  meaning(one, other) {
    return this.meanings[one * this.cells + other] / 65535;
  }

  /**
   * @param {number} one
   * @param {number} other
   */
  between(one, other) {
    return this.weight * this.place(one, other) + (1 - this.weight) * this.meaning(one, other);
  }
}
