import assert from "node:assert/strict";
import { test } from "node:test";
import { briefOf, subtitleAt } from "../../viz/components/reader/parts/column_head.js";

/** @type {[string, string]} */
const AROUND = ["percentile ", ", buffer 1"];

test("the settings follow the line that moves", () => {
  assert.equal(subtitleAt("percentile 70, buffer 1", { around: AROUND, value: 72.5 }, 70), "percentile 72.5, buffer 1");
  assert.equal(
    subtitleAt("percentile 0.1, buffer 1", { around: AROUND, value: 0.30000000000000004 }, 0.1),
    "percentile 0.3, buffer 1",
  );
});

test("settings that do not name the amount, or say more, stay as they are", () => {
  assert.equal(subtitleAt("all sentences", { around: null, value: 72.5 }, 70), "all sentences");
  assert.equal(
    subtitleAt("best: percentile 70, buffer 1", { around: AROUND, value: 72.5 }, 70),
    "best: percentile 70, buffer 1",
  );
});

/** @param {number} count @param {number} wrong */
const made = (count, wrong) => ({
  start: Array.from({ length: count }, (_, part) => part),
  tone: Array.from({ length: count }, (_, part) => (part && part <= wrong ? "wrong" : "")),
});

test("a preview is counted, singular and plural", () => {
  assert.deepEqual(briefOf(made(1, 0), null, false), [["1 chunk", ""]]);
  assert.deepEqual(briefOf(made(1234, 0), null, true), [["1,234 chunks before sizes", ""]]);
});

test("a preview's cuts are held against the known boundaries, in the server's words", () => {
  assert.deepEqual(briefOf(made(6, 2), [1, 2, 3], false)[1], ["0 missed, 2 added", "wrong"]);
  assert.deepEqual(briefOf(made(2, 1), [1, 2, 3], false)[1], ["3 missed, 1 added", "wrong"]);
  assert.deepEqual(briefOf(made(4, 0), [1, 2, 3], false)[1], ["all 3 found", ""]);
  const many = Array.from({ length: 1414 }, (_, at) => at + 1);
  assert.deepEqual(briefOf(made(1415, 0), many, false), [
    ["1,415 chunks", ""],
    ["all 1,414 found", ""],
  ]);
  assert.deepEqual(briefOf(made(2, 1), many, false)[1], ["1,414 missed, 1 added", "wrong"]);
  assert.deepEqual(briefOf(made(1, 0), [], false)[1], ["one topic, not cut", ""]);
});
