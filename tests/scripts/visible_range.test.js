import assert from "node:assert/strict";
import { test } from "node:test";
import { CLOSEST, VisibleRange } from "../../viz/components/shared/visible_range.js";

/**
 * A text of 1000 sentences of which some are seen.
 * @param {number} from
 * @param {number} to
 */
function seen(from, to, count = 1000) {
  const range = new VisibleRange();
  range.reset(count);
  range.show(from, to);
  return range;
}

/** @param {VisibleRange} range */
const ends = ({ from, to }) => [from, to];

test("a new text is seen whole, or from its beginning", () => {
  const range = seen(100, 200);
  range.reset(50);
  assert.deepEqual(ends(range), [0, 50]);
  assert.equal(range.zoomed, false);
  range.reset(50, 20);
  assert.deepEqual(ends(range), [0, 20]);
  assert.equal(range.zoomed, true);
});

test("no fewer sentences are seen than at the closest zoom, and no more than there are", () => {
  assert.deepEqual(ends(seen(500, 501)), [500, 500 + CLOSEST]);
  assert.deepEqual(ends(seen(-50, 5000)), [0, 1000]);
  assert.deepEqual(ends(seen(0, 1, 3)), [0, 3]);
});

test("beyond an end of the text the stretch keeps its length", () => {
  assert.deepEqual(ends(seen(-30, 70)), [0, 100]);
  assert.deepEqual(ends(seen(950, 1050)), [900, 1000]);
});

test("it is drawn again when another stretch is seen, and only then", () => {
  const range = seen(100, 200);
  let drawn = 0;
  range.redraw = () => {
    drawn++;
  };
  range.show(100, 200);
  assert.equal(drawn, 0);
  range.show(101, 201);
  assert.equal(drawn, 1);
  range.showAll();
  range.showAll();
  assert.equal(drawn, 2);
});

test("zooming keeps the place that is named where it is", () => {
  for (const at of [110, 150, 199]) {
    const range = seen(100, 200);
    const before = range.x(at, 640);
    range.zoom(0.5, at);
    assert.equal(range.span, 50);
    assert.ok(Math.abs(range.x(at, 640) - before) < 1e-9);
  }
});

test("zooming keeps what is looked at if it is in sight, otherwise the middle", () => {
  const range = seen(100, 200);
  range.lookedAt = 120;
  range.zoom(0.5);
  assert.deepEqual(ends(range), [110, 160]);
  range.lookedAt = 900;
  range.zoom(0.5);
  assert.deepEqual(ends(range), [122.5, 147.5]);
});

test("zooming out stops at the whole text", () => {
  const range = seen(10, 60, 100);
  range.zoom(4);
  assert.deepEqual(ends(range), [0, 100]);
  range.zoom(2);
  assert.deepEqual(ends(range), [0, 100]);
});

test("a place in the open moves nothing, one at the edge a little, one far away comes to the middle", () => {
  const range = seen(100, 200);
  range.reveal(150);
  assert.deepEqual(ends(range), [100, 200]);
  range.reveal(195);
  assert.deepEqual(ends(range), [105, 205]);
  range.reveal(103);
  assert.deepEqual(ends(range), [93, 193]);
  range.reveal(600);
  assert.deepEqual(ends(range), [550, 650]);
});

test("a walk beyond the edge drags the stretch along", () => {
  const range = seen(100, 200);
  for (let at = 150; at < 260; at++) {
    range.reveal(at);
    assert.ok(range.holds(at));
  }
  assert.deepEqual(ends(range), [169, 269]);
});

test("a place is held from the first to the last that is seen", () => {
  const range = seen(100, 200);
  assert.deepEqual(
    [99.9, 100, 200, 200.1, undefined].map((at) => range.holds(at)),
    [false, true, true, false, false],
  );
});

test("the ends of the stretch lie at the ends of its picture", () => {
  const range = seen(100, 200);
  assert.deepEqual(
    [100, 150, 200, 90].map((at) => range.x(at, 640)),
    [0, 320, 640, -64],
  );
});

test("parts that touch the stretch are inside, those that end or begin at its edges are not", () => {
  const begins = [0, 100, 150, 199, 200, 300];
  const finish = [100, 150, 199, 200, 300, 1000];
  assert.deepEqual(seen(100, 200).inside(begins, finish), [1, 4]);
  assert.deepEqual(seen(120, 210).inside(begins, finish), [1, 5]);
  assert.deepEqual(seen(0, 1000).inside([], []), [0, 0]);
});

test("of many parts in one pixel the first stands for all", () => {
  const begins = Array.from({ length: 1024 }, (_, sentence) => sentence);
  const finish = begins.map((begin) => begin + 1);
  const parts = seen(0, 1024, 1024).seenOf(begins, finish, 128);
  assert.equal(parts.length, 128);
  assert.deepEqual(parts[1], { part: 8, left: 1, right: 1.125 });
});

test("parts of a pixel and more are all drawn", () => {
  const parts = seen(100, 200).seenOf([90, 110, 150, 151], [110, 150, 151, 400], 200);
  assert.deepEqual(
    parts.map(({ part, left, right }) => [part, left, right]),
    [
      [0, -20, 20],
      [1, 20, 100],
      [2, 100, 102],
      [3, 102, 600],
    ],
  );
});
