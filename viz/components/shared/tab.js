// The tab's copy of the user's text and questions, which survives a reload, a server restart and the end of a session. It is in
// the browser's storage for this tab only, ends with the tab, and is in no link.

/** @import { KeptHead } from "../text_bar/text_bar.data.d.ts" */

const HEAD = "seamark.own";
const TEXT = "seamark.own.text";
const QUESTIONS = "seamark.questions";

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
 * @param {KeptHead | null} head
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
 * @returns {KeptHead | null}
 */
export const keptHead = () => withStorage((storage) => JSON.parse(storage.getItem(HEAD) ?? "null")) ?? null;

/** The text that is kept. */
export const keptText = () => withStorage((storage) => storage.getItem(TEXT)) ?? "";

/**
 * Replace the stored questions, given as JSON.
 * @param {string} questions
 */
export const keepQuestionsInTab = (questions) => withStorage((storage) => storage.setItem(QUESTIONS, questions));

/** The questions that are kept, as JSON; empty if none are. */
export const keptQuestions = () => withStorage((storage) => storage.getItem(QUESTIONS)) ?? "";
