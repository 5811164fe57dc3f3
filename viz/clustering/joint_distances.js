// The joint distances between a text's sentences. The server sends the distances in meaning once; the part that depends on
// their places is computed here, so that a new λ needs no new data.

export class JointDistances {
  // `matrix` holds the mean distances in meaning between blocks of `block` sentences; `weight` is λ.
  constructor({ block, weight, chunk_of }, matrix) {
    this.block = block;
    this.weight = weight;
    this.count = chunk_of.length;
    this.cells = matrix.cells;
    this.meanings = matrix.meaning;
    this.middles = Array.from({ length: this.cells }, (_, row) => (this.range(row)[0] + this.range(row)[1] - 1) / 2);
  }

  row(sentence) {
    return Math.min(this.cells - 1, Math.floor(sentence / this.block));
  }

  // The sentences of a row, as a half-open range.
  range(row) {
    return [row * this.block, Math.min(this.count, (row + 1) * this.block)];
  }

  // The mean of |a - b| / n over the pairs of two rows.
  place(one, other) {
    if (one !== other) return Math.abs(this.middles[one] - this.middles[other]) / this.count;
    const [first, last] = this.range(one);
    return ((last - first) ** 2 - 1) / (3 * (last - first)) / this.count;
  }

  meaning(one, other) {
    return this.meanings[one * this.cells + other] / 65535;
  }

  between(one, other) {
    return this.weight * this.place(one, other) + (1 - this.weight) * this.meaning(one, other);
  }
}
