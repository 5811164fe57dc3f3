import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { looksOf, paragraphsOf, partsOf, pathAt } from "../../viz/components/reader/parts/text_formatting.js";

/**
 * The stretches of a text that look so.
 * @param {string} text
 * @param {string} kind
 */
const found = (text, kind) =>
  looksOf(text)
    .looks.filter((look) => look.kind === kind)
    .map(({ start, end }) => text.slice(start, end));

/** @param {string} text */
const titles = (text) => looksOf(text).headings.map(({ level, title }) => [level, title]);

test("a heading has signs before it, or a line below its paragraph", () => {
  assert.deepEqual(titles("# One\n\n## Two ##\ntext\n###\n#no\n####### no"), [
    [1, "One"],
    [2, "Two"],
    [3, ""],
  ]);
  assert.deepEqual(titles("One\n===\n\nTwo\nlines\n---\ntext"), [
    [1, "One"],
    [2, "Two lines"],
  ]);
  // A line below nothing, below an item, a quotation or a heading is a rule.
  for (const text of ["---\ntext", "- item\n---", "> said\n---", "# One\n---", "    code\n---"])
    assert.deepEqual(titles(text).slice(text.startsWith("#") ? 1 : 0), []);
  assert.deepEqual(titles("```\n# no\n```\n# *A* [b](c) `d`\r\n"), [[1, "A b d"]]);
});

test("a comment in source code is no heading, and all of it is monospaced", () => {
  const source = "# What it does\nimport os\n\ndef f(x):\n    return x\n";
  assert.deepEqual(looksOf(source), { looks: [{ start: 0, end: source.length, kind: "mono" }], headings: [] });
});

test("headings are bold to their last letter, whatever ends their lines", () => {
  assert.deepEqual(found("# One\r\ntext\r\nTwo\r\n---\r\n", "heading"), ["# One", "text\r\nTwo\r\n---"]);
});

test("a place has the titles of the sections that it lies in", () => {
  const text = "before\n\n# A\n\none\n\n### B\n\ntwo\n\n## C\n\nthree\n\n# D\n\nfour";
  const { headings } = looksOf(text);
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

test("the mark of an item is set apart from its text", () => {
  assert.deepEqual(found("- one\n  - of one\n10. ten\n-no\n* * *", "marker"), ["- ", "- ", "10. ", "* "]);
  assert.deepEqual(found("```\n- no\n```", "marker"), []);
});

test("sentences that begin a paragraph are known by a blank line before them", () => {
  const text = "One. Two.\n\nThree.\r\n \r\nFour.\nFive.";
  const starts = ["One", "Two", "Three", "Four", "Five"].map((word) => text.indexOf(word));
  const ends = starts.map((start) => text.indexOf(".", start) + 1);
  assert.deepEqual(paragraphsOf(text, starts, ends), [2, 3]);
});

test("the parts of any stretch are the whole of it, in order", () => {
  const table = readFileSync(new URL("../../sample_docs/table.md", import.meta.url), "utf8");
  const text = `# A heading\n\n- an item\n${table}`.replaceAll("\n", "\r\n");
  const { looks } = looksOf(text);
  assert.deepEqual(new Set(looks.map(({ kind }) => kind)), new Set(["heading", "marker", "mono"]));
  assert.ok(looks.every(({ start }, at) => !at || start >= looks[at - 1].end));
  for (let from = 0; from < text.length; from += 7) {
    for (const length of [0, 1, 40, 900]) {
      const to = Math.min(text.length, from + length);
      const parts = partsOf(from, to, looks);
      assert.equal(parts.map(({ start, end }) => text.slice(start, end)).join(""), text.slice(from, to));
      for (const { start, end, kind } of parts) {
        const inside = looks.find((look) => start >= look.start && end <= look.end);
        assert.equal(kind, inside?.kind ?? "");
      }
    }
  }
});

test("long lines of any kind are looked at in proportion to their length", () => {
  for (const line of ["# ", "#", "- ", "*", "[", "](", "`", "=", "a\n=", "1. ", "*a"]) {
    const text = line.repeat(Math.ceil(60_000 / line.length));
    assert.ok(looksOf(text).looks.every(({ end }) => end <= text.length));
  }
});
