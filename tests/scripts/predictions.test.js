import assert from "node:assert/strict";
import { test } from "node:test";
import { placeOn } from "../../viz/components/stepper/gauge.js";
import { Predictions } from "../../viz/components/stepper/predictions.js";
import { limitOf } from "../../viz/double_pass/passes.js";

const step = (/** @type {number | null} */ gap, /** @type {boolean} */ right) => ({
  mark: { growing: null, next: null, middle: null, gap },
  prediction: { words: "Cut?", yes: "Cut", no: "No cut", right },
  gauge: { label: "distance", score: 0.4, threshold: 0.5, low: 0, high: 1 },
  story: ["Below the line: no cut."],
});
const steps = [step(0, true), step(1, false), step(null, true), { ...step(3, true), prediction: null }];

test("what is shown without a prediction is not counted, and of what is not at a gap nothing stays in the text", () => {
  const predictions = new Predictions();
  predictions.of(steps);
  for (const [at, said] of /** @type {const} */ ([
    [0, false],
    [1, false],
    [2, true],
    [3, null],
  ]))
    predictions.given.set(at, said);
  assert.deepEqual(predictions.tally(steps), { right: 2, count: 3 });
  assert.deepEqual(predictions.atGaps(steps), [
    [0, "no cut", false],
    [1, "no cut", true],
  ]);
});

test("other decisions are predicted from the beginning, but not the same ones in other words", () => {
  const predictions = new Predictions();
  predictions.of(steps);
  predictions.given.set(0, true);
  predictions.votesAt(0)[0][0] = 12;
  predictions.of(steps.map((one) => ({ ...one, story: [...one.story, "Optimal does not cut here either."] })));
  assert.equal(predictions.votesAt(0)[0][0], 12);
  predictions.of(steps.map((one) => ({ ...one, gauge: { ...one.gauge, score: 0.3 } })));
  assert.deepEqual(predictions.tally(steps), { right: 0, count: 0 });
  assert.equal(predictions.votesAt(0)[0][0], null);
});

test("a gauge has its ends at the least and the greatest value", () => {
  assert.equal(placeOn(-1, -1, 1), 10);
  assert.equal(placeOn(1, -1, 1), 190);
  assert.equal(placeOn(0, -1, 1), 100);
  assert.equal(placeOn(0.5, 0.5, 0.5), 100);
});

test("the rows of a double pass are drawn as far as the step", () => {
  const comparisons = /** @type {const} */ ([
    { pass: 1, right: [1, 2] },
    { pass: 1, right: [2, 3] },
    { pass: 2, right: [2, 3] },
  ]).map(({ pass, right }) => ({ pass, right: /** @type {[number, number]} */ ([...right]) }));
  const at = (/** @type {number} */ seen, /** @type {number | null} */ horizon) =>
    limitOf(comparisons, { growing: null, next: null, middle: null, gap: null, horizon, seen });
  assert.deepEqual(at(0, 0), { comparisons: 0, minis: 1, chunks: 0 });
  assert.deepEqual(at(1, 0), { comparisons: 1, minis: 2, chunks: 0 });
  assert.deepEqual(at(2, 2), { comparisons: 2, minis: Infinity, chunks: 2 });
  assert.deepEqual(at(1, null), { comparisons: Infinity, minis: Infinity, chunks: Infinity });
  assert.deepEqual(limitOf(comparisons, undefined), { comparisons: Infinity, minis: Infinity, chunks: Infinity });
});
