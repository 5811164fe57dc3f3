import assert from "node:assert/strict";
import { test } from "node:test";
import { groundCount, keepFocus } from "../../viz/components/shared/dom.js";
import { FakeButtons, makeRoot } from "./fake_page.js";

/** @param {string} count what the styles say */
function styled(count) {
  const style = { getPropertyValue: () => count };
  globalThis.getComputedStyle = () => /** @type {CSSStyleDeclaration} */ (/** @type {unknown} */ (style));
  return groundCount(makeRoot());
}

test("the colours of chunks are as many as the theme has, and one off the page, where nothing has styles", () => {
  assert.equal(styled(" 8"), 8);
  assert.equal(styled(""), 1);
});

test("a redraw keeps the focus on the same button wherever it is drawn, and gives it to no other", () => {
  Object.assign(globalThis, { Document: class {}, ShadowRoot: FakeButtons });
  const list = new FakeButtons();
  const root = /** @type {Element} */ (/** @type {unknown} */ (list));
  list.draw("first", "second");
  keepFocus(root, () => list.draw("second", "first"));
  assert.equal(list.focused, undefined);
  list.buttons[0].focus();
  keepFocus(root, () => list.draw("new", "first", "second"));
  assert.equal(list.focused, "second");
  keepFocus(root, () => list.draw("new", "first"));
  assert.equal(list.focused, undefined);
});
