// The footer of the text area: a live character count, and the button that cuts the text.

import { listen } from "../shared/bus.js";
import { countPainted } from "../shared/component_handle.js";
import { el, found } from "../shared/dom.js";
import { counted } from "../shared/format.js";
import { keepInTab, keptHead } from "../shared/tab_storage.js";
import { inTextArea, setBox, textArea } from "./own_text_box.js";

/**
 * @import { Telling, TextFootEvents } from "./state.d.ts"
 * @typedef {Telling<null, TextFootEvents>["setTriggerValue"]} Tell
 * @typedef {HTMLElement & { tell?: Tell, count?: () => void, dispose?: () => void }} Root
 */

/** @param {Telling<null, TextFootEvents>} component */
export default function ({ parentElement, setTriggerValue }) {
  const root = /** @type {Root} */ (found(parentElement, ".text-foot"));
  root.tell = setTriggerValue;
  root.dispose ??= begin(root);
  root.count?.();
  countPainted(root);
  return root.dispose;
}

/** @param {Root} root */
function begin(root) {
  const cutButton = el("button", "cut", "Cut it");
  cutButton.type = "button";
  const apple = /Mac|iP(hone|ad)/.test(navigator.platform);
  cutButton.title = apple ? "⌘ and Enter do the same" : "Ctrl and Enter do the same";
  const counted = el("span", "count");
  root.append(counted, cutButton);
  const cut = () => {
    if (!textArea()?.value.trim()) {
      counted.textContent = "Paste or type a text first";
      textArea()?.focus();
      return;
    }
    setBox(false);
    root.tell?.("cut", { at: performance.now() });
  };
  // Leaving the text area has already sent its content to Streamlit.
  cutButton.addEventListener("click", cut);
  const count = () => {
    counted.textContent = lengthInWords(textArea()?.value ?? "");
  };
  root.count = () => requestAnimationFrame(count);
  // Text that is not yet sent to the server, which happens as soon as the text area loses the focus.
  let untold = false;
  const typed = (/** @type {Event} */ event) => {
    if (!inTextArea(event)) return;
    untold = true;
    count();
  };
  const left = (/** @type {Event} */ event) => {
    if (inTextArea(event)) untold = false;
  };
  const leaving = () => {
    const text = textArea()?.value ?? "";
    if (untold && text.trim()) keepInTab(unsent(), text);
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    // After Streamlit's own handling of the keys, which sends the text.
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !inTextArea(event)) return;
    untold = false;
    setTimeout(cut);
  };
  globalThis.addEventListener("pagehide", leaving);
  document.addEventListener("input", typed);
  document.addEventListener("focusout", left);
  document.addEventListener("keydown", pressed);
  return listen(root, { "seamark-box": () => count() }, () => {
    // As with the top row, Streamlit may put the same root back, and it starts again.
    root.dispose = undefined;
    root.replaceChildren();
    globalThis.removeEventListener("pagehide", leaving);
    document.removeEventListener("input", typed);
    document.removeEventListener("focusout", left);
    document.removeEventListener("keydown", pressed);
  });
}

/** Metadata of a text that the server has not seen; its name is the original text's. */
const unsent = () => ({
  name: keptHead()?.name ?? "Pasted text",
  known: null,
  dashes: null,
  teaches: "",
  left: 0,
  unseen: true,
  file: "",
});

/**
 * Describes the length of a text.
 * @param {string} text
 */
export function lengthInWords(text) {
  const characters = [...text].length;
  const words = text.match(/\S+/g)?.length ?? 0;
  return `${counted(characters, "character")} · ${counted(words, "word")}`;
}
