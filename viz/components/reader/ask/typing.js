// Letters on their way into the box of the question, while Streamlit moves the box or builds it anew. They are no shortcuts.

import { activeIn } from "../../shared/dom.js";

/**
 * The box that the user is writing in, null after the user has left it, and what was typed since the page took its focus.
 * @typedef {{ box: HTMLInputElement | null, words: string }} Typing
 */

/** @param {Event} event */
const boxOf = (event) => {
  const [node] = event.composedPath();
  return node instanceof HTMLInputElement && node.matches(".ask input") ? node : null;
};

// Listen for good, once on a page: between two readers there is nobody else to.
export function watchTyping() {
  if (globalThis.seamarkTyping) return;
  globalThis.seamarkTyping = { box: null, words: "" };
  const typing = globalThis.seamarkTyping;
  for (const event of ["pointerdown", "focusin", "popstate"])
    globalThis.addEventListener(event, (event) => enter(typing, boxOf(event)), { capture: true });
  globalThis.addEventListener("keydown", (event) => hear(event, typing), { capture: true });
}

/**
 * @param {Typing} typing
 * @param {HTMLInputElement | null} box
 */
function enter(typing, box) {
  if (typing.box !== box) Object.assign(typing, { box, words: "" });
}

/**
 * Keep a key for a box that has lost the focus by no act of the user's; one that is still there gets it back, and the key.
 * @param {KeyboardEvent} event
 * @param {Typing} typing
 */
export function hear(event, typing) {
  const { box } = typing;
  if (!box || activeIn(box) === box || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" || event.key === "Tab") return enter(typing, null);
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
  const before = globalThis.seamarkTyping?.box;
  if (!before || before === box || before.isConnected) return;
  box.value = before.value + globalThis.seamarkTyping?.words;
  box.focus();
}
