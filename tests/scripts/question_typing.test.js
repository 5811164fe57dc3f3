import assert from "node:assert/strict";
import { test } from "node:test";

// The scripts look for elements of a browser's page.
const page = { body: {}, activeElement: /** @type {object | null} */ (null) };
Object.assign(globalThis, { document: page, Document: class {}, ShadowRoot: class {}, HTMLInputElement: class {} });
const { hear, passTyping, takeTyping } = await import("../../viz/components/reader/ask/question_typing.js");

/** @param {boolean} isConnected */
function makeBox(isConnected, value = "") {
  const root = Object.assign(new ShadowRoot(), { activeElement: /** @type {object | null} */ (null) });
  const box = Object.assign(new HTMLInputElement(), { isConnected, value, getRootNode: () => root });
  box.focus = () => Object.assign(root, { activeElement: box });
  return { box, root };
}

/** @param {string} key */
function press(key, more = {}) {
  const said = { prevented: false, stopped: false };
  const event = {
    key,
    preventDefault: () => Object.assign(said, { prevented: true }),
    stopImmediatePropagation: () => Object.assign(said, { stopped: true }),
    ...more,
  };
  return { event: /** @type {KeyboardEvent} */ (/** @type {unknown} */ (event)), said };
}

test("a key in a box that has the focus, or without a box, is not touched", () => {
  const { box } = makeBox(true);
  box.focus();
  for (const typing of [
    { box, words: "", drawn: new Set() },
    { box: null, words: "", drawn: new Set() },
  ]) {
    const { event, said } = press("h");
    hear(event, typing);
    assert.deepEqual(said, { prevented: false, stopped: false });
  }
});

test("a box that was moved gets the focus back, and with it the key", () => {
  const { box, root } = makeBox(true);
  const { event, said } = press("h");
  hear(event, { box, words: "", drawn: new Set() });
  assert.equal(root.activeElement, box);
  assert.deepEqual(said, { prevented: false, stopped: true });
});

test("what is typed after a box is gone is no shortcut, and is in the box that replaces it", () => {
  const typing = { box: makeBox(false, "What").box, words: "", drawn: new Set() };
  for (const key of [" ", "h", "x", "Backspace", "Shift", "1"]) {
    const { event, said } = press(key);
    hear(event, typing);
    assert.deepEqual(said, { prevented: true, stopped: true });
  }
  globalThis.seamarkTyping = typing;
  const { box, root } = makeBox(true);
  takeTyping(box);
  assert.equal(box.value, "What h1");
  assert.equal(root.activeElement, box);
});

test("what stands in a box is in the one that was drawn beside it, once it goes", () => {
  // The user may have begun to type before the other box was drawn, or after, or press "/" only then.
  for (const begun of ["before", "after"]) {
    const before = makeBox(true).box;
    const { box, root } = makeBox(true);
    const typing = {
      box: /** @type {HTMLInputElement | null} */ (begun === "before" ? before : null),
      words: "",
      drawn: new Set(),
    };
    globalThis.seamarkTyping = typing;
    takeTyping(before);
    takeTyping(box);
    assert.equal(box.value, "");
    typing.box = before;
    before.value = "What";
    const another = makeBox(false, "Another reader's").box;
    takeTyping(another);
    passTyping(another);
    assert.equal(box.value, "");
    before.isConnected = false;
    passTyping(before);
    assert.equal(box.value, "What");
    assert.equal(root.activeElement, box);
    assert.equal(typing.box, box);
  }
});

test("what stands in a box waits for the next one if none is drawn when it goes", () => {
  const before = makeBox(false, "What").box;
  const typing = { box: before, words: " is", drawn: new Set([before]) };
  globalThis.seamarkTyping = typing;
  passTyping(before);
  assert.equal(typing.box, before);
  const { box } = makeBox(true);
  takeTyping(box);
  assert.equal(box.value, "What is");
});

test("a key in another element leaves the box, and is that element's", () => {
  const typing = { box: /** @type {HTMLInputElement | null} */ (makeBox(true).box), words: "", drawn: new Set() };
  page.activeElement = {};
  const { event, said } = press("Enter");
  hear(event, typing);
  assert.deepEqual(said, { prevented: false, stopped: false });
  assert.equal(typing.box, null);
  page.activeElement = page.body;
});

test("Escape and Tab leave a box that is gone; keys with Ctrl are the browser's", () => {
  for (const key of ["Escape", "Tab"]) {
    const typing = { box: /** @type {HTMLInputElement | null} */ (makeBox(false).box), words: "a", drawn: new Set() };
    hear(press(key).event, typing);
    assert.deepEqual(typing, { box: null, words: "", drawn: new Set() });
  }
  const { event, said } = press("c", { ctrlKey: true });
  hear(event, { box: makeBox(false).box, words: "", drawn: new Set() });
  assert.deepEqual(said, { prevented: false, stopped: false });
});
