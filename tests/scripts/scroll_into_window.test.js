import assert from "node:assert/strict";
import { test } from "node:test";
import { scrollNeeded } from "../../viz/components/reader/parts/scroll_into_window.js";

test("what is in the window needs no scrolling", () => {
  assert.equal(scrollNeeded(200, 300, 200, 300), 0);
});

test("what is above or below is brought in by as little as it takes", () => {
  assert.equal(scrollNeeded(150, 180, 200, 700), -50);
  assert.equal(scrollNeeded(680, 730, 200, 700), 30);
});

test("of what is higher than the window the beginning is seen", () => {
  assert.equal(scrollNeeded(650, 1800, 200, 700), 450);
});
