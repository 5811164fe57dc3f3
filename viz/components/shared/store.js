// The store of data that the server sends once and several components use: texts, steps, matrices. It lives as long as the page.

import { emit } from "./bus.js";
import { keepInTab, keepWordsInTab } from "./tab_storage.js";

/**
 * @import { StepsData } from "../stepper/stepper.data.d.ts"
 * @import { TabQuestionsOrLecture } from "../text_bar/text_bar.data.d.ts"
 * @import { Component } from "./component.d.ts"
 */

globalThis.seamarkStore ??= { texts: new Map(), steps: new Map(), matrices: new Map() };
const shelves = globalThis.seamarkStore;

/**
 * Return a text with the offsets of its sentences; like the other data, undefined until it arrives.
 * @param {string} id
 */
export const storedText = (id) => shelves.texts.get(id);

/**
 * Return the steps of the stepper with that key.
 * @param {string} key
 */
export const storedSteps = (key) => shelves.steps.get(key);

/**
 * Return the semantic distances for a heatmap.
 * @param {string} id
 */
export const storedMatrix = (id) => shelves.matrices.get(id);

/**
 * Split bytes from the server into their first line, which is JSON, and the rest.
 * @param {Uint8Array} data
 * @returns {[head: any, rest: Uint8Array]}
 */
function opened(data) {
  const end = data.indexOf(10);
  return [JSON.parse(decoded(data.subarray(0, end))), data.subarray(end + 1)];
}

/** @param {Uint8Array} bytes */
const decoded = (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/**
 * Keep only the last text and the last matrix, since a page shows one at a time.
 * @template Kept
 * @param {Map<string, Kept>} shelf
 * @param {string} id
 * @param {Kept} made
 */
function keepAlone(shelf, id, made) {
  shelf.clear();
  shelf.set(id, made);
}

// ---- called by Streamlit ------------------------------------------------------------------------------------------

/** @param {Component<Uint8Array>} component */
export function storeText({ data }) {
  const [{ id, ...sentences }, text] = opened(data);
  if (storedText(id)) return;
  keepAlone(shelves.texts, id, { ...sentences, text: decoded(text) });
  emit("seamark-text", { id });
}

/** @param {Component<StepsData>} component */
export function storeSteps({ data: { key, id, steps } }) {
  shelves.steps.set(key, { id, steps: JSON.parse(steps) });
  emit("seamark-steps", { key });
}

/** @param {Component<Uint8Array>} component */
export function storeMatrix({ data }) {
  const [{ id, cells }, numbers] = opened(data);
  if (storedMatrix(id)) return;
  // A copy, because 16-bit numbers must be aligned.
  keepAlone(shelves.matrices, id, { cells, meaning: new Uint16Array(numbers.slice().buffer) });
  emit("seamark-matrix", { id });
}

/** @param {Component<Uint8Array>} component */
export function keepOwn({ data }) {
  const [head, text] = opened(data);
  keepInTab(head, decoded(text));
}

/** @param {Component<TabQuestionsOrLecture>} component */
export function keepWords({ data }) {
  keepWordsInTab(data.name, data.words);
}
