// Keystrokes typed into the question box while Streamlit moves or rebuilds it; they must not act as shortcuts.

import { activeIn } from "../../shared/dom.js";

/**
 * The box in which the user is typing (null after the user has left it), the text typed since it lost the focus, and the box
 * that Streamlit has already drawn beside it.
 * @typedef {{ box: HTMLInputElement | null, words: string, next?: HTMLInputElement | null }} Typing
 */

/** @param {HTMLInputElement} box */
export function watchTyping(box) {
  globalThis.seamarkTyping ??= listenForGood();
  const typing = globalThis.seamarkTyping;
  for (const event of ["focus", "input"]) box.addEventListener(event, () => enter(typing, box));
}

// Listens here because there may be no reader for a moment.
function listenForGood() {
  /** @type {Typing} */
  const typing = { box: null, words: "", next: null };
  for (const event of ["pointerdown", "popstate"])
    globalThis.addEventListener(event, () => enter(typing, null), { capture: true });
  globalThis.addEventListener("keydown", (event) => hear(event, typing), { capture: true });
  return typing;
}

/**
 * @param {Typing} typing
 * @param {HTMLInputElement | null} box
 */
const enter = (typing, box) => Object.assign(typing, { box, words: "", next: null });

/**
 * Store a key typed after the box lost the focus; if the box still exists, return the focus and the key to it.
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
 * Move the typed text and the focus to the box that replaces another.
 * @param {HTMLInputElement} box
 */
export function takeTyping(box) {
  const typing = globalThis.seamarkTyping;
  if (!typing?.box || typing.box === box) return;
  if (typing.box.isConnected) typing.next = box;
  else replace(typing, box);
}

/**
 * Move the typed text and the focus from a box that goes to the one drawn beside it, if any.
 * @param {HTMLInputElement} box
 */
export function passTyping(box) {
  const typing = globalThis.seamarkTyping;
  if (typing?.box === box && typing.next?.isConnected) replace(typing, typing.next);
}

/**
 * @param {Typing} typing
 * @param {HTMLInputElement} box
 */
function replace(typing, box) {
  box.value = (typing.box?.value ?? "") + typing.words;
  enter(typing, box);
  box.focus();
}
