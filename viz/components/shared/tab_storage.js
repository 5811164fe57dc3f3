// The tab's copy of the user's text, questions and lecture, which survives a reload, a server restart and the end of a session. It is in
// the browser's storage for this tab only, ends with the tab, and is in no link.

/** @import { TabTextMetadata } from "../text_bar/text_bar.data.d.ts" */

const HEAD = "seamark.own";
const TEXT = "seamark.own.text";
/** @typedef {"questions" | "lecture"} Kept */

/**
 * Call a function with the tab's storage; return undefined if the browser has none or refuses.
 * @template Made
 * @param {(storage: Storage) => Made} act
 */
function withStorage(act) {
  try {
    return act(globalThis.sessionStorage);
  } catch {
    return undefined;
  }
}

/**
 * Replace the stored text; without metadata, remove it. If the browser refuses, the metadata records the length of the text
 * that could not be stored.
 * @param {TabTextMetadata | null} head
 * @param {string} text
 */
export function keepInTab(head, text) {
  withStorage((storage) => {
    const written = JSON.stringify(head);
    if (head && storage.getItem(HEAD) === written && storage.getItem(TEXT) === text) return;
    storage.removeItem(HEAD);
    storage.removeItem(TEXT);
    if (!head) return;
    // Store the metadata first, since a long text may be refused.
    storage.setItem(HEAD, JSON.stringify({ ...head, left: head.left || text.length }));
    storage.setItem(TEXT, text);
    storage.setItem(HEAD, written);
  });
}

/**
 * Metadata kept with the text; null without a text.
 * @returns {TabTextMetadata | null}
 */
export const keptHead = () => withStorage((storage) => JSON.parse(storage.getItem(HEAD) ?? "null")) ?? null;

/** The text that is kept. */
export const keptText = () => withStorage((storage) => storage.getItem(TEXT)) ?? "";

/**
 * Replace the stored questions or the stored lecture; remove them if `words` is empty or the browser refuses.
 * @param {Kept} name
 * @param {string} words
 */
export function keepWordsInTab(name, words) {
  withStorage((storage) => {
    if (storage.getItem(key(name)) === words) return;
    storage.removeItem(key(name));
    if (words) storage.setItem(key(name), words);
  });
}

/**
 * The questions or the lecture that are kept, as the server wrote them; empty if none are.
 * @param {Kept} name
 */
export const keptWords = (name) => withStorage((storage) => storage.getItem(key(name))) ?? "";

/** @param {Kept} name */
const key = (name) => `seamark.${name}`;
