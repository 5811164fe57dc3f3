import assert from "node:assert/strict";
import { test } from "node:test";
import { arcOf, kindOf, placesFor, TYPE } from "../../viz/double_pass/arcs.js";
import { nextDecision } from "../../viz/double_pass/passes.js";

/**
 * @import { Numbered } from "../../viz/double_pass/arcs.js"
 * @import { SimilarityComparisonData } from "../../viz/double_pass/passes.data.d.ts"
 */

/**
 * A comparison of the sentences up to a gap with the one after it.
 * @param {number} number
 * @param {1 | 2} pass
 * @param {number} gap
 * @param {Partial<SimilarityComparisonData>} others
 * @returns {Numbered}
 */
function comparison(number, pass, gap, others = {}) {
  return {
    number,
    pass,
    kind: pass === 1 ? "appending" : "merging",
    outcome: "joined",
    left: [gap - 1, gap],
    right: [gap, gap + 1],
    compared: [gap - 1, gap],
    value: "0.50",
    tried: [],
    decides: true,
    words: "",
    ...others,
  };
}

/** @type {[one: Numbered[], two: Numbered[]]} */
const LEVELS = [
  [comparison(0, 1, 1), comparison(1, 1, 2), comparison(2, 1, 5)],
  [comparison(3, 2, 2), comparison(4, 2, 6)],
];
/** @param {Numbered | null | undefined} one */
const number = (one) => one?.number;

test("keys go along the decisions of a pass and stop at its ends", () => {
  const [first, second, third] = LEVELS[0];
  assert.equal(number(nextDecision("ArrowRight", LEVELS, first)), 1);
  assert.equal(number(nextDecision("ArrowLeft", LEVELS, second)), 0);
  assert.equal(number(nextDecision("ArrowRight", LEVELS, third)), 2);
  assert.equal(number(nextDecision("Home", LEVELS, third)), 0);
  assert.equal(number(nextDecision("End", LEVELS, first)), 2);
});

test("across, a key leads to the decision at the same place or the next one", () => {
  assert.equal(number(nextDecision("ArrowDown", LEVELS, LEVELS[0][1])), 3);
  assert.equal(number(nextDecision("ArrowDown", LEVELS, LEVELS[0][2])), 4);
  assert.equal(number(nextDecision("ArrowUp", LEVELS, LEVELS[1][0])), 1);
  assert.equal(number(nextDecision("ArrowUp", LEVELS, LEVELS[1][1])), 2);
});

test("beyond the two passes there is no decision, and other keys lead nowhere", () => {
  assert.equal(nextDecision("ArrowUp", LEVELS, LEVELS[0][0]), null);
  assert.equal(nextDecision("ArrowDown", LEVELS, LEVELS[1][0]), null);
  assert.equal(nextDecision("Enter", LEVELS, LEVELS[0][0]), undefined);
});

test("the first key begins in pass two if that decided anything", () => {
  assert.equal(number(nextDecision("ArrowRight", LEVELS, null)), 3);
  assert.equal(number(nextDecision("ArrowRight", [LEVELS[0], []], null)), 0);
  assert.equal(nextDecision("ArrowRight", [[], []], null), null);
  assert.equal(nextDecision("ArrowDown", [LEVELS[0], []], LEVELS[0][0]), null);
});

test("a decision is drawn by what came of it", () => {
  assert.equal(kindOf(comparison(0, 1, 1)), "merge");
  assert.equal(kindOf(comparison(0, 1, 1, { outcome: "not above" })), "");
  assert.equal(kindOf(comparison(0, 2, 1, { outcome: "not above" })), "post");
  assert.equal(kindOf(comparison(0, 2, 1, { outcome: "too long", kind: "over a snippet" })), "long");
  assert.equal(kindOf(comparison(0, 2, 1, { kind: "over two snippets" })), "over");
});

test("an arc of pass one hangs between the middles of two sentences", () => {
  const { left, right } = arcOf(comparison(0, 1, 3), [], (at) => at * 10, placesFor(TYPE));
  assert.deepEqual([left, right], [25, 35]);
});

test("an arc of pass two begins in the last mini-chunk of the growing chunk", () => {
  const one = comparison(0, 2, 6, { left: [0, 6], right: [6, 8] });
  const { left, right } = arcOf(one, [0, 4, 6], (at) => at * 10, placesFor(TYPE));
  assert.deepEqual([left, right], [50 + Math.min(9, 20 * 0.3), 70]);
  assert.ok(
    arcOf({ ...one, kind: "over a snippet" }, [0, 4, 6], (at) => at, placesFor(TYPE)).depth >
      arcOf(one, [0, 4, 6], (at) => at, placesFor(TYPE)).depth,
  );
});
