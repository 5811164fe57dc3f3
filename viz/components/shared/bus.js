// The events of a page. Components do not know each other: one emits what it has to say, and whichever others are mounted
// listen.

/**
 * @import { Asked } from "../../compare/asking/payload.data.d.ts"
 * @import { Verdicts } from "../../compare/verdicts.data.d.ts"
 */
/**
 * Sentences by number: the first, and the one after the last.
 * @typedef {[first: number, end: number]} Range
 */

/**
 * Sentences and gaps of a step, marked in the text, the curve, the heatmap and the rows of a double pass.
 * @typedef {object} Mark
 * @property {Range | null} growing The sentences that were together before the step.
 * @property {Range | null} next Those that the step asks about.
 * @property {Range | null} middle Those between them that it passes over, or the one of them that decides.
 * @property {number | null} gap The gap that is decided; gap 0 lies after the first sentence.
 * @property {number | null} [comparison] The comparison of a double pass that is made.
 * @property {boolean} [arriving] Whether the page has only just opened at it: the page does not scroll then.
 * @property {boolean} [still] Whether it is only pointed at: the text does not scroll either.
 */

/**
 * Question of the user, or a request about it.
 * @typedef {object} Question
 * @property {string | null} question Null where nothing is asked any more.
 * @property {boolean} [stop] Whether the work on it is to stop.
 * @property {boolean} [again] Whether the server is only asked how far it is.
 * @property {number} moment When it was said, by `performance.now()`.
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
  "seamark-ready": { about: "A component has drawn its text for the first time: the current step may be told to it." },
  /** @type {EventOf<Mark>} */
  "seamark-step": { about: "This is the step that the page is about now; `NOTHING` takes the marks of the last one away." },
  /** @type {EventOf<{ sentence: number }>} */
  "seamark-jump": { about: "Bring this sentence into sight in every column." },
  /** @type {EventOf<{ ranges: Range[] }>} */
  "seamark-mark": { about: "Underline these sentences, and no others, while the pointer is on what is about them." },
  /** @type {EventOf<{ gap: number }>} */
  "seamark-gap": { about: "This gap was chosen in the text or on the curve." },
  /** @type {EventOf<{ at: number | null }>} */
  "seamark-disagreement": {
    about: "The user looks at the disagreement at this place on the axis of sentences; null: at none.",
  },
  /** @type {EventOf<Verdicts>} */
  "seamark-verdicts": { about: "The server has said what the columns decided at a place." },
  /** @type {EventOf<Question>} */
  "seamark-ask": { about: "The user asks the text a question, asks how far its answer is, or asks nothing any more." },
  /** @type {EventOf<Asked>} */
  "seamark-asked": { about: "The server has said what a question retrieves in every column, or how far it is." },
  /** @type {EventOf<{ at: number }>} */
  "seamark-go": { about: "Go to the step of this number, counted from 0." },
  /** @type {EventOf<{ open: boolean }>} */
  "seamark-box": { about: "The box for the user's own text was opened or closed." },
});

/**
 * @template {keyof typeof EVENTS} Name
 * @typedef {(typeof EVENTS)[Name] extends EventOf<infer Detail> ? Detail : never} DetailOf
 */

/**
 * The mark of a step that is about no sentence.
 * @type {Readonly<Mark>}
 */
export const NOTHING = Object.freeze({ growing: null, next: null, middle: null, gap: null });

/**
 * Say something to the page.
 * @template {keyof typeof EVENTS} Name
 * @param {Name} name
 * @param {DetailOf<Name>} detail
 */
export function emit(name, detail) {
  globalThis.dispatchEvent(new CustomEvent(declared(name), { detail }));
}

/**
 * Tell Streamlit that what is in one of its inputs was set by a script.
 * @param {HTMLInputElement} input
 */
export const tellChanged = (input) => input.dispatchEvent(new Event("change", { bubbles: true }));

/**
 * Hear the page while `root` is on it. Streamlit calls what this returns when it takes the component away: it does so between
 * updates too, so only a root that stays away lets go of its handlers, and `leave` is called.
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
