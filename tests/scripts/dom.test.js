import assert from "node:assert/strict";
import { test } from "node:test";
import { groundCount } from "../../viz/components/shared/dom.js";
import { makeRoot } from "./fake_page.js";

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
