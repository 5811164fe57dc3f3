import assert from "node:assert/strict";
import { test } from "node:test";
import { nextOrder, sorted } from "../../viz/components/score_table/score_table.js";

/** @import { Order } from "../../viz/components/score_table/score_table.js" */
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
  assert.deepEqual(nextOrder(undefined, "Added"), { head: "Added", down: false });
  assert.deepEqual(nextOrder({ head: "Added", down: false }, "Added"), { head: "Added", down: true });
  assert.equal(nextOrder({ head: "Added", down: true }, "Added"), undefined);
  assert.deepEqual(nextOrder({ head: "Added", down: true }, "Found"), { head: "Found", down: false });
});

test("rows without a value come last in both directions, equal ones stay in their order", () => {
  const rows = [row(0, 3), row(1, null), row(2, 1), row(3), row(null, 3)];
  const places = (/** @type {Order | undefined} */ order) =>
    sorted(rows, ["Column", "Chunks"], order).map((sortedRow) => rows.indexOf(sortedRow));
  assert.deepEqual(places(undefined), [0, 1, 2, 3, 4]);
  assert.deepEqual(places({ head: "Chunks", down: false }), [2, 0, 4, 1, 3]);
  assert.deepEqual(places({ head: "Chunks", down: true }), [0, 4, 2, 1, 3]);
  assert.deepEqual(places({ head: "Column", down: true }), [3, 2, 1, 0, 4]);
});

test("the order stays with its head when others come, and rests while the head is gone", () => {
  const order = { head: "Found", down: false };
  const columns = (/** @type {RowData[]} */ rows, /** @type {string[]} */ ...labels) =>
    sorted(rows, ["Column", ...labels], order).map(({ column }) => column);
  assert.deepEqual(columns([row(0, 2), row(1, 1)], "Found"), [1, 0]);
  assert.deepEqual(columns([row(0, 1, 2), row(1, 2, 1)], "Chunks", "Found"), [1, 0]);
  assert.deepEqual(columns([row(0, 2), row(1, 1)], "Chunks"), [0, 1]);
});
