// Keystrokes typed into the question box while Streamlit moves or rebuilds it; they must not act as shortcuts.

import { activeIn } from "../../shared/dom.js";

/**
 * The box in which the user is typing (null after the user has left it), the text typed since it lost the focus, and all boxes
 * on the page: Streamlit may draw the next one before it takes the last away.
 * @typedef {{ box: HTMLInputElement | null, words: string, drawn: Set<HTMLInputElement> }} Typing
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
  const typing = { box: null, words: "", drawn: new Set() };
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
 * Note a box on the page; it takes over the typed text and the focus from one that is gone.
 * @param {HTMLInputElement} box
 */
export function takeTyping(box) {
  const typing = globalThis.seamarkTyping;
  typing?.drawn.add(box);
  if (typing?.box && typing.box !== box && !typing.box.isConnected) replace(typing, box);
}

/**
 * Forget a box that is gone; the typed text and the focus move to another one on the page, if any, or to the next one drawn.
 * @param {HTMLInputElement} box
 */
export function passTyping(box) {
  const typing = globalThis.seamarkTyping;
  typing?.drawn.delete(box);
  const next = [...(typing?.drawn ?? [])].findLast(({ isConnected }) => isConnected);
  if (typing?.box === box && next) replace(typing, next);
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
