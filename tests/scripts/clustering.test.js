import assert from "node:assert/strict";
import { test } from "node:test";
import { placesOf } from "../../viz/clustering/chunk_list.js";
import { neighbour, owners, ramp, rowsOf } from "../../viz/components/heatmap/heatmap_drawing.js";
import { describePair, JointDistances } from "../../viz/components/heatmap/joint_distances.js";

/**
 * Distances of so many sentences, each as far in meaning as its number among the cells says.
 * @param {number} count
 * @param {number} block
 */
function distances(count, block, weight = 0.25) {
  const cells = Math.ceil(count / block);
  const meaning = Uint16Array.from({ length: cells * cells }, (_, cell) => (cell * 1000) % 65536);
  return new JointDistances({ block, weight, chunk_of: new Array(count).fill(0) }, { cells, meaning });
}

test("a row holds the sentences of its block, the last one fewer", () => {
  const seven = distances(7, 3);
  assert.deepEqual(
    [0, 1, 2].map((row) => seven.range(row)),
    [
      [0, 3],
      [3, 6],
      [6, 7],
    ],
  );
});

test("every sentence is in the row that holds it", () => {
  for (const [count, block] of [
    [7, 3],
    [8, 1],
    [400, 7],
  ]) {
    const made = distances(count, block);
    for (let sentence = 0; sentence < count; sentence++) {
      const [first, end] = made.range(made.row(sentence));
      assert.ok(first <= sentence && sentence < end);
    }
    assert.equal(made.row(count + 5), made.cells - 1);
  }
});

test("the distance in place of two rows is the mean over their pairs of sentences", () => {
  const made = distances(11, 4);
  for (let one = 0; one < made.cells; one++) {
    for (let other = 0; other < made.cells; other++) {
      const [first, end] = made.range(one);
      const [begin, stop] = made.range(other);
      let [sum, pairs] = [0, 0];
      for (let a = first; a < end; a++) {
        for (let b = begin; b < stop; b++, pairs++) sum += Math.abs(a - b) / made.count;
      }
      assert.ok(Math.abs(made.place(one, other) - sum / pairs) < 1e-12, `${one} ${other}`);
    }
  }
});

test("the distance in meaning is the cell of its row and column, from 0 to 1", () => {
  const made = distances(4, 1);
  assert.equal(made.meaning(2, 1), 9000 / 65535);
  assert.equal(made.meaning(1, 2), 6000 / 65535);
});

test("λ weighs place against meaning", () => {
  const made = distances(4, 1, 0.25);
  assert.equal(made.between(0, 3), 0.25 * 0.75 + 0.75 * (3000 / 65535));
  assert.equal(distances(4, 1, 0).between(0, 3), 3000 / 65535);
  assert.equal(distances(4, 1, 1).between(0, 3), 0.75);
});

test("a chunk owns the rows of its sentences, and the cells between them", () => {
  const data = { chunk_of: [0, 1, 0, 1, 1], grounds: [5, 2] };
  const two = distances(5, 2);
  assert.deepEqual(
    rowsOf(data, two).map((rows) => [...rows]),
    [
      [0, 1],
      [0, 1, 2],
    ],
  );
  const single = distances(5, 1);
  const owner = owners(data, single);
  assert.equal(owner[0 * 5 + 2], 5);
  assert.equal(owner[4 * 5 + 1], 2);
  assert.equal(owner[0 * 5 + 1], -1);
});

test("a ramp goes from colour to colour, opaque and in the order of a canvas", () => {
  const steps = ramp("#000000", "#ff8040");
  assert.equal(steps.length, 256);
  assert.equal(steps[0], 0xff000000);
  assert.equal(steps[255], 0xff4080ff);
  assert.equal(ramp("#000000", "#ff0000", 0.4)[0] & 0xff, 102);
});

test("arrows go from cell to cell and stop at the edges", () => {
  assert.deepEqual(neighbour("ArrowUp", [5, 7], 1, 20), [4, 7]);
  assert.deepEqual(neighbour("ArrowDown", [5, 7], 10, 20), [15, 7]);
  assert.deepEqual(neighbour("ArrowDown", [15, 7], 10, 20), [19, 7]);
  assert.deepEqual(neighbour("ArrowLeft", [5, 7], 10, 20), [5, 0]);
  assert.deepEqual(neighbour("ArrowRight", [5, 7], 1, 20), [5, 8]);
  assert.equal(neighbour("Home", [5, 7], 1, 20), null);
});

test("sentences of a chunk that follow each other are one place", () => {
  assert.deepEqual(placesOf([0, 0, 1, 0, 1, 1], 3), [
    [
      [0, 2],
      [3, 4],
    ],
    [
      [2, 3],
      [4, 6],
    ],
    [],
  ]);
});

test("a pair is told by its distance, what that is the sum of, its line and its chunks", () => {
  const four = distances(4, 1);
  const data = { weight: 0.25, line: /** @type {[string, number]} */ (["eps", 0.3]), chunk_of: [0, 0, 1, 1], block: 1 };
  // Place |0 - 2| / 4, meaning cell 2 of 65,535: 0.25 x 0.5 + 0.75 x 2000 / 65535 = 0.125 + 0.0229.
  assert.deepEqual(describePair(four, data, [0, 2]), {
    head: "Sentences 1 and 3",
    facts: ["distance 0.15, within eps 0.3", "chunks 1 and 2"],
    terms: "place 0.13 (0.25 × 0.50) + meaning 0.02 (0.75 × 0.03)",
    sentences: new Map([
      ["1", 0],
      ["3", 2],
    ]),
  });
  assert.deepEqual(describePair(four, data, [0, 1]).facts[1], "both in chunk 1");
});

test("a sentence with itself has no distance to tell, a block of sentences a mean one", () => {
  const data = { weight: 0, line: null, chunk_of: [0, 0, 1, 1], block: 1 };
  assert.deepEqual(describePair(distances(4, 1), data, [3, 3]), {
    head: "Sentence 4",
    facts: ["in chunk 2"],
    terms: "",
    sentences: new Map([["4", 3]]),
  });
  const blocks = describePair(distances(4, 2, 0), { ...data, block: 2 }, [0, 1]);
  assert.equal(blocks.head, "Sentences 1–2 and 3–4");
  assert.deepEqual(blocks.facts, ["mean distance 0.02", "chunks 1 and 2"]);
});
