import assert from "node:assert/strict";
import { test } from "node:test";
import { agreementAt, fillSteps, lengthsAt } from "../../viz/components/reader/parts/strip_density.js";
import { VisibleRange } from "../../viz/components/shared/visible_range.js";

/** @param {number} count @param {number} from @param {number} to */
function windowOf(count, from = 0, to = count) {
  const range = new VisibleRange();
  range.reset(count);
  range.show(from, to);
  return range;
}

test("a part has its length at every pixel of it", () => {
  assert.deepEqual(lengthsAt([0, 4, 6], [4, 6, 16], windowOf(16), 16), [4, 4, 4, 4, 2, 2, ...new Array(10).fill(10)]);
});

test("where several parts share a pixel the longest counts, and none is lost", () => {
  const begins = Array.from({ length: 100 }, (_, part) => part * 3);
  const ends = begins.map((at, part) => at + (part === 57 ? 3 : 1));
  const lengths = lengthsAt(begins, ends, windowOf(300), 30);
  assert.equal(lengths.length, 30);
  assert.equal(Math.max(...lengths), 3);
  assert.equal(lengths.indexOf(3), 17);
  assert.ok(lengths.every((length) => length >= 1));
});

test("what is not covered has no length, and only the window is shown", () => {
  assert.deepEqual(lengthsAt([0, 12], [4, 16], windowOf(16), 4), [4, 0, 0, 4]);
  assert.deepEqual(lengthsAt([0, 12], [4, 16], windowOf(16, 8, 16), 4), [0, 0, 4, 4]);
});

test("agreement is the mean share of the columns, over the places in a stretch where any cuts", () => {
  const cutting = new Map([
    [1, 4],
    [2, 2],
    [9, 1],
  ]);
  assert.deepEqual(agreementAt(cutting, 4, windowOf(16), 16, 4), [0.75, 0, 0.25, 0]);
  assert.deepEqual(agreementAt(cutting, 4, windowOf(16, 8, 16), 8, 4), [0.25, 0]);
  assert.deepEqual(agreementAt(new Map(), 4, windowOf(16), 8, 4), [0, 0]);
});

test("steps are one path, closed at the bottom", () => {
  /** @type {(string | number)[][]} */
  const drawn = [];
  const pen = new Proxy(
    {},
    {
      get:
        (_, name) =>
        (/** @type {number[]} */ ...at) =>
          drawn.push([String(name), ...at]),
    },
  );
  fillSteps(/** @type {any} */ (pen), [3, 0], 2, 8);
  assert.deepEqual(drawn, [
    ["beginPath"],
    ["moveTo", 0, 8],
    ["lineTo", 0, 5],
    ["lineTo", 2, 5],
    ["lineTo", 2, 8],
    ["lineTo", 4, 8],
    ["lineTo", 4, 8],
    ["fill"],
  ]);
});
