import assert from "node:assert/strict";
import { test } from "node:test";
import { isTitle, pagesOf } from "../../viz/components/reader/parts/source_pages.js";

const starts = [0, 10, 20, 20, 30];

test("a stretch of text is on the pages that it begins and ends on", () => {
  const pages = { kind: /** @type {const} */ ("page"), starts, names: ["i", "1", "2", "3", "4"] };
  assert.equal(pagesOf(pages, 0, 10), "p. i");
  assert.equal(pagesOf(pages, 3, 11), "pp. i–1");
  assert.equal(pagesOf(pages, 20, 25), "p. 3", "a page without text holds nothing");
  assert.equal(pagesOf(pages, 30, 30), "p. 4");
});

test("chapters have their titles", () => {
  const chapters = { kind: /** @type {const} */ ("chapter"), starts: [2, 9], names: ["Lamps", "ch. 2"] };
  assert.equal(pagesOf(chapters, 0, 5), "Lamps");
  assert.equal(pagesOf(chapters, 4, 12), "Lamps – ch. 2");
});

test("rows are called so", () => {
  const rows = { kind: /** @type {const} */ ("row"), starts: [0, 9], names: ["1", "Prices!3"] };
  assert.equal(pagesOf(rows, 0, 5), "row 1");
  assert.equal(pagesOf(rows, 4, 12), "rows 1–Prices!3");
});

test("a text without pages has none", () => {
  assert.equal(pagesOf(undefined, 0, 5), "");
});

test("a chapter that is called as its heading is known, its name cut or not", () => {
  assert.ok(isTitle("Lamps", "Lamps"));
  assert.ok(isTitle("Lamps of the…", "Lamps of the sea"));
  assert.ok(!isTitle("Lamps", "Lamps of the sea"));
  assert.ok(!isTitle("…", "Lamps"));
  assert.ok(!isTitle("Lamps", undefined));
  assert.ok(!isTitle("", undefined));
});
