import assert from "node:assert/strict";
import { test } from "node:test";
import { breaks } from "../../viz/components/reader/parts/long_words.js";

/**
 * The pieces of a text.
 * @param {string} text
 */
function pieces(text) {
  const places = [0, ...breaks(text), text.length];
  return places.slice(1).map((end, at) => text.slice(places[at], end));
}

test("words that people write are not divided", () => {
  for (const text of ["", "one two", "a".repeat(320), `${"word ".repeat(1000)}`, "e\u0301 ".repeat(1000)]) {
    assert.deepEqual(breaks(text), []);
  }
});

test("no piece without white space is long, and none of the text is lost", () => {
  const units = ["a", "\u0301", "👩\u200d", "\u200d", "\u{1f3fb}", "ب", "語", "ก\u0e33", "\ud83d", "\udc69", "क\u094d"];
  for (const unit of units) {
    for (const text of [unit.repeat(5000), `a${unit.repeat(5000)} b`, `${unit.repeat(700)}\n${unit.repeat(700)}`]) {
      assert.equal(pieces(text).join(""), text);
      for (const piece of pieces(text)) assert.ok(Math.max(...piece.split(/\s/).map((word) => word.length)) <= 322, unit);
    }
  }
});

test("a piece ends where a letter with its marks does, unless the marks are many", () => {
  for (const letter of ["e\u0301\u0302", "👩\u200d👧", "👍\u{1f3fb}", "क\u094d\u200dष"]) {
    for (const piece of pieces(letter.repeat(2000)))
      assert.ok(piece.startsWith(letter[0]) && piece.length % letter.length === 0);
  }
  for (const piece of pieces("👩\u200d".repeat(2000))) assert.ok(piece.isWellFormed());
});

test("a text of 20 million characters is looked through at once", () => {
  const began = performance.now();
  assert.ok(breaks("\u0301".repeat(2e7)).length > 60_000);
  breaks("word ".repeat(4e6));
  assert.ok(performance.now() - began < 10_000);
});
