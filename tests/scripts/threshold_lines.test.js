import assert from "node:assert/strict";
import { test } from "node:test";
import {
  candidateCuts,
  nearest,
  sameParameters,
  stopOfKey,
  ThresholdLines,
} from "../../viz/components/reader/threshold_lines.js";

/** @import { Stop } from "../../viz/components/reader/state.d.ts"
 * @import { LineData } from "../../viz/components/reader/payload.data.d.ts" */

/** @type {Stop[]} */
const RISING = [
  [10, 0.1],
  [20, 0.2],
  [30, 0.4],
  [40, 0.8],
];
/** @type {Stop[]} */
const FALLING = RISING.map(([amount, level]) => [amount, 1 - level]);

test("the nearest stop is found by its amount or by its level", () => {
  assert.equal(nearest(RISING, 29, 0), 2);
  assert.equal(nearest(RISING, 0.31, 1), 2);
  assert.equal(nearest(RISING, 0.29, 1), 1);
  assert.equal(nearest(RISING, -5, 1), 0);
  assert.equal(nearest(RISING, 99, 1), 3);
});

test("of stops that are as near as each other the first is taken", () => {
  assert.equal(nearest(RISING, 15, 0), 0);
  assert.equal(
    nearest(
      [
        [1, 0.5],
        [2, 0.5],
      ],
      0.5,
      1,
    ),
    0,
  );
});

test("up is up on the curve, whether the amount grows with it or not", () => {
  assert.equal(stopOfKey("ArrowUp", RISING, 20), 2);
  assert.equal(stopOfKey("ArrowDown", RISING, 20), 0);
  assert.equal(stopOfKey("ArrowUp", FALLING, 20), 0);
  assert.equal(stopOfKey("ArrowDown", FALLING, 20), 2);
  assert.equal(stopOfKey("ArrowRight", FALLING, 20), stopOfKey("ArrowUp", FALLING, 20));
  assert.equal(stopOfKey("ArrowLeft", RISING, 20), stopOfKey("ArrowDown", RISING, 20));
});

test("a key goes no further than the first stop and the last", () => {
  assert.equal(stopOfKey("ArrowDown", RISING, 10), 0);
  assert.equal(stopOfKey("ArrowUp", RISING, 40), 3);
  assert.equal(stopOfKey("PageUp", RISING, 10), 3);
  assert.equal(stopOfKey("PageDown", RISING, 40), 0);
  assert.equal(stopOfKey("Home", RISING, 30), 0);
  assert.equal(stopOfKey("End", FALLING, 30), 3);
});

test("a page is ten stops", () => {
  /** @type {Stop[]} */
  const many = Array.from({ length: 30 }, (_, number) => [number, number / 30]);
  assert.equal(stopOfKey("PageUp", many, 5), 15);
  assert.equal(stopOfKey("PageDown", many, 25), 15);
});

test("other keys move no line", () => {
  for (const key of ["Enter", "Tab", "a", "constructor"]) assert.equal(stopOfKey(key, RISING, 20), undefined);
});

/** @type {Pick<LineData, "level">[]} */
const LINES = [{ level: 0.5 }];
const CURVE = { live: true, above: true, scores: [0.2, null, 0.5, 0.7], lines: /** @type {LineData[]} */ (LINES) };

test("the candidates lie beyond the line, on the side that is cut", () => {
  assert.deepEqual(candidateCuts(CURVE, 0.4), [false, false, true, true]);
  assert.deepEqual(candidateCuts({ ...CURVE, above: false }, 0.4), [true, false, false, false]);
});

test("a score on the line is no candidate on either side", () => {
  assert.deepEqual(candidateCuts(CURVE, 0.7), [false, false, false, false]);
  assert.deepEqual(candidateCuts({ ...CURVE, above: false }, 0.2), [false, false, false, false]);
});

test("where the server put the line its verdicts hold, as they do where the line does not decide alone", () => {
  assert.equal(candidateCuts(CURVE, 0.5), null);
  assert.equal(candidateCuts(CURVE, null), null);
  assert.equal(candidateCuts({ ...CURVE, live: false }, 0.4), null);
});

/** @param {Partial<LineData>} some @returns {LineData} */
const lineAt = (some) => ({
  label: "threshold",
  parameter: "amount",
  value: 20,
  level: 0.2,
  stops: RISING,
  around: null,
  ...some,
});

/**
 * The lines of a plot that shows what the server sent last.
 * @param {LineData[]} lines
 */
function linesOf(lines) {
  const curve = { data: /** @type {{ lines: LineData[], live: boolean } | null} */ ({ lines, live: false }) };
  const made = new ThresholdLines(/** @type {any} */ ({ curve, axis: { draw() {} } }));
  made.update(null);
  return { made, curve };
}

test("an answer to an earlier move does not take the line back", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { made, curve } = linesOf([lineAt({})]);
  made.move(0, 2);
  made.moved = 5;
  curve.data = { lines: [lineAt({ value: 10, level: 0.1 })], live: false };
  made.update(4);
  assert.equal(made.list[0].value, 30);
  made.update(5);
  assert.equal(made.list[0].value, 10);
  assert.equal(made.moved, null);
});

test("another parameter's line is shown as the server has it", () => {
  const { made, curve } = linesOf([lineAt({})]);
  made.moved = 5;
  curve.data = { lines: [lineAt({ parameter: "merging", value: 40 })], live: false };
  made.update(null);
  assert.equal(made.list[0].value, 40);
  assert.ok(!sameParameters([lineAt({})], []));
});

/**
 * The lines of a plot over a curve that the line alone decides, moved to a stop.
 * @param {object} some of the curve
 * @param {number} stop
 */
function movedTo(stop, some = {}) {
  const data = {
    ...{ label: "distance", scores: [0.25, 0.4, null], above: true, live: true, constrained: false },
    ...{ reasons: ["distance 0.25 > 0.20", "distance 0.40 > 0.20", "no score"], lines: [lineAt({})], ...some },
  };
  const verdicts = ["cut", "cut", "kept"].map((name) => ({ name }));
  /** @type {any[]} */
  const said = [];
  const column = {
    preview: (/** @type {any[]} */ ...all) => said.push(["preview", ...all]),
    settle: () => said.push(["settle"]),
  };
  const made = new ThresholdLines(/** @type {any} */ ({ curve: { data, verdicts }, axis: { column, draw() {} } }));
  made.update(null);
  said.length = 0;
  made.move(0, stop);
  return { made, said };
}

test("while the line moves a gap is told as it decides; where the server put it, as the server did", () => {
  const { made } = movedTo(2);
  assert.deepEqual(made.decided(0), { name: "kept", reason: "distance 0.25 ≤ 0.40" });
  made.move(0, 1);
  assert.deepEqual(made.decided(0), { name: "cut", reason: "distance 0.25 > 0.20" });
  assert.deepEqual(made.decided(2), { name: "kept", reason: "no score" });
});

test("a score and a line that look alike are told apart, and equal ones are not beyond each other", () => {
  const { made } = movedTo(2, { scores: [0.4001, 0.4, null] });
  assert.equal(made.decided(0).reason, "distance 0.4001 > 0.4000");
  assert.deepEqual(made.decided(1), { name: "kept", reason: "distance 0.400000 ≤ 0.400000" });
});

test("where sizes or several lines decide the caption leaves it to the server", () => {
  assert.match(movedTo(2, { constrained: true }).made.decided(0).reason, /sizes apply when you let go$/);
  assert.deepEqual(movedTo(2, { live: false }).made.decided(0), {
    name: "decided when you let go",
    reason: "distance 0.25",
  });
});

test("a line that comes back to where the server put it gives the server's chunks back", () => {
  const { made, said } = movedTo(2);
  assert.equal(said[0][0], "preview");
  assert.deepEqual(said[0][1], [false, false, false]);
  made.move(0, 1);
  assert.deepEqual(said.at(-1), ["settle"]);
});
