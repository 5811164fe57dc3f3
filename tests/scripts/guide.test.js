import assert from "node:assert/strict";
import { test } from "node:test";
import { inside } from "../../viz/components/shared/glossary_term.js";
import { groundOf, percent } from "../../viz/guide/pictures.js";
import { working } from "../../viz/shell/keyboard_shortcuts.js";

test("a definition moves into the window, and not beyond its left edge", () => {
  assert.equal(inside(100, 300, 400), 0);
  assert.equal(inside(200, 420, 400), -28);
  assert.equal(inside(-20, 180, 400), 28);
  assert.equal(inside(0, 500, 400), 8);
});

test("a text in several chunks has the colours of all of them", () => {
  assert.equal(groundOf([], 8), "none");
  assert.equal(groundOf([9], 8), "var(--ground-1)");
  const both = groundOf([0, 1], 8);
  assert.ok(both.includes("var(--ground-0) 0px 6px") && both.includes("var(--ground-1) 6px 12px"));
});

test("a share is drawn within the gauge", () => {
  assert.deepEqual([-1, 0, 0.1234, 1, 2].map(percent), ["0%", "0%", "12.3%", "100%", "100%"]);
});

test("keys are listed where what they need is on the page", () => {
  const rows = [
    { keys: ["?"], action: "list", within: "" },
    { keys: ["n"], action: "next", within: ".seamark" },
    { keys: ["Space"], action: "play", within: ".stepper" },
  ];
  const listed = working(rows, (selector) => selector === ".stepper").map(({ action }) => action);
  assert.deepEqual(listed, ["list", "play"]);
});
