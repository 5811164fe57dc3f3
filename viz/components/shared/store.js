// What the server sends once and several components look up: texts, steps, matrices. It lives as long as the browser's page.

import { emit } from "./bus.js";

const shelves = (globalThis.seamarkStore ??= { texts: new Map(), steps: new Map(), matrices: new Map() });

// A text with the offsets of its sentences, the steps of a stepper by its key, and the distances in meaning for a heatmap;
// undefined until they arrive.
export const storedText = (id) => shelves.texts.get(id);
export const storedSteps = (key) => shelves.steps.get(key);
export const storedMatrix = (id) => shelves.matrices.get(id);

// Split bytes from the server into their first line, which is JSON, and the rest.
function opened(data) {
  const end = data.indexOf(10);
  return [JSON.parse(decoded(data.subarray(0, end))), data.subarray(end + 1)];
}

const decoded = (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

// Only the last text, and the last matrix, is kept: a page shows one at a time.
function keepAlone(shelf, id, made) {
  shelf.clear();
  shelf.set(id, made);
}

// ---- what Streamlit calls -----------------------------------------------------------------------------------------

export function storeText({ data }) {
  const [{ id, ...sentences }, text] = opened(data);
  if (storedText(id)) return;
  keepAlone(shelves.texts, id, { ...sentences, text: decoded(text) });
  emit("seamark-text", { id });
}

export function storeSteps({ data: { key, id, steps } }) {
  shelves.steps.set(key, { id, steps: JSON.parse(steps) });
  emit("seamark-steps", { key });
}

export function storeMatrix({ data }) {
  const [{ id, cells }, numbers] = opened(data);
  if (storedMatrix(id)) return;
  // A copy, because 16-bit numbers must be aligned.
  keepAlone(shelves.matrices, id, { cells, meaning: new Uint16Array(numbers.slice().buffer) });
  emit("seamark-matrix", { id });
}
