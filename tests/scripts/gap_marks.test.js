import assert from "node:assert/strict";
import { test } from "node:test";
import { GapMarks, headingGaps } from "../../viz/components/gaps/gap_marks.js";
import { paragraphSegments } from "../../viz/components/reader/marking/folded_text.js";

function marksAndTold() {
  /** @type {(number[] | null)[]} */
  const told = [];
  let drawn = 0;
  const marks = new GapMarks(
    ({ gaps }) => told.push(gaps),
    () => drawn++,
  );
  return { marks, told, drawn: () => drawn };
}

test("the server is told all that is set after every click, in order", () => {
  const { marks, told, drawn } = marksAndTold();
  marks.toggle(7);
  marks.toggle(3);
  marks.toggle(7);
  assert.deepEqual(told, [[7], [3, 7], [3]]);
  assert.equal(drawn(), 3);
});

test("each change comes with those that the server may not have received", () => {
  /** @type {import("../../viz/components/gaps/gap_marks.js").Change[]} */
  const told = [];
  const marks = new GapMarks(
    (change) => told.push(change),
    () => {},
  );
  marks.toggle(7);
  marks.toggle(3);
  marks.clear();
  assert.deepEqual(
    told.map(({ earlier }) => earlier.map(({ gaps }) => gaps)),
    [[], [[7]], [[7], [3, 7]]],
  );
  marks.update([3, 7], told[1].at);
  marks.toggle(1);
  assert.deepEqual(
    told[3].earlier.map(({ gaps }) => gaps),
    [null],
  );
  marks.reset();
  marks.toggle(2);
  assert.deepEqual(told[4].earlier, []);
});

test("what the server knows counts only once it has heard of the last click", () => {
  const { marks } = marksAndTold();
  marks.update([1], null);
  assert.deepEqual(marks.list, [1]);
  marks.toggle(5);
  marks.update([1], null);
  assert.deepEqual(marks.list, [1, 5]);
  marks.update([1], marks.sent - 1);
  assert.deepEqual(marks.list, [1, 5]);
  marks.update([2], marks.sent);
  assert.deepEqual(marks.list, [2]);
});

test("clearing says that nothing at all is set, and undo gives back what was", () => {
  const { marks, told } = marksAndTold();
  marks.add([4, 2]);
  marks.clear();
  assert.deepEqual(told, [[2, 4], null]);
  marks.undo();
  assert.deepEqual(marks.list, [2, 4]);
  marks.undo();
  assert.deepEqual(marks.list, []);
  marks.undo();
  assert.deepEqual(told, [[2, 4], null, [2, 4], []]);
});

test("filling in adds to what is set, and is no change where all of it is", () => {
  const { marks, told } = marksAndTold();
  marks.toggle(1);
  marks.add([1, 6]);
  marks.add([6]);
  assert.deepEqual(told, [[1], [1, 6]]);
  marks.undo();
  assert.deepEqual(marks.list, [1]);
});

test("a heading begins a section, unless the text or another heading begins right above it", () => {
  //          # A  ## B  text  ## C  text  ### D (its sentence began before it)
  const starts = [0, 5, 10, 20, 25, 30];
  const headings = [
    { start: 0, end: 3 },
    { start: 5, end: 8 },
    { start: 20, end: 23 },
    { start: 33, end: 36 },
  ];
  assert.deepEqual(headingGaps(headings, starts), [2]);
  assert.deepEqual(headingGaps([{ start: 10, end: 14 }], starts), [1]);
  assert.deepEqual(headingGaps([], starts), []);
});

test("a text folds into its paragraphs, which hold every sentence once", () => {
  const text = { starts: [0, 10, 20, 30], ends: [9, 19, 29, 39], paragraphs: [2] };
  const made = paragraphSegments(text);
  assert.deepEqual(
    [made.start, made.end, made.from, made.to],
    [
      [0, 20],
      [19, 39],
      [0, 2],
      [2, 4],
    ],
  );
  assert.deepEqual(paragraphSegments({ starts: [], ends: [], paragraphs: [] }).start, []);
});
