// The bar of a lecture: the scene's words, one part at a time. Page Down belongs first to a stepper with steps left, while the
// scene is to be seen; then it shows the next part, and after the last part the next scene. Page Up goes back the same way.

import { emit, listen } from "../components/shared/bus.js";
import { capital, el, found, isDark, isFree } from "../components/shared/dom.js";
import { countPainted, expose } from "../components/shared/handle.js";
import { forgetPlaces } from "../components/stepper/place.js";

const SEE = "see";
const PATIENCE = 10_000; // milliseconds for which the keys wait for the page of another scene
/** @type {Record<string, number>} */
const PAGING = { PageDown: 1, PageUp: -1 };
// Elements in which these keys scroll, or move through options.
const OWN_PAGING = "textarea, select, dialog, [contenteditable], [role=dialog], [role=listbox], [role=combobox]";

/**
 * @import { Component, Moment } from "../components/shared/component.d.ts"
 * @import { DeckData, SceneData } from "./deck_bar.data.d.ts"
 * @typedef {{ act: "scene" | "leave", scene?: number, at: Moment }} Act
 */
/**
 * What is shown of the lecture: the scene by its lecture and number, the index of the part, whether the cuts are hidden, and the
 * question that was asked for a scene.
 * @typedef {{ scene: string, part: number, covered: boolean, asked: string }} DeckState
 */

/** @param {Component<DeckData, { act: Act }>} component */
export default function (component) {
  const root = /** @type {HTMLElement & { bar?: DeckBar }} */ (found(component.parentElement, ".deck-root"));
  root.bar ??= new DeckBar(root);
  const { bar } = root;
  bar.update(component);
  return () => bar.dispose();
}

class DeckBar {
  /** @type {Component<DeckData, { act: Act }> | null} */ component = null;
  /** @type {Moment | null} */ sent = null; // when the user last did what the server has not answered yet

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    globalThis.seamarkDeck ??= { scene: "", part: 0, covered: false, asked: "" };
    this.state = globalThis.seamarkDeck;
    this.bar = root.appendChild(el("section", "deck"));
    this.bar.hidden = true;
    const head = this.bar.appendChild(el("div", "scene-head"));
    this.title = head.appendChild(el("h2"));
    this.count = head.appendChild(el("span", "count"));
    this.parts = head.appendChild(el("ol", "parts"));
    /**
     * @param {string} sign
     * @param {string} name
     * @param {() => void} press
     */
    const button = (sign, name, press) => {
      const made = head.appendChild(el("button", "", sign));
      made.type = "button";
      made.title = name;
      made.setAttribute("aria-label", name);
      made.addEventListener("click", press);
      return made;
    };
    this.back = button("◂", "Back (Page Up)", () => this.turn(-1));
    this.forward = button("▸", "Next (Page Down)", () => this.turn(1));
    this.leaving = button("✕", "Leave the lecture", () => this.tell({ act: "leave" }));
    this.words = this.bar.appendChild(el("p", "words"));
    this.words.setAttribute("aria-live", "polite");
    this.words.tabIndex = 0;
    this.blank = root.appendChild(el("dialog", "blank"));
    this.blank.setAttribute("aria-label", "The screen is blank. Any key brings it back.");
    this.blank.addEventListener("click", () => this.blank.close());
    this.blank.addEventListener("keydown", (event) => {
      event.preventDefault();
      event.stopPropagation();
      this.blank.close();
    });
    /** @param {KeyboardEvent} event */
    const hearPaging = (event) => this.page(event);
    /** @param {KeyboardEvent} event */
    const hearKey = (event) => this.key(event);
    // Before the page's own scripts, of which some would step or scroll by the same keys.
    globalThis.addEventListener("keydown", hearPaging, { capture: true });
    globalThis.addEventListener("keydown", hearKey);
    this.dispose = listen(root, { "seamark-ready": () => this.sync() }, () => {
      globalThis.removeEventListener("keydown", hearPaging, { capture: true });
      globalThis.removeEventListener("keydown", hearKey);
    });
    const bar = this;
    expose(root, {
      get scene() {
        return bar.state.scene;
      },
      get part() {
        return bar.shown?.parts[bar.state.part]?.[0] ?? "";
      },
      get waiting() {
        return bar.waiting;
      },
    });
  }

  /** @param {Component<DeckData, { act: Act }>} component */
  update(component) {
    this.component = component;
    const { data } = component;
    this.root.dataset.theme = isDark(this.root) ? "dark" : "light";
    if (this.sent !== null && data.heard === this.sent) this.sent = null;
    const scene = data.scenes.length ? `${data.name}/${data.at + 1}` : "";
    // An earlier run of the page still names the scene before.
    if (this.sent === null && scene !== this.state.scene) this.arrive(scene, 0);
    this.draw();
    countPainted(this.root);
  }

  get at() {
    return Number(this.state.scene.split("/")[1]) - 1;
  }

  /** @returns {SceneData | undefined} */
  get shown() {
    return this.component?.data.scenes[this.at];
  }

  get waiting() {
    return this.sent !== null && performance.now() - this.sent < PATIENCE;
  }

  /**
   * @param {string} scene
   * @param {number} part
   */
  arrive(scene, part) {
    Object.assign(this.state, { scene, part });
    forgetPlaces();
    this.sync();
  }

  draw() {
    const { shown, state } = this;
    const { data } = /** @type {Component<DeckData, { act: Act }>} */ (this.component);
    this.bar.hidden = !shown;
    if (!shown) return;
    const { at } = this;
    this.bar.setAttribute("aria-label", `Lecture: ${data.title}`);
    this.title.textContent = shown.title;
    this.count.textContent = `${at + 1} of ${data.scenes.length}`;
    this.parts.replaceChildren(
      ...shown.parts.map(([name], index) => {
        const item = el("li", "", index === state.part ? capital(name) : "");
        if (index === state.part) item.setAttribute("aria-current", "step");
        else item.title = capital(name);
        return item;
      }),
    );
    const words = shown.parts[state.part]?.[1] ?? "";
    if (this.words.textContent !== words) this.words.textContent = words;
    this.back.disabled = at === 0 && state.part === 0;
    this.forward.disabled = at === data.scenes.length - 1 && state.part === shown.parts.length - 1;
  }

  // Have the page hide its cuts, and ask the scene's question, as the part wants it.
  sync() {
    const { shown, state } = this;
    const see = shown?.parts.findIndex(([name]) => name === SEE) ?? 0;
    state.covered = Boolean(shown?.hides) && state.part < see;
    emit("seamark-cover", { covered: state.covered });
    const question = shown && state.part >= see ? shown.ask : "";
    if (question || state.asked) emit("seamark-question", { question, before: state.asked });
    state.asked = question || state.asked;
    if (shown?.at && state.part >= see) document.querySelector(`.st-key-${shown.at}`)?.scrollIntoView();
  }

  /**
   * Go to the next or the previous part, or to the scene beyond the last or the first.
   * @param {number} by
   */
  turn(by) {
    const { shown, state } = this;
    const { data } = this.component ?? {};
    if (!shown || !data || this.waiting) return;
    const part = state.part + by;
    const scene = this.at + by;
    if (shown.parts[part]) {
      state.part = part;
      this.sync();
    } else if (data.scenes[scene]) {
      this.tell({ act: "scene", scene });
      this.arrive(`${data.name}/${scene + 1}`, by > 0 ? 0 : data.scenes[scene].parts.length - 1);
    }
    this.draw();
  }

  /** @param {Omit<Act, "at">} act */
  tell(act) {
    this.sent = performance.now();
    this.component?.setStateValue("act", { ...act, at: this.sent });
  }

  /** @param {KeyboardEvent} event */
  page(event) {
    const by = PAGING[event.key];
    const { shown } = this;
    if (!by || !shown || !this.root.isConnected || this.blank.open) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.composedPath().some((node) => node instanceof Element && node.matches(OWN_PAGING))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (this.waiting) return;
    const turn = { by, first: shown.first - 1, last: (shown.until ?? Infinity) - 1, there: false, taken: false };
    const steps = shown.parts[this.state.part]?.[0] === SEE;
    if (steps) emit("seamark-page", turn);
    // The scene's stepper may not be drawn yet.
    if (!turn.taken && (!steps || turn.there || shown.until === null)) this.turn(by);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key !== "b" || !this.component?.data.lecture || !this.root.isConnected || !isFree(event)) return;
    event.preventDefault();
    this.blank.showModal();
  }
}
