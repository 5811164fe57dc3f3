import assert from "node:assert/strict";
import { test } from "node:test";
import { nextOrder, sorted } from "../../viz/components/score_table/score_table.js";

/** @import { RowData } from "../../viz/components/score_table/score_table.data.d.ts" */

/**
 * @param {number | null} column
 * @param {(number | null)[]} values
 * @returns {RowData}
 */
const row = (column, ...values) => ({
  column,
  kind: "",
  title: "",
  origin: "",
  settings: "",
  message: "",
  cells: values.map((value) => ({ text: "", value, why: "", best: false, dots: [] })),
});

test("a head sorts upwards, then downwards, then not", () => {
  assert.deepEqual(nextOrder(undefined, 2), { place: 2, down: false });
  assert.deepEqual(nextOrder({ place: 2, down: false }, 2), { place: 2, down: true });
  assert.equal(nextOrder({ place: 2, down: true }, 2), undefined);
  assert.deepEqual(nextOrder({ place: 2, down: true }, 0), { place: 0, down: false });
});

test("rows without a value come last in both directions, equal ones stay in their order", () => {
  const rows = [row(0, 3), row(1, null), row(2, 1), row(3), row(null, 3)];
  const places = (/** @type {RowData[]} */ made) => made.map((one) => rows.indexOf(one));
  assert.deepEqual(places(sorted(rows, undefined)), [0, 1, 2, 3, 4]);
  assert.deepEqual(places(sorted(rows, { place: 0, down: false })), [2, 0, 4, 1, 3]);
  assert.deepEqual(places(sorted(rows, { place: 0, down: true })), [0, 4, 2, 1, 3]);
  assert.deepEqual(places(sorted(rows, { place: -1, down: true })), [3, 2, 1, 0, 4]);
});
