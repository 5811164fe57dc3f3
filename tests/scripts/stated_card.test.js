import assert from "node:assert/strict";
import { test } from "node:test";
import { statedByPart, statedKey } from "../../viz/components/reader/parts/stated_card.js";

/** @import { Segments, StatedData } from "../../viz/components/reader/payload.data.d.ts" */

const PARTS = {
  start: [],
  end: [],
  over: [],
  from: [],
  to: [],
  label: [],
  tone: [],
  split: [],
  colours: [],
  contexts: [],
  context: [],
  stated: [],
  outer: [],
  parentFrom: [],
  parentTo: [],
};

/**
 * @param {number} at
 * @param {string} title
 */
const one = (at, title) => ({ at, title, summary: "", propositions: [], left_out: [] });

/**
 * @param {StatedData[]} stated
 * @returns {Segments}
 */
const segments = (...stated) => ({ ...PARTS, stated });

test("a card stands where its chunk begins, and several may begin with one part", () => {
  const found = statedByPart(segments(one(0, "a"), one(0, "b"), one(3, "c")));
  assert.deepEqual(
    [...found],
    [
      [0, [0, 1]],
      [3, [2]],
    ],
  );
  assert.deepEqual([...statedByPart(segments()), ...statedByPart(PARTS), ...statedByPart(null)], []);
});

test("a card that says something else is another, and none is none", () => {
  const [before, after] = ["a", "b"].map((title) => statedKey(segments(one(0, title)), [0]));
  assert.notEqual(before, after);
  assert.equal(statedKey(segments(), []), "");
});
