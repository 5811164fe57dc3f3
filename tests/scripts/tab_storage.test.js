import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { keepInTab, keepWordsInTab, keptHead, keptText, keptWords } from "../../viz/components/shared/tab_storage.js";
import { lengthInWords } from "../../viz/components/text_bar/text_area_footer.js";

const HEAD = { name: "notes.txt", known: [3], dashes: null, teaches: "", left: 0, unseen: false, file: "" };

/** A tab's storage that refuses what is longer than `most`. */
class Storage {
  /** @type {Map<string, string>} */
  kept = new Map();
  most = Infinity;
  writes = 0;
  /** @param {string} key */
  getItem = (key) => this.kept.get(key) ?? null;
  /** @param {string} key */
  removeItem = (key) => this.kept.delete(key);
  /**
   * @param {string} key
   * @param {string} value
   */
  setItem(key, value) {
    if (value.length > this.most) throw new DOMException("full", "QuotaExceededError");
    this.writes += 1;
    this.kept.set(key, value);
  }
}

/** @type {Storage} */
let storage;
beforeEach(() => {
  storage = new Storage();
  Object.defineProperty(globalThis, "sessionStorage", { get: () => storage, configurable: true });
});

test("a text is kept with what belongs to it, and the next takes its place", () => {
  keepInTab(HEAD, "A text 🌊.");
  assert.deepEqual(keptHead(), HEAD);
  assert.equal(keptText(), "A text 🌊.");
  keepInTab({ ...HEAD, name: "other" }, "B");
  assert.equal(keptHead()?.name, "other");
  assert.equal(keptText(), "B");
});

test("the same text is not written again", () => {
  keepInTab(HEAD, "A text.");
  const { writes } = storage;
  keepInTab({ ...HEAD }, "A text.");
  assert.equal(storage.writes, writes);
});

test("without a head the text is let go", () => {
  keepInTab(HEAD, "A text.");
  keepInTab(null, "");
  assert.equal(keptHead(), null);
  assert.equal(storage.kept.size, 0);
});

test("of a text that the browser refuses the head says how long it is, and the one before is gone", () => {
  keepInTab(HEAD, "Before.");
  storage.most = 200;
  keepInTab({ ...HEAD, name: "long" }, "x".repeat(201));
  assert.deepEqual(keptHead(), { ...HEAD, name: "long", left: 201 });
  assert.equal(keptText(), "");
});

test("a browser without storage keeps nothing, and nothing else happens", () => {
  Object.defineProperty(globalThis, "sessionStorage", {
    get: () => {
      throw new DOMException("denied", "SecurityError");
    },
    configurable: true,
  });
  keepInTab(HEAD, "A text.");
  assert.equal(keptHead(), null);
  assert.equal(keptText(), "");
});

test("questions and a lecture are kept apart, and what the browser refuses leaves nothing older", () => {
  keepWordsInTab("questions", "[1]");
  keepWordsInTab("lecture", "eJw");
  assert.deepEqual([keptWords("questions"), keptWords("lecture")], ["[1]", "eJw"]);
  storage.most = 3;
  keepWordsInTab("lecture", "eJwx");
  keepWordsInTab("questions", "");
  assert.equal(storage.kept.size, 0);
});

test("a head that is no JSON is none", () => {
  storage.setItem("seamark.own", "{");
  assert.equal(keptHead(), null);
});

test("a text's length is described in characters and words", () => {
  assert.equal(lengthInWords(""), "0 characters · 0 words");
  assert.equal(lengthInWords("🌊"), "1 character · 1 word");
  assert.equal(lengthInWords("Two  words\n and 1,000 more".repeat(100)), "2,600 characters · 401 words");
});
