import assert from "node:assert/strict";
import { test } from "node:test";
import { capital, channels, firstWhere } from "../../viz/components/shared/dom.js";
import { counted, grouped, round, signed } from "../../viz/components/shared/format.js";

test("a score has two decimals, and one from 10 on", () => {
  assert.equal(round(0.256), "0.26");
  assert.equal(round(-3.1234), "−3.12");
  assert.equal(round(12.34), "12.3");
  assert.equal(round(-12.36), "−12.4");
});

test("a score has no zeros at its end, and none are taken from a whole number", () => {
  assert.equal(round(0.5), "0.5");
  assert.equal(round(2), "2");
  assert.equal(round(0), "0");
  assert.equal(round(-0.001), "0");
  assert.equal(round(10), "10");
  assert.equal(round(100), "100");
});

test("a difference has its sign, a minus as wide as the plus, and three decimals", () => {
  assert.equal(signed(0.12345), "+0.123");
  assert.equal(signed(-0.5), "−0.500");
  assert.equal(signed(0), "+0.000");
  assert.equal(signed(-0.0004), "+0.000");
});

test("a word begins with a capital", () => {
  assert.equal(capital("distance"), "Distance");
});

test("a colour has three channels, however it is written", () => {
  assert.deepEqual(channels("#ff8000"), [255, 128, 0]);
  assert.deepEqual(channels("rgb(14, 17, 23)"), [14, 17, 23]);
  assert.equal(channels(""), undefined);
});

test("the first of a row from which on something holds is found, wherever it is", () => {
  for (let count = 0; count < 9; count++) {
    for (let first = 0; first <= count; first++) {
      const found = firstWhere(count, (number) => number >= first);
      assert.equal(found, first);
    }
  }
});

test("of a long row only a few are looked at", () => {
  let looks = 0;
  firstWhere(1_000_000, (number) => {
    looks++;
    return number >= 777_777;
  });
  assert.ok(looks <= 20);
});

test("a count has its thousands grouped, and a noun in the plural unless it is 1", () => {
  assert.equal(grouped(999), "999");
  assert.equal(grouped(1414), "1,414");
  assert.equal(counted(1414, "disagreement"), "1,414 disagreements");
  assert.equal(counted(1, "disagreement"), "1 disagreement");
  assert.equal(counted(0, "gap"), "0 gaps");
  assert.equal(counted(2, "boundary", "boundaries"), "2 boundaries");
});
