// The events of a page. Components do not know each other: one emits an event, and other mounted components listen.

/**
 * @import { Asked } from "../../compare/questions/question_search.data.d.ts"
 * @import { Prediction } from "../stepper/stepper.data.d.ts"
 * @import { Verdicts } from "../../shell/card/verdicts.data.d.ts"
 */
/**
 * A range of sentences: the number of the first, and the number after the last.
 * @typedef {[first: number, end: number]} Range
 */

/**
 * Sentences and gaps of a step, marked in the text, the curve, the heatmap and the rows of a double pass.
 * @typedef {object} Mark
 * @property {Range | null} growing The sentences of the chunk before the step.
 * @property {Range | null} next The sentences that the step may add.
 * @property {Range | null} middle The sentences between the two that the step skips, or the sentence that decides.
 * @property {number | null} gap The gap that the step decides; gap 0 follows the first sentence.
 * @property {number | null} [comparison] The number of the comparison in a double pass.
 * @property {boolean} [arriving] True if the page has just opened at this step: it does not scroll then.
 * @property {number | null} [horizon] The number of sentences, from the beginning, that are in a chunk so far; null for all.
 * @property {number} [seen] The number of comparisons of a double pass so far.
 * @property {Prediction | null} [asked] The prediction that the step waits for at its gap.
 * @property {[gap: number, said: string, right: boolean][]} [predicted] The predictions at gaps, and whether they were right.
 * @property {boolean} [known] True to show the known boundaries before the result is complete.
 * @property {Range | null} [table] The sentences whose chunks are drawn over the heatmap, as the best partition of those before its end.
 * @property {boolean} [still] True if the pointer only hovers over the step: the text does not scroll either.
 */

/**
 * Question of the user, or a request about it.
 * @typedef {object} Question
 * @property {string | null} question Null to clear the question.
 * @property {boolean} [stop] True to cancel the work on it.
 * @property {boolean} [again] True to poll its progress only.
 * @property {boolean} [search] True to search for changes that keep the answer whole; false to stop the search.
 * @property {number} moment The time at which it was asked, by `performance.now()`.
 */

/**
 * The change of a column's parameters that the user wants to see previewed, and the results that it was named for.
 * @typedef {{ column: number, values: Record<string, number>, hashes: string[] }} Would
 */

/**
 * A request to step forward (1) or back (-1) between two steps, counted from 0. A stepper with steps that hears it is `there`;
 * the request is `taken` if it steps, and `over` if no step is left.
 * @typedef {{ by: number, first: number, last: number, there: boolean, taken: boolean, over: boolean }} Turn
 */

/**
 * What a page shows beyond its link.
 * @typedef {object} Seen
 * @property {string} ask The question that is asked on Compare.
 * @property {boolean | null} hides Whether the cuts are hidden there; null on other pages.
 * @property {number | null} horizon The number of sentences up to which a stepper shows the result; null for all.
 * @property {string[]} words The words of its step.
 */

/**
 * An event whose detail is of this type.
 * @template Detail
 * @typedef {{ about: string, detail?: Detail }} EventOf
 */

export const EVENTS = Object.freeze({
  /** @type {EventOf<{ id: string }>} */
  "seamark-text": { about: "The store holds this text." },
  /** @type {EventOf<{ key: string }>} */
  "seamark-steps": { about: "The store holds other steps for the stepper of this key." },
  /** @type {EventOf<{ id: string }>} */
  "seamark-matrix": { about: "The store holds this matrix of distances." },
  /** @type {EventOf<null>} */
  "seamark-ready": { about: "A component has drawn its text for the first time and can receive the current step." },
  /** @type {EventOf<Mark>} */
  "seamark-step": { about: "Show this step; `NOTHING` removes the marks of the previous step." },
  /** @type {EventOf<{ sentence: number }>} */
  "seamark-jump": { about: "Scroll every column to this sentence." },
  /** @type {EventOf<{ ranges: Range[] }>} */
  "seamark-mark": { about: "Underline exactly these sentences while the pointer is on the element that refers to them." },
  /** @type {EventOf<{ gap: number }>} */
  "seamark-gap": { about: "The user selected this gap in the text or on the curve." },
  /** @type {EventOf<{ at: number, press: boolean }>} */
  "seamark-place": {
    about: "Open the card on this position, with the preview of the change that it names for the first column.",
  },
  /** @type {EventOf<{ at: number | null, would?: Would | null }>} */
  "seamark-disagreement": {
    about: "The user moved to this position on the sentence axis, wants to see a change previewed there, or left it (null).",
  },
  /** @type {EventOf<Verdicts>} */
  "seamark-verdicts": { about: "The server has returned the columns' verdicts at a position." },
  /** @type {EventOf<Question>} */
  "seamark-ask": { about: "The user asks a question, polls its progress, or clears it." },
  /** @type {EventOf<Asked>} */
  "seamark-asked": { about: "The server has returned what a question retrieves in every column, or its progress." },
  /** @type {EventOf<{ at: number }>} */
  "seamark-go": { about: "Go to this step, numbered from 0." },
  /** @type {EventOf<{ yes: boolean }>} */
  "seamark-predict": { about: "The user predicts the step that waits for it, in the text." },
  /** @type {EventOf<{ covered: boolean }>} */
  "seamark-cover": { about: "Hide the cuts and their reasons, or show them, for the scene of a lecture." },
  /** @type {EventOf<{ question: string, before: string }>} */
  "seamark-question": { about: "Ask the question of a scene; an empty one clears the question of the scene before." },
  /** @type {EventOf<Seen>} */
  "seamark-scene": { about: "Set what a scene of a lecture keeps of the page: each component fills in what it shows." },
  /** @type {EventOf<Turn>} */
  "seamark-page": { about: "Turn to the next or previous step, unless there is none." },
  /** @type {EventOf<{ open: boolean }>} */
  "seamark-box": { about: "The user opened or closed the box for a text." },
});

/**
 * @template {keyof typeof EVENTS} Name
 * @typedef {(typeof EVENTS)[Name] extends EventOf<infer Detail> ? Detail : never} DetailOf
 */

/**
 * The mark of a step without sentences.
 * @type {Readonly<Mark>}
 */
export const NOTHING = Object.freeze({ growing: null, next: null, middle: null, gap: null });

/**
 * Emit an event on the page.
 * @template {keyof typeof EVENTS} Name
 * @param {Name} name
 * @param {DetailOf<Name>} detail
 */
export function emit(name, detail) {
  globalThis.dispatchEvent(new CustomEvent(declared(name), { detail }));
}

/**
 * Notify Streamlit that a script has set the value of one of its inputs.
 * @param {HTMLInputElement} input
 */
export const tellChanged = (input) => input.dispatchEvent(new Event("change", { bubbles: true }));

/**
 * Listen to page events while `root` is on the page. Returns the clean-up function for Streamlit, which also calls it between
 * updates, so handlers are removed, and `leave` called, only if the root stays away.
 * @param {Element} root
 * @param {{ [Name in keyof typeof EVENTS]?: (detail: DetailOf<Name>) => void }} handlers
 * @param {() => void} [leave]
 * @returns {() => void}
 */
export function listen(root, handlers, leave = () => {}) {
  const entries = /** @type {[string, (detail: any) => void][]} */ (Object.entries(handlers));
  /** @type {[string, (event: Event) => void][]} */
  const heard = entries.map(([name, handle]) => [
    declared(name),
    (event) => handle(/** @type {CustomEvent} */ (event).detail),
  ]);
  for (const [name, handle] of heard) globalThis.addEventListener(name, handle);
  const letGo = () => {
    if (root.isConnected) return;
    for (const [name, handle] of heard) globalThis.removeEventListener(name, handle);
    leave();
  };
  return () => setTimeout(letGo, 200);
}

/** @param {string} name */
function declared(name) {
  if (!Object.hasOwn(EVENTS, name)) throw new Error(`There is no event ${name}; events are declared in bus.js.`);
  return name;
}
