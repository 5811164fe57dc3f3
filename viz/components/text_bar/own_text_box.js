// The box for the user's own text: Streamlit's text area and upload. They are always on the page, so that a dropped file can use
// them, but visible only while the box is open; otherwise page.css hides them, by a mark on the page's root.

import { emit, tellChanged } from "../shared/bus.js";

const BOX = ".st-key-own_box";

/** True if the box is seen: because it was opened, or because the upload has something to say. */
export const boxIsOpen = () => textArea()?.checkVisibility() ?? false;

/** True while the text area is to have the focus and does not have it yet. */
let focusing = false;

/**
 * Open or close the box, and focus its text area if `focus`.
 * @param {boolean} open
 * @param {boolean} [focus]
 */
export function setBox(open, focus = false) {
  document.documentElement.dataset.ownBox = open ? "open" : "closed";
  focusing = open && focus;
  focusTextArea();
  emit("seamark-box", { open });
}

/** Focus the text area; if Streamlit has not drawn it yet, as soon as it has. */
function focusTextArea() {
  if (!focusing) return;
  const area = textArea();
  area?.focus();
  focusing = area === null || document.activeElement !== area;
  if (focusing) requestAnimationFrame(focusTextArea);
}

/** @returns {HTMLTextAreaElement | null} Streamlit's text area of the box */
export const textArea = () => document.querySelector(`${BOX} .st-key-pasted textarea`);

/** @returns {HTMLInputElement | null} the input of Streamlit's upload in the box */
const uploadInput = () => document.querySelector(`${BOX} .st-key-file input[type="file"]`);

/**
 * True if an event happened in the box.
 * @param {Event} event
 */
export const inBox = (event) => event.target instanceof Element && event.target.closest(BOX) !== null;

/**
 * True if an event happened in the box's text area.
 * @param {Event} event
 */
export const inTextArea = (event) => event.target !== null && event.target === textArea();

/**
 * Pass a file to the page's upload, as if it were chosen there, with the same limits; if Streamlit has not drawn it yet, as soon as
 * it has.
 * @param {File} file
 */
export function handOver(file) {
  const input = uploadInput();
  if (!input) {
    requestAnimationFrame(() => handOver(file));
    return;
  }
  // If the upload refuses the file, the box opens by itself.
  if (!boxIsOpen()) delete document.documentElement.dataset.ownBox;
  const files = new DataTransfer();
  files.items.add(file);
  input.files = files.files;
  tellChanged(input);
}
