import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { isSource, linesOf, monoRanges } from "../../viz/components/reader/parts/monospaced_ranges.js";

/** @param {string} text */
const found = (text) => {
  const ranges = monoRanges(text);
  return ranges.flatMap((start, at) => (at % 2 ? [] : [text.slice(start, ranges[at + 1])]));
};

/** @param {string} name */
const sample = (name) => readFileSync(new URL(`../../sample_docs/${name}`, import.meta.url), "utf8");

test("lines between fences are code, with the fences; a fence that nothing closes is none", () => {
  assert.deepEqual(found("Before.\n```js\nlet a;\n\nlet b;\n```\nAfter."), ["```js\nlet a;\n\nlet b;\n```"]);
  assert.deepEqual(found("~~~\n```\n~~~"), ["~~~\n```\n~~~"]);
  assert.deepEqual(found("Before.\n```\nAll the rest of it."), []);
  assert.deepEqual(found("It is\n\n$$\n\\sigma\n$$\n\nand $$x$$ too."), ["$$\n\\sigma\n$$"]);
});

test("lines of a table are, with or without pipes at their ends", () => {
  assert.deepEqual(found("See:\n| a | b |\n|---|---|\n| 1 | 2 |\nDone."), ["| a | b |\n|---|---|\n| 1 | 2 |"]);
  assert.deepEqual(found("See:\n\na | b\n--- | ---\n1 | 2\n\nDone."), ["a | b\n--- | ---\n1 | 2"]);
  assert.deepEqual(found("He said this | that."), []);
});

test("a table in a quotation is, and the marks of quotations within each other are no relations", () => {
  const table = "> | a | b |\n> |---|---|\n> | 1 | 2 |";
  assert.deepEqual(found(`See:\n\n${table}\n>\n> Done.`), [table]);
  assert.deepEqual(found("> item\n>   > nested\n\n> > more of it"), []);
  assert.deepEqual(found(">>> x = 1\nIt is one."), [">>> x = 1"]);
});

test("indented lines are, if they stand apart or something opens them", () => {
  assert.deepEqual(found("Run this:\n\n    make\n    make test\n\nThen wait."), ["    make\n    make test"]);
  assert.deepEqual(found("A loop:\nwhile b != 0:\n    a, b = b, a % b\nIt ends."), ["while b != 0:\n    a, b = b, a % b"]);
  assert.deepEqual(found("class A:\n\tx = 1\n\n\ty = 2\n"), ["class A:\n\tx = 1\n\n\ty = 2"]);
});

test("the first line of a paragraph and the rest of a list's item are not", () => {
  assert.deepEqual(found("One.\n\n    It was a dark\nand stormy night.\n\n    The rain\nfell."), []);
  assert.deepEqual(found("- one\n    - of one\n\n    more of it\n\n- two"), []);
  assert.deepEqual(found(`One.\n\n    ${"A whole paragraph. ".repeat(20)}\n\nTwo.`), []);
});

test("a line that relates two terms is a formula, a sentence that does is none", () => {
  assert.deepEqual(found("It is\nA = pi * r^2\nby proof.\n3 + 10/71 < pi < 3 + 1/7"), [
    "A = pi * r^2",
    "3 + 10/71 < pi < 3 + 1/7",
  ]);
  assert.deepEqual(found("In the formula x = 2 there are two terms."), []);
  assert.deepEqual(found("Profit = sales."), []);
});

test("of prose nothing is, of the samples with code, tables and formulas much", () => {
  for (const name of ["article.txt", "essay_salt.txt", "dialogue.txt", "stubs.txt", "legal.txt"])
    assert.deepEqual(found(sample(name)), [], name);
  assert.equal(found(sample("table.md")).length, 4);
  assert.deepEqual(found(sample("algorithm.txt")), ["while b != 0:\n    a, b = b, a % b"]);
  assert.ok(found(sample("source_code.txt")).join("").length > 0.7 * sample("source_code.txt").length);
});

test("whatever the lines are, it takes about as long as there is text", () => {
  for (const line of [" ", "(", "|", "--|", "    x:", "a |", "$$", "aa = ", "- "]) {
    for (const end of ["", "\n", "\n\n"]) {
      const text = (line.repeat(end ? 2 : 1) + end).repeat(Math.ceil(60_000 / line.length));
      assert.ok(monoRanges(text).every((at) => at <= text.length));
    }
  }
});

test("source code is told from documents, even from those that have code in them", () => {
  const samples = readdirSync(new URL("../../sample_docs/", import.meta.url)).filter((name) => name.endsWith(".txt"));
  assert.deepEqual(
    samples.filter((name) => isSource(linesOf(sample(name)))),
    ["source_code.txt"],
  );
  const script = readFileSync(new URL("../../viz/components/reader/parts/monospaced_ranges.js", import.meta.url), "utf8");
  assert(isSource(linesOf(script)));
  assert(!isSource(linesOf(`# How\n\n\`\`\`js\n${script}\n\`\`\`\n`)));
  assert(!isSource(linesOf("")));
});
