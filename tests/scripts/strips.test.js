import assert from "node:assert/strict";
import { test } from "node:test";
import { disagreements, votes } from "../../viz/components/reader/strips.js";

const COLUMNS = [
  [0, 4, 9, 12.5],
  [0, 9, 12.5],
  [0, 2, 9],
];

test("every column votes once for each place where it cuts, and for none at its beginning", () => {
  assert.deepEqual(
    [...votes(COLUMNS)].sort(([a], [b]) => a - b),
    [
      [2, 1],
      [4, 1],
      [9, 3],
      [12.5, 2],
    ],
  );
  assert.equal(votes([[0, 5, 5, 7]]).get(5), 1);
});

test("the columns disagree where some of them cut and some do not, in the order of the text", () => {
  assert.deepEqual(disagreements(votes(COLUMNS), 3), [2, 4, 12.5]);
  assert.deepEqual(disagreements(votes([[0, 10, 9, 100]]), 1), []);
  assert.deepEqual(disagreements(votes([[0, 100, 9], [0]]), 2), [9, 100]);
});
