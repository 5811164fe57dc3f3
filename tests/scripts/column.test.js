import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOf, previewOf } from "../../viz/components/reader/column.js";

const SENTENCES = { starts: [0, 10, 20, 30], ends: [9, 19, 29, 40] };
const CURVE = { label: "distance", scores: [0.25, 0.7, 0.9], above: true, constrained: false };

test("a preview ends a chunk after every candidate, and at the end of the text", () => {
  const made = previewOf(SENTENCES, CURVE, null, [false, true, false], 0.6);
  assert.deepEqual(
    [made.start, made.end],
    [
      [0, 20],
      [19, 40],
    ],
  );
  assert.deepEqual(
    [made.from, made.to],
    [
      [0, 2],
      [2, 4],
    ],
  );
  assert.deepEqual(made.over, [[0], [1]]);
  assert.deepEqual(made.split, []);
});

test("a preview without candidates is one chunk, and one of nothing has none", () => {
  assert.deepEqual(previewOf(SENTENCES, CURVE, null, [false, false, false], 1).start, [0]);
  assert.deepEqual(previewOf({ starts: [], ends: [] }, CURVE, null, [], 1).start, []);
});

test("a preview says the score and the line of every cut, the first chunk has none", () => {
  const above = previewOf(SENTENCES, CURVE, null, [false, true, true], 0.6);
  assert.deepEqual(above.label, ["", "cut: distance 0.70 > 0.60", "cut: distance 0.90 > 0.60"]);
  const below = previewOf(SENTENCES, { ...CURVE, above: false }, null, [true, false, false], 0.4);
  assert.deepEqual(below.label, ["", "cut: distance 0.25 < 0.40"]);
});

test("a preview says that sizes are still to be applied", () => {
  const made = previewOf(SENTENCES, { ...CURVE, constrained: true }, null, [true, false, false], 0.2);
  assert.match(made.label[1], / · sizes apply when you let go$/);
});

test("a cut in a preview that is no known boundary is marked", () => {
  const made = previewOf(SENTENCES, CURVE, [10], [true, true, false], 0.2);
  assert.deepEqual(made.tone, ["", "", "wrong"]);
  assert.match(made.label[2], / · not a known boundary$/);
  assert.doesNotMatch(made.label[1], /known/);
});

test("the name of a column has one full stop after what it says", () => {
  const wanted = "Column 2, Breakpoint: It waits. n and p go from cut to cut.";
  assert.deepEqual([nameOf(2, "Breakpoint", "It waits"), nameOf(2, "Breakpoint", "It waits.")], [wanted, wanted]);
});
