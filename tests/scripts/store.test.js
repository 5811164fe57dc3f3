import assert from "node:assert/strict";
import { test } from "node:test";
import { listen } from "../../viz/components/shared/bus.js";
import {
  storedMatrix,
  storedSteps,
  storedText,
  storeMatrix,
  storeSteps,
  storeText,
} from "../../viz/components/shared/store.js";
import { makeRoot, openPage } from "./fake_page.js";

openPage();

/**
 * Arguments with which Streamlit calls a store.
 * @template Data
 * @param {Data} data
 */
const sent = (data) => ({ data, parentElement: /** @type {ParentNode} */ ({}), setStateValue: () => {} });

/**
 * A line of JSON, and bytes after it.
 * @param {object} head
 * @param {Uint8Array} rest
 */
const bytes = (head, rest) => Uint8Array.from([...new TextEncoder().encode(`${JSON.stringify(head)}\n`), ...rest]);

/** @param {string} id */
const text = (id, words = "Äh 🎈.\nTwo.") => bytes({ id, starts: [0, 7], ends: [6, 11] }, Buffer.from(words));

test("a text comes with its sentences, line breaks and all", () => {
  storeText(sent(text("a")));
  assert.deepEqual(storedText("a"), { text: "Äh 🎈.\nTwo.", starts: [0, 7], ends: [6, 11] });
});

test("a text keeps the mark at its beginning, which is a character of it", () => {
  storeText(sent(text("marked", "\ufeffOne.\nTwo.")));
  assert.equal(storedText("marked")?.text.length, 10);
});

test("of texts the last is kept, and one that is there already is not taken again", () => {
  storeText(sent(text("b")));
  assert.equal(storedText("a"), undefined);
  const kept = storedText("b");
  let told = 0;
  listen(makeRoot(), { "seamark-text": () => told++ });
  storeText(sent(text("b")));
  assert.equal(storedText("b"), kept);
  assert.equal(told, 0);
  storeText(sent(text("c")));
  assert.equal(told, 1);
});

test("a matrix is read as numbers of two bytes, wherever they begin", () => {
  for (const id of ["m", "mm"]) {
    const numbers = new Uint16Array([0, 65535, 513, 7]);
    storeMatrix(sent(bytes({ id, cells: 2 }, new Uint8Array(numbers.buffer))));
    assert.deepEqual([...(storedMatrix(id)?.meaning ?? [])], [0, 65535, 513, 7]);
    assert.equal(storedMatrix(id)?.cells, 2);
  }
  assert.equal(storedMatrix("m"), undefined);
});

test("steps are kept for every stepper, and it is told of them", () => {
  /** @type {string[]} */
  const told = [];
  listen(makeRoot(), { "seamark-steps": ({ key }) => told.push(key) });
  storeSteps(sent({ key: "one", id: "1", steps: "[]" }));
  storeSteps(sent({ key: "two", id: "2", steps: '[{"title":"first"}]' }));
  storeSteps(sent({ key: "one", id: "3", steps: "[]" }));
  assert.deepEqual(told, ["one", "two", "one"]);
  assert.equal(storedSteps("one")?.id, "3");
  assert.equal(storedSteps("two")?.steps[0].title, "first");
});
