import assert from "node:assert/strict";
import { test } from "node:test";
import { stepsOfGaps, wholeNumber, within } from "../../viz/components/stepper/stepper.js";

test("a gap leads to the first step that is about it", () => {
  const steps = [null, 0, 0, 2, null, 2, 1].map((gap) => ({ mark: { gap } }));
  assert.deepEqual(
    [...stepsOfGaps(steps)],
    [
      [0, 1],
      [2, 3],
      [1, 6],
    ],
  );
});

test("a step that is not there is the nearest that is", () => {
  assert.equal(within(-3, 5), 0);
  assert.equal(within(4, 5), 4);
  assert.equal(within(5, 5), 4);
  assert.equal(within(7, 0), 0);
});

test("a field takes whole numbers and nothing else", () => {
  assert.equal(wholeNumber(" 12 "), 12);
  for (const text of ["", " ", "-1", "1.5", "1e3", "twelve", "0x10"]) assert.equal(wholeNumber(text), -1);
});
