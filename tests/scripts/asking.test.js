import assert from "node:assert/strict";
import { test } from "node:test";
import { wordAfter, wordBefore } from "../../viz/components/reader/ask/answer_mark.js";
import { offer } from "../../viz/components/reader/ask/ask_form.js";
import { fateSaid, foundSaid } from "../../viz/components/reader/ask/found_line.js";
import { Hits, rankSign } from "../../viz/components/reader/ask/retrieved_chunks.js";
import { sentenceAt } from "../../viz/components/reader/ask/selection_offsets.js";
import { saidOf } from "../../viz/components/remedies/remedy_list.js";

/** @type {import("../../viz/compare/questions/question_search.data.d.ts").AskedColumn} */
const ASKED = {
  chunks: [4, 1, 2],
  scores: ["0.61", "0.50", "0.42"],
  said: ["cosine 0.61", "cosine 0.50", "cosine 0.42"],
  cut: 130,
  tokens: 250,
  fate: null,
};

test("ranks have signs, and numbers where there are no signs", () => {
  assert.deepEqual([1, 2, 20, 21].map(rankSign), ["①", "②", "⑳", "(21)"]);
});

test("a stretch under several chunks has the places of those that are retrieved, the best first", () => {
  const hits = new Hits(ASKED);
  assert.deepEqual(hits.among([1, 4], 0), [0, 1]);
  assert.deepEqual(hits.among([0, 3], 0), []);
});

test("the chunk in which the budget ends has nothing from there on", () => {
  const hits = new Hits(ASKED);
  assert.deepEqual(hits.among([2], 129), [2]);
  assert.deepEqual(hits.among([2], 130), []);
  assert.deepEqual(hits.among([2, 4], 140), [0]);
  assert.deepEqual(new Hits({ ...ASKED, cut: null }).among([2], 140), [2]);
});

test("of the part in which the budget ends so much is given as lies before", () => {
  const hits = new Hits(ASKED);
  const segments = { start: [0, 100, 200], end: [100, 200, 300], over: [[4], [2], [2]] };
  assert.deepEqual(
    [0, 1, 2].map((part) => hits.endsIn(segments, part)),
    [false, true, false],
  );
  assert.deepEqual(
    [0, 1].map((part) => hits.shareOf(segments, part)),
    [1, 0.3],
  );
  // Under another chunk that is retrieved, all of it is.
  assert.equal(hits.endsIn({ ...segments, over: [[4], [1, 2], [2]] }, 1), false);
});

test("what was found is said in words", () => {
  assert.equal(foundSaid(ASKED), "3 chunks of 250 tokens, the best 0.61");
  assert.equal(foundSaid({ ...ASKED, chunks: [3], tokens: 1 }), "1 chunk of 1 token, the best 0.61");
  assert.equal(foundSaid({ ...ASKED, chunks: [] }), "nothing found");
});

test("what became of the answer is said with its places", () => {
  const places = [
    { chunk: 4, rank: 1, retrieved: true },
    { chunk: 7, rank: 9, retrieved: false },
    { chunk: 8, rank: null, retrieved: false },
  ];
  const fate = { good: false, words: "answer split in 3:", places, why: "cut: 0.73 > 0.72" };
  assert.equal(fateSaid(fate), "answer split in 3: ① · rank 9 · not ranked; cut: 0.73 > 0.72");
  assert.equal(fateSaid({ good: false, words: "answer in no chunk", places: [], why: "" }), "answer in no chunk");
});

test("a place is in the sentence that it lies in, or before", () => {
  const ends = [10, 20, 30];
  assert.deepEqual(
    [0, 9, 10, 19, 29, 30, 99].map((place) => sentenceAt(ends, place)),
    [0, 0, 1, 1, 2, 2, 2],
  );
  assert.equal(sentenceAt([], 3), 0);
});

test("a selection grows and shrinks by words", () => {
  const text = "one two  three";
  assert.deepEqual(
    [3, 7, 14].map((place) => wordAfter(text, place)),
    [7, 14, 14],
  );
  assert.equal(wordBefore(text, 0, 14), 7);
  assert.equal(wordBefore(text, 0, 3), 0);
});

test("the changes that keep an answer whole are counted and named", () => {
  const done = { state: "done", share: 1, said: "", wanted: "", full: false };
  const line = { setting: "s", words: "percentile 86", said: [], column: null };
  assert.equal(saidOf({ ...done, lines: [line] }), "1 change that helps: percentile 86");
  const two = [line, { ...line, words: "5 sentences" }];
  assert.equal(saidOf({ ...done, lines: two }), "2 changes that help: percentile 86; 5 sentences");
  const none = "None of 41 tried settings keeps it whole.";
  assert.equal(saidOf({ ...done, said: none, lines: [] }), none);
});

test("a select element offers what suits the text, though it offers as many as before", () => {
  class Option {
    /**
     * @param {string} text
     * @param {string} value
     */
    constructor(text, value) {
      this.text = text;
      this.value = value;
    }
  }
  Object.assign(globalThis, { Option });
  /** @type {any} */
  const select = {
    options: [],
    value: "",
    /** @param {Option[]} options */
    replaceChildren(...options) {
      this.options = options;
    },
  };
  offer(select, [["fitting", "auto: 50 tokens"]], "fitting");
  const before = select.options;
  offer(select, [["fitting", "auto: 50 tokens"]], "fitting");
  assert.equal(select.options, before);
  offer(select, [["fitting", "auto: 250 tokens"]], "fitting");
  assert.deepEqual(
    select.options.map((/** @type {Option} */ option) => option.text),
    ["auto: 250 tokens"],
  );
});
