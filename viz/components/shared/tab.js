// What this tab keeps of the user's own text and questions, for a reload, a restarted server, or a session that has ended meanwhile. It is in
// the browser's storage for this tab alone, goes with the tab, and is in no link.

/** @import { KeptHead } from "../text_bar/text_bar.data.d.ts" */

const HEAD = "seamark.own";
const TEXT = "seamark.own.text";
const QUESTIONS = "seamark.questions";

/**
 * Do something with the tab's storage; nothing comes of it where the browser has none or refuses.
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
 * Keep a text in the place of the one before; without a head, let that go and keep none. Where the browser refuses, the head says
 * how long the text is that is not kept.
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
    // The head comes first, as a long text may be refused.
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
 * Keep questions, as JSON, in the place of those before.
 * @param {string} questions
 */
export const keepQuestionsInTab = (questions) => withStorage((storage) => storage.setItem(QUESTIONS, questions));

/** The questions that are kept, as JSON; empty if none are. */
export const keptQuestions = () => withStorage((storage) => storage.getItem(QUESTIONS)) ?? "";
