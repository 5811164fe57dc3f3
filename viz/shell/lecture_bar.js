// The bar of a lecture: the scene's words, one part at a time. Page Down belongs first to a stepper with steps left, while the
// scene is to be seen; then it shows the next part, and after the last part the next scene. Page Up goes back the same way.

import { emit, listen } from "../components/shared/bus.js";
import { countPainted, expose } from "../components/shared/component_handle.js";
import { capital, el, found, isDark, isFree, saveAs } from "../components/shared/dom.js";
import { keptWords } from "../components/shared/tab_storage.js";
import { forgetCurrentSteps } from "../components/stepper/current_step.js";

const PARTS = ["prepare", "predict", "see", "explain"];
const SEE = "see";
const LONGEST_TITLE = 80; // characters, as viz/state/lecture_decks.py has them
const LONGEST_WORDS = 400;
const QUESTION = "question";
const PATIENCE = 10_000; // milliseconds for which the keys wait for the page of another scene
const SETTINGS = '[data-testid="stPopoverBody"]';
const OPENER = '.st-key-lecture_bar [data-testid="stPopover"] button';
/** @type {Record<string, number>} */
const PAGING = { PageDown: 1, PageUp: -1 };
// Elements in which these keys scroll, or move through options.
const OWN_PAGING = "textarea, select, dialog, [contenteditable], [role=dialog], [role=listbox], [role=combobox]";

/**
 * @import { Seen } from "../components/shared/bus.js"
 * @import { Component, Moment } from "../components/shared/component.d.ts"
 * @import { Telling } from "../components/text_bar/state.d.ts"
 * @import { ScenePicture } from "../state/lecture_decks.data.d.ts"
 * @import { DeckData, SceneData } from "./lecture_bar.data.d.ts"
 * @typedef {{ act: "scene" | "leave" | "add" | "move" | "remove" | "picture", scene?: number, by?: number, words?: Record<string, string>,
 *   hides?: boolean, horizon?: number | null, caption?: string[], at: Moment }} Act
 */
/**
 * What is shown of the lecture: the scene by its lecture and number, the index of the part, whether the cuts are hidden, and the
 * question that was asked for a scene, and how many lectures were started before.
 * @typedef {{ scene: string, part: number, covered: boolean, asked: string, started: number }} DeckState
 */

/**
 * @typedef {Telling<DeckData, { kept: { lecture: string, at: Moment } }> & Component<DeckData, { act: Act }>} DeckComponent
 * @param {DeckComponent} component
 */
export default function (component) {
  const root = /** @type {HTMLElement & { bar?: LectureBar }} */ (found(component.parentElement, ".deck-root"));
  root.bar ??= new LectureBar(root);
  const { bar } = root;
  bar.update(component);
  return () => bar.dispose();
}

class LectureBar {
  /** @type {DeckComponent | null} */ component = null;
  asked = ""; // the last request for the lecture that the tab keeps
  /** @type {number | null} */ adding = null; // how often a button of the page had opened the form
  sought = new MutationObserver(() => {}); // of the page, for the element to scroll to
  /** @type {Moment | null} */ sent = null; // when the user last did what the server has not answered yet

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    globalThis.seamarkDeck ??= { scene: "", part: 0, covered: false, asked: "", started: 0 };
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
    this.owning = [
      button("⇤", "Move the scene back", () => this.change({ act: "move", by: -1 })),
      button("⇥", "Move the scene forward", () => this.change({ act: "move", by: 1 })),
      button("−", "Remove the scene", () => this.change({ act: "remove" })),
    ];
    this.drawing = button("⤓", "Picture of the page", () => {
      const { horizon, words } = seen();
      const lines = this.shown?.parts.slice(0, this.state.part + 1).map(([, line]) => line) ?? [];
      this.tell({ act: "picture", horizon, caption: words.length ? [words.join(" ")] : lines.slice(-2) });
    });
    head.appendChild(el("span", "settings"));
    this.back = button("◂", "Back (Page Up)", () => this.turn(-1));
    this.forward = button("▸", "Next (Page Down)", () => this.turn(1));
    this.leaving = button("✕", "Leave the lecture", () => this.tell({ act: "leave" }));
    this.words = this.bar.appendChild(el("p", "words"));
    this.words.setAttribute("aria-live", "polite");
    this.words.tabIndex = 0;
    this.picture = new PictureDialog(root);
    this.form = new SceneForm(root, (words, hides) => this.tell({ act: "add", words, hides }));
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
      this.sought.disconnect();
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

  /** @param {DeckComponent} component */
  update(component) {
    this.component = component;
    const { data } = component;
    if (this.asked !== data.ask) {
      this.asked = data.ask;
      const lecture = keptWords("lecture");
      if (lecture || data.awaited) component.setTriggerValue("kept", { lecture, at: performance.now() });
    }
    this.root.dataset.theme = isDark(this.root) ? "dark" : "light";
    if (this.sent !== null && data.heard === this.sent) this.sent = null;
    const scene = data.scenes.length ? `${data.name}/${data.at + 1}` : "";
    // An earlier run of the page still names the scene before.
    if (this.sent === null && (scene !== this.state.scene || data.started !== this.state.started)) {
      this.arrive(scene, 0);
      this.state.started = data.started;
      // A lecture is chosen in the settings, which would lie over the scene and take its keys.
      const opener = document.querySelector(OPENER);
      if (scene && document.querySelector(SETTINGS) && opener instanceof HTMLElement) opener.click();
    }
    this.draw();
    if (data.picture && data.picture.asked === this.picture.wanted) this.picture.show(data.picture);
    if (this.adding !== null && this.adding !== data.adding) this.form.open();
    this.adding = data.adding;
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
    forgetCurrentSteps();
    this.sync();
  }

  draw() {
    const { shown, state } = this;
    const { data } = /** @type {DeckComponent} */ (this.component);
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
    for (const made of this.owning) made.hidden = !data.own;
    this.owning[0].disabled = at === 0;
    this.owning[1].disabled = at === data.scenes.length - 1;
    this.drawing.hidden = !shown.drawn;
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
    this.scrollTo(shown?.at && state.part >= see ? `.st-key-${shown.at}` : "");
  }

  /**
   * Scroll to an element of the page, also when it is drawn later or moved by what is drawn after it, until the user scrolls
   * or presses. An empty selector ends this.
   * @param {string} selector
   */
  scrollTo(selector) {
    this.sought.disconnect();
    if (!selector) return;
    const scroll = () => document.querySelector(selector)?.scrollIntoView();
    this.sought = new MutationObserver(scroll);
    this.sought.observe(document.body, { childList: true, subtree: true });
    for (const act of ["wheel", "touchmove", "pointerdown", "keydown"])
      globalThis.addEventListener(act, () => this.sought.disconnect(), { once: true, capture: true });
    scroll();
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

  /**
   * Change the user's own lecture; the server answers with the scene that is then at hand.
   * @param {Omit<Act, "at">} act
   */
  change(act) {
    if (this.waiting) return;
    // A moved scene stays in sight; after a removed one another arrives, perhaps of the same number.
    this.state.scene = act.by ? `${this.component?.data.name}/${this.at + 1 + act.by}` : "";
    this.tell(act);
  }

  /** @param {Omit<Act, "at">} act */
  tell(act) {
    this.sent = performance.now();
    if (act.act === "picture") this.picture.wanted = this.sent;
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
    const last = (shown.until ?? Infinity) - 1;
    const turn = { by, first: shown.first - 1, last, there: false, taken: false, over: false };
    const steps = shown.parts[this.state.part]?.[0] === SEE;
    if (steps) emit("seamark-page", turn);
    // The scene's stepper may not be drawn yet.
    if (!steps || turn.over || (!turn.there && shown.until === null)) this.turn(by);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.component?.data.lecture || !this.root.isConnected || !isFree(event)) return;
    if (event.key === "b") this.blank.showModal();
    else if (event.key === "s") this.form.open();
    else return;
    event.preventDefault();
  }
}

/** @returns {Seen} what the page shows */
function seen() {
  /** @type {Seen} */
  const scene = { ask: "", hides: null, horizon: null, words: [] };
  emit("seamark-scene", scene);
  return scene;
}

// The form that adds the page to the user's own lecture, with the words to say there.
class SceneForm {
  /**
   * @param {HTMLElement} root
   * @param {(words: Record<string, string>, hides: boolean) => void} add
   */
  constructor(root, add) {
    this.dialog = root.appendChild(el("dialog", "adding"));
    this.dialog.setAttribute("aria-label", "Add to my lecture");
    const form = this.dialog.appendChild(el("form"));
    form.appendChild(el("h2", "", "Add to my lecture"));
    this.fields = ["title", ...PARTS, QUESTION].map((name) => {
      const label = form.appendChild(el("label", "", capital(name)));
      const field = label.appendChild(el(PARTS.includes(name) ? "textarea" : "input"));
      field.maxLength = name === "title" ? LONGEST_TITLE : LONGEST_WORDS;
      return /** @type {const} */ ([name, field]);
    });
    // Only Compare hides its cuts and answers a question.
    this.compared = form.appendChild(el("label", "check"));
    this.hides = this.compared.appendChild(el("input"));
    this.hides.type = "checkbox";
    this.compared.append("Hide the cuts until “See”");
    const row = form.appendChild(el("div", "row"));
    const cancel = row.appendChild(el("button", "", "Cancel"));
    cancel.type = "button";
    cancel.addEventListener("click", () => this.dialog.close());
    row.appendChild(el("button", "main", "Add")).type = "submit";
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.dialog.close();
      add(Object.fromEntries(this.fields.map(([name, field]) => [name, field.value])), this.hides.checked);
    });
    // While the form is open, the page handles no keys.
    this.dialog.addEventListener("keydown", (event) => event.stopPropagation());
  }

  open() {
    if (this.dialog.open) return;
    const scene = seen();
    for (const [name, field] of this.fields) {
      field.value = name === QUESTION ? scene.ask : "";
      if (name === QUESTION && field.parentElement) field.parentElement.hidden = scene.hides === null;
    }
    this.compared.hidden = scene.hides === null;
    this.hides.checked = scene.hides === true;
    this.dialog.showModal();
  }
}

// The page as a picture, to be saved as SVG, or as PNG of twice its size, which the browser draws.
class PictureDialog {
  /** @type {Moment | null} */ wanted = null; // when the picture was asked for that is not shown yet
  svg = new Blob();
  name = "";

  /** @param {HTMLElement} root */
  constructor(root) {
    this.dialog = root.appendChild(el("dialog", "adding picture"));
    this.dialog.setAttribute("aria-label", "Picture of the page");
    this.image = this.dialog.appendChild(el("img"));
    const row = this.dialog.appendChild(el("div", "row"));
    /**
     * @param {string} words
     * @param {() => void} press
     */
    const button = (words, press) => {
      const made = row.appendChild(el("button", "", words));
      made.type = "button";
      made.addEventListener("click", press);
    };
    button("Close", () => this.dialog.close());
    button("Save SVG", () => saveAs(this.svg, `${this.name}.svg`));
    button("Save PNG", () => this.savePng());
    this.dialog.addEventListener("keydown", (event) => event.stopPropagation());
  }

  /** @param {ScenePicture} picture */
  show({ svg, name, said }) {
    Object.assign(this, { wanted: null, name, svg: new Blob([svg], { type: "image/svg+xml" }) });
    URL.revokeObjectURL(this.image.src);
    this.image.src = URL.createObjectURL(this.svg);
    this.image.alt = said;
    if (!this.dialog.open) this.dialog.showModal();
  }

  async savePng() {
    await this.image.decode();
    const canvas = el("canvas");
    canvas.width = 2 * this.image.naturalWidth;
    canvas.height = 2 * this.image.naturalHeight;
    canvas.getContext("2d")?.drawImage(this.image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => blob && saveAs(blob, `${this.name}.png`));
  }
}
