import assert from "node:assert/strict";
import { test } from "node:test";
import { extent, including, ticks } from "../../viz/components/reader/curve.js";

test("ticks are round numbers between the ends", () => {
  assert.deepEqual(ticks(0, 1), [0, 0.25, 0.5, 0.75, 1]);
  assert.deepEqual(ticks(0.31, 0.52), [0.35, 0.4, 0.45, 0.5]);
  assert.deepEqual(ticks(-1, 1), [-1, -0.5, 0, 0.5, 1]);
  assert.deepEqual(ticks(-1.2, 5.6, 2), [0, 5]);
});

test("there are a few ticks on every scale, all of them inside", () => {
  for (const [low, high] of [
    [0, 0.03],
    [0.2, 0.9],
    [-3, 40],
    [1000, 1003],
    [-0.001, 250000],
  ]) {
    const places = ticks(low, high);
    assert.ok(places.length >= 2 && places.length <= 6, `${places}`);
    assert.ok(
      places.every((tick) => tick >= low - 1e-6 && tick <= high + 1e-6),
      `${places}`,
    );
  }
});

test("a distance or a similarity is drawn from 0 to 1, and further if a score is", () => {
  assert.deepEqual(extent({ label: "distance", scores: [0.2, null, 0.6], null: null }), [0, 1]);
  assert.deepEqual(extent({ label: "similarity (cosine)", scores: [-0.3, 0.6], null: null }), [-0.3, 1]);
});

test("another score is drawn from its least to its greatest", () => {
  assert.deepEqual(extent({ label: "gradient", scores: [null, 3, -2, null, 7], null: null }), [-2, 7]);
  // What is drawn of the shuffled text is within the plot, too.
  assert.deepEqual(extent({ label: "gain", scores: [3, null, 5], null: [1, 6] }), [1, 6]);
});

test("lines that lie beyond the scores are drawn, too", () => {
  assert.deepEqual(including([{ level: 9 }, { level: -4 }], [-2, 7]), [-4, 9]);
  assert.deepEqual(including([{ level: 3 }], [-2, 7]), [-2, 7]);
});

test("equal scores, and none at all, have room around them", () => {
  assert.deepEqual(including([], [4, 4]), [3.5, 4.5]);
  assert.deepEqual(including([], extent({ label: "gradient", scores: [null], null: null })), [0, 1]);
});
