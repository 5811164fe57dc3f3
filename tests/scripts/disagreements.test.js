import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bySize,
  cutsAt,
  disagreements,
  disputes,
  firstWords,
  stepFrom,
  votes,
  whoStands,
} from "../../viz/components/reader/disagreements/disagreement_positions.js";

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

test("a column cuts where one of its parts begins, but for the first", () => {
  assert.deepEqual(
    [0, 2, 4, 12.5, 13].map((at) => cutsAt(COLUMNS[0], at)),
    [false, false, true, true, false],
  );
  assert.equal(cutsAt([], 3), false);
});

/** @param {number} level @param {(number | null)[]} scores */
const curve = (level, scores, live = true) => ({
  label: "distance",
  scores,
  above: true,
  live,
  constrained: false,
  verdicts: [
    { name: "kept", cut: false, sized: false, overruled: false },
    { name: "forced", cut: true, sized: true, overruled: true },
  ],
  verdictOf: scores.map(() => "0").join(""),
  reasons: null,
  null: null,
  lines: [{ label: "", level, parameter: "amount", value: 1, stops: [], around: null }],
});

test("where one line decides for all, a dispute is as large as the less certain side is certain", () => {
  // The scores' standard deviation is 1; the first column cuts at 1, the other at 3.
  const one = { begins: [0, 1], curve: curve(0, [2, 0, 1, -1]) };
  const other = { begins: [0, 3], curve: curve(0.5, [0, 0, 2, 2]) };
  const { by, sizes } = disputes([1, 3], [one, other]);
  assert.equal(by, "certainty");
  const spread = Math.sqrt(1.25);
  assert.ok(Math.abs((sizes.get(1) ?? 0) - 0.5) < 1e-12);
  assert.ok(Math.abs((sizes.get(3) ?? 0) - 1 / spread) < 1e-12);
  // What a size decided is not certain by its score.
  const forced = { ...one, curve: { ...one.curve, verdictOf: "1000" } };
  assert.equal(disputes([1], [forced, other]).sizes.get(1), 0);
});

test("else a dispute is as large as its smaller side", () => {
  const columns = [
    [0, 1, 2],
    [0, 1, 3],
    [0, 2],
    [0, 1],
  ];
  const { by, sizes } = disputes(
    [1, 2, 3],
    columns.map((begins) => ({ begins, curve: null })),
  );
  assert.equal(by, "split");
  assert.deepEqual(
    [...sizes],
    [
      [1, 1],
      [2, 2],
      [3, 1],
    ],
  );
  assert.deepEqual(bySize([1, 2, 3], sizes), [2, 1, 3]);
  // Two lines decide together: the distance from one of them says little.
  assert.equal(disputes([1], [{ begins: [0, 1], curve: curve(0, [1], false) }]).by, "split");
});

test("one goes round the list, and from a place that is no disagreement any more to the nearest in the text", () => {
  const list = [8, 2, 5];
  assert.deepEqual(
    [undefined, 8, 2, 5].map((at) => stepFrom(list, at, 1)),
    [8, 2, 5, 8],
  );
  assert.deepEqual(
    [undefined, 8, 2, 5].map((at) => stepFrom(list, at, -1)),
    [5, 5, 8, 2],
  );
  assert.deepEqual(
    [1, 3, 9].map((at) => stepFrom(list, at, 1)),
    [2, 5, 2],
  );
  assert.deepEqual(
    [1, 3, 9].map((at) => stepFrom(list, at, -1)),
    [8, 2, 8],
  );
});

test("who stands against whom", () => {
  assert.equal(whoStands([2], [1, 3]), "column 2 stands alone");
  assert.equal(whoStands([1, 2, 4], [3]), "column 3 stands alone");
  assert.equal(whoStands([1, 2], [3, 4, 6]), "columns 1 and 2 cut, 3, 4 and 6 do not");
  assert.equal(whoStands([1], [2]), "");
});

test("a passage is named by its first words", () => {
  assert.equal(firstWords(" A short\n one. "), "A short one.");
  assert.equal(firstWords("Bread made with it rises on wild yeast and bacteria."), "Bread made with it rises on wild …");
  assert.equal(firstWords("W".repeat(50)), `${"W".repeat(36)} …`);
  assert.equal(firstWords("一".repeat(50)), `${"一".repeat(36)} …`);
});
