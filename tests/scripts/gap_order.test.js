import assert from "node:assert/strict";
import { test } from "node:test";
import { filterOptions, filterRows, rowOfKey, sortRows } from "../../viz/breakpoints/gap_order.js";

/** @param {string} name */
const verdict = (name) => ({ name, standing: name, cut: name === "cut", sized: false, overruled: name === "merged" });
const VERDICTS = ["cut", "kept", "merged"].map(verdict);
const [CUT, KEPT, MERGED] = VERDICTS;
const ROWS = {
  scores: [0.5, null, 0.9, 0.1, 0.5],
  away: [0.1, null, 0.4, -0.3, -0.1],
  standing: [CUT, KEPT, CUT, KEPT, MERGED],
  near: [true, false, false, false, true],
  reasons: ["above the line", "no score", "above the line", "below the line", "too short"],
};
const TEXTS = ["One Bird sings", "Two boats", "A bird again", "", "nothing"];
const textOf = (/** @type {number} */ entry) => TEXTS[entry];
const ALL = [0, 1, 2, 3, 4];

/** @param {import("../../viz/breakpoints/gap_order.js").Sort} by */
function sorted(by) {
  const entries = [...ALL];
  sortRows(entries, ROWS, VERDICTS, by);
  return entries;
}

test("without a wish every row is shown", () => {
  assert.deepEqual(filterRows(ROWS, "", "  ", textOf), ALL);
});

test("rows are chosen by their verdict, or by being near the line", () => {
  assert.deepEqual(filterRows(ROWS, "cut", "", textOf), [0, 2]);
  assert.deepEqual(filterRows(ROWS, "merged", "", textOf), [4]);
  assert.deepEqual(filterRows(ROWS, "near", "", textOf), [0, 4]);
});

test("words are sought in the reason and in the sentences, whatever their case", () => {
  assert.deepEqual(filterRows(ROWS, "", " BIRD ", textOf), [0, 2]);
  assert.deepEqual(filterRows(ROWS, "", "Short", textOf), [4]);
  assert.deepEqual(filterRows(ROWS, "", "owl", textOf), []);
});

test("both wishes hold together", () => {
  assert.deepEqual(filterRows(ROWS, "near", "bird", textOf), [0]);
});

test("rows are sorted by place, both ways", () => {
  assert.deepEqual(sorted({ by: "gap", falling: false }), ALL);
  assert.deepEqual(sorted({ by: "gap", falling: true }), [4, 3, 2, 1, 0]);
});

test("rows without a score come last both ways, and equal scores stay in the order of the text", () => {
  assert.deepEqual(sorted({ by: "score", falling: false }), [3, 0, 4, 2, 1]);
  assert.deepEqual(sorted({ by: "score", falling: true }), [2, 0, 4, 3, 1]);
});

test("by distance from the line the nearest comes first, on whichever side it lies", () => {
  assert.deepEqual(sorted({ by: "away", falling: false }), [0, 4, 3, 2, 1]);
});

test("rows of one verdict stand together", () => {
  assert.deepEqual(sorted({ by: "verdict", falling: false }), [0, 2, 1, 3, 4]);
});

test("keys go from row to row and stop at the ends", () => {
  assert.equal(rowOfKey("ArrowDown", 3, 5, 10), 4);
  assert.equal(rowOfKey("ArrowDown", 4, 5, 10), 4);
  assert.equal(rowOfKey("ArrowUp", 0, 5, 10), 0);
  assert.equal(rowOfKey("PageDown", 0, 50, 10), 10);
  assert.equal(rowOfKey("PageUp", 5, 50, 10), 0);
  assert.equal(rowOfKey("Home", 30, 50, 10), 0);
  assert.equal(rowOfKey("End", 30, 50, 10), 49);
});

test("the first key that goes down chooses the first row; where there are no rows no key chooses one", () => {
  assert.equal(rowOfKey("ArrowDown", -1, 5, 10), 0);
  assert.equal(rowOfKey("End", -1, 0, 10), undefined);
  assert.equal(rowOfKey("Enter", 2, 5, 10), undefined);
});

test("the filter offers every verdict that occurs, each with its count", () => {
  assert.deepEqual(filterOptions({ ...ROWS, verdicts: VERDICTS }), [
    ["", "every gap (5)"],
    ["cut", "cut (2)"],
    ["kept", "kept (2)"],
    ["merged", "merged (1)"],
    ["near", "near the line (2)"],
  ]);
});
