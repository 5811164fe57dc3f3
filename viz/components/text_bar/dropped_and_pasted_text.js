// Input of a text anywhere on the page: dropped as a file, or pasted outside of elements that accept text themselves.

import { el } from "../shared/dom.js";
import { handOver } from "./own_text_box.js";

/** The name of the file that a pasted text is handed over as; text_source.py knows it by this name. */
const PASTED = "Pasted text.txt";

/** Selectors of elements that accept a file or a text themselves. */
const OWN_DROPS = '[data-testid="stFileUploaderDropzone"]';
const OWN_PASTES = "input, textarea, select, [contenteditable]";

/**
 * Accept texts as long as `root` is on the page.
 * @param {HTMLElement} root
 * @returns {() => void} what ends it
 */
export function acceptDroppedAndPastedText(root) {
  const sign = root.appendChild(el("div", "drop-sign", "Drop the file: its text is cut here and stays on this machine."));
  sign.hidden = true;
  const show = (/** @type {boolean} */ shown) => {
    sign.hidden = !shown;
  };
  const stop = new AbortController();
  /**
   * @template {"dragover" | "dragleave" | "drop" | "paste"} Name
   * @param {Name} name
   * @param {(event: WindowEventMap[Name]) => void} act
   */
  const on = (name, act) => {
    const heard = (/** @type {WindowEventMap[Name]} */ event) => root.isConnected && act(event);
    globalThis.addEventListener(name, /** @type {EventListener} */ (heard), { signal: stop.signal });
  };
  on("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    show(!within(event, OWN_DROPS));
    // Otherwise the browser would open the file instead of the page.
    event.preventDefault();
  });
  on("dragleave", (event) => {
    if (event.relatedTarget === null) show(false);
  });
  on("drop", (event) => {
    show(false);
    const file = event.dataTransfer?.files[0];
    if (!file || within(event, OWN_DROPS)) return;
    event.preventDefault();
    handOver(file);
  });
  on("paste", (event) => {
    if (within(event, OWN_PASTES)) return;
    const file = event.clipboardData?.files[0];
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (text.trim()) handOver(new File([text], PASTED, { type: "text/plain" }));
    else if (file) handOver(file);
    else return;
    event.preventDefault();
  });
  return () => {
    stop.abort();
    sign.remove();
  };
}

/**
 * True if an event happened in an element that matches a selector, including elements inside components.
 * @param {Event} event
 * @param {string} selector
 */
const within = (event, selector) => event.composedPath().some((node) => node instanceof Element && node.matches(selector));
