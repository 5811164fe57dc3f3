// Letters on their way into the box of the question, while Streamlit moves the box or builds it anew. They are no shortcuts.

import { activeIn } from "../../shared/dom.js";

/**
 * The box that the user is writing in, null after the user has left it, and what was typed since the page took its focus.
 * @typedef {{ box: HTMLInputElement | null, words: string }} Typing
 */

/** @param {HTMLInputElement} box */
export function watchTyping(box) {
  globalThis.seamarkTyping ??= listenForGood();
  const typing = globalThis.seamarkTyping;
  for (const event of ["focus", "input"]) box.addEventListener(event, () => enter(typing, box));
}

// Between two readers there is nobody else to listen.
function listenForGood() {
  /** @type {Typing} */
  const typing = { box: null, words: "" };
  for (const event of ["pointerdown", "popstate"])
    globalThis.addEventListener(event, () => enter(typing, null), { capture: true });
  globalThis.addEventListener("keydown", (event) => hear(event, typing), { capture: true });
  return typing;
}

/**
 * @param {Typing} typing
 * @param {HTMLInputElement | null} box
 */
const enter = (typing, box) => Object.assign(typing, { box, words: "" });

/**
 * Keep a key for a box that has lost the focus to nothing; one that is still there gets it back, and the key.
 * @param {KeyboardEvent} event
 * @param {Typing} typing
 */
export function hear(event, typing) {
  const { box } = typing;
  if (!box || activeIn(box) === box || event.ctrlKey || event.metaKey || event.altKey) return;
  const { activeElement, body } = document;
  const isElsewhere = activeElement !== null && activeElement !== body;
  if (isElsewhere || event.key === "Escape" || event.key === "Tab") return void enter(typing, null);
  event.stopImmediatePropagation();
  if (box.isConnected) return box.focus();
  if (event.key.length === 1) typing.words += event.key;
  else if (event.key === "Backspace") typing.words = typing.words.slice(0, -1);
  event.preventDefault();
}

/**
 * Give a box what was typed in the box that it replaces, and the focus.
 * @param {HTMLInputElement} box
 */
export function takeTyping(box) {
  const { box: before = null, words = "" } = globalThis.seamarkTyping ?? {};
  if (!before || before === box || before.isConnected) return;
  box.value = before.value + words;
  box.focus();
}
