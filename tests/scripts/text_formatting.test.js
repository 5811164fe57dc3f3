import assert from "node:assert/strict";
import { test } from "node:test";
import { paragraphsOf, partsOf, pathAt } from "../../viz/components/reader/parts/text_formatting.js";

test("a place has the titles of the sections that it lies in", () => {
  const text = "before\n\n# A\n\none\n\n### B\n\ntwo\n\n## C\n\nthree\n\n# D\n\nfour";
  const headings = [...text.matchAll(/(#+) (\w)/g)].map(({ 0: words, 1: signs, 2: title, index }) => ({
    start: index,
    end: index + words.length,
    level: signs.length,
    title,
  }));
  const at = (/** @type {string} */ words) => pathAt(headings, text.indexOf(words));
  assert.deepEqual(at("before"), []);
  assert.deepEqual(at("one"), ["A"]);
  assert.deepEqual(at("two"), ["A", "B"]);
  assert.deepEqual(at("three"), ["A", "C"]);
  assert.deepEqual(at("four"), ["D"]);
  // A heading is not under itself.
  assert.deepEqual(at("### B"), ["A"]);
  assert.deepEqual(at("# D"), []);
});

test("sentences that begin a paragraph are known by a blank line before them", () => {
  const text = "One. Two.\n\nThree.\r\n \r\nFour.\nFive.";
  const starts = ["One", "Two", "Three", "Four", "Five"].map((word) => text.indexOf(word));
  const ends = starts.map((start) => text.indexOf(".", start) + 1);
  assert.deepEqual(paragraphsOf(text, starts, ends), [2, 3]);
});

test("the parts of any stretch are the whole of it, in order", () => {
  const text = "A heading\n\n- an item\nand its text, ".repeat(20);
  /** @type {[number, number, "heading" | "marker" | "mono"][]} */
  const looks = [
    [0, 9, "heading"],
    [11, 13, "marker"],
    [40, 90, "mono"],
    [90, 95, "heading"],
    [text.length - 5, text.length, "mono"],
  ];
  for (let from = 0; from < text.length; from += 7) {
    for (const length of [0, 1, 40, 900]) {
      const to = Math.min(text.length, from + length);
      const parts = partsOf(from, to, looks);
      assert.equal(parts.map(({ start, end }) => text.slice(start, end)).join(""), text.slice(from, to));
      for (const { start, end, kind } of parts) {
        const inside = looks.find(([lookStart, lookEnd]) => start >= lookStart && end <= lookEnd);
        assert.equal(kind, inside?.[2] ?? "");
      }
    }
  }
});
