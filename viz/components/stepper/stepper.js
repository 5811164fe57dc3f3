// The stepper. Keys and buttons step in the browser: other components hear every step, the server only where the user
// pauses.

import { emit, listen, NOTHING } from "../shared/bus.js";
import { activeIn, el, found, liveRegion, svgEl } from "../shared/dom.js";
import { grouped } from "../shared/format.js";
import { countPainted, expose } from "../shared/handle.js";
import { storedSteps } from "../shared/store.js";
import { placeOf } from "./place.js";

const SHAPES = {
  first: "M1 1h2v12h-2zM13 1v12l-9-6z",
  back: "M11 1v12l-9-6z",
  play: "M3 1l9 6-9 6z",
  pause: "M2 1h3.5v12h-3.5zM8.5 1h3.5v12h-3.5z",
  forward: "M3 1l9 6-9 6z",
  last: "M1 1l9 6-9 6zM11 1h2v12h-2z",
};
const PACE = 1400; // milliseconds per step while it plays
// Elements in which arrows, or the space bar, have a meaning of their own.
const OWN_ARROWS =
  "input, textarea, select, [contenteditable], canvas, [role=slider], [role=radio], [role=radiogroup], [role=tab], [role=listbox], [role=option], [role=menu], [role=grid], [role=combobox], [role=dialog]";
const OWN_SPACE = `${OWN_ARROWS}, button, a, summary, label, [role=button]`;

/**
 * @import { Component } from "../shared/component.d.ts"
 * @import { Place } from "./place.js"
 * @import { StepperState } from "./state.d.ts"
 * @import { Step, StepperData } from "./stepper.data.d.ts"
 */

/** @param {Component<StepperData, StepperState>} component */
export default function (component) {
  const root = /** @type {HTMLElement & { stepper?: Stepper }} */ (found(component.parentElement, ".stepper"));
  root.stepper ??= new Stepper(root);
  const { stepper } = root;
  stepper.update(component);
  return () => stepper.dispose();
}

class Stepper {
  /** @type {Component<StepperData, StepperState> | null} */ component = null;
  /** @type {string | null} */ id = null; // of the steps
  /** @type {Step[]} */ steps = [];
  /** @type {Place | null} */ place = null;
  at = 0; // the step that is shown
  /** @type {Map<number, number>} */ gaps = new Map(); // the first step of each gap
  /** @type {ReturnType<typeof setTimeout> | null} */ playing = null;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    root.tabIndex = -1;
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", "Stepper");
    const keys = root.appendChild(el("div", "keys"));
    /**
     * @param {keyof typeof SHAPES} shape
     * @param {string} name
     * @param {() => void} act
     */
    const button = (shape, name, act) => {
      const made = keys.appendChild(el("button", shape));
      this.name(made, shape, name);
      made.addEventListener("click", act);
      return made;
    };
    this.first = button("first", "First step", () => this.go(0));
    this.back = button("back", "Step back (left arrow)", () => this.go(this.at - 1));
    this.player = button("play", "Play (space)", () => this.toggle());
    this.forward = button("forward", "Step forward (right arrow)", () => this.go(this.at + 1));
    this.last = button("last", "Last step", () => this.go(this.steps.length - 1));
    this.where = keys.appendChild(el("span", "where"));
    const jump = root.appendChild(el("div", "jump"));
    this.toStep = this.field(jump, "step", (number) => number - 1);
    this.toGap = this.field(jump, "gap", (number) => this.ofGap(number - 1));
    const hint = jump.appendChild(el("span", "hint"));
    for (const [key, what] of [
      ["←", ""],
      ["→", " step  "],
      ["space", " play"],
    ])
      hint.append(el("kbd", "", key), what || " ");
    this.told = root.appendChild(el("div", "told"));
    this.live = liveRegion(root);
    this.dispose = this.hearPage();
    expose(root, this.handle());
  }

  /**
   * @param {HTMLElement} button
   * @param {keyof typeof SHAPES} shape
   * @param {string} name
   */
  name(button, shape, name) {
    const svg = svgEl("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" });
    svgEl("path", { d: SHAPES[shape] }, svg);
    button.replaceChildren(svg);
    button.setAttribute("aria-label", name);
    button.title = name;
  }

  /**
   * A field that leads to a step by a number.
   * @param {HTMLElement} parent
   * @param {string} what the number is of
   * @param {(number: number) => number} place the step, from 0, of the number; of none, less than 0
   */
  field(parent, what, place) {
    const label = parent.appendChild(el("label", "", `to ${what}`));
    const input = label.appendChild(el("input"));
    input.inputMode = "numeric";
    input.autocomplete = "off";
    input.addEventListener("change", () => {
      const number = wholeNumber(input.value);
      const at = number < 0 ? -1 : place(number);
      const found = at >= 0 && at < this.steps.length;
      input.setAttribute("aria-invalid", String(!found));
      if (found) {
        input.value = "";
        this.go(at);
      } else if (input.value) this.live.textContent = `There is no ${what} ${input.value}.`;
    });
    return label;
  }

  hearPage() {
    /** @param {KeyboardEvent} event */
    const hearKey = (event) => this.key(event);
    globalThis.addEventListener("keydown", hearKey);
    return listen(
      this.root,
      {
        "seamark-gap": ({ gap }) => {
          const at = this.ofGap(gap);
          if (at >= 0) this.go(at);
        },
        "seamark-go": ({ at }) => this.go(at),
        "seamark-ready": () => this.mark(true),
        "seamark-steps": ({ key }) => this.component?.data.key === key && this.update(this.component),
      },
      () => {
        globalThis.removeEventListener("keydown", hearKey);
        if (this.playing) clearTimeout(this.playing);
        this.place?.leave(this);
        // Its marks go with it, unless another component has marked something since.
        if (globalThis.seamarkStepper === this) emit("seamark-step", NOTHING);
      },
    );
  }

  /** @param {Component<StepperData, StepperState>} component */
  update(component) {
    this.component = component;
    const { key, id } = component.data;
    this.place = placeOf(key);
    if (this.id === null && this.place.owner === null && holdsArrows(document.activeElement))
      this.root.focus({ preventScroll: true });
    this.place.hear(this, component.data, (at, turn) => component.setStateValue("place", { at, turn }));
    const stored = storedSteps(key);
    if (stored === undefined || stored.id !== id) return;
    const at = within(this.place.at, stored.steps.length);
    if (this.id === id && this.at === at) return;
    const arriving = this.id !== id;
    if (arriving) {
      this.id = id;
      this.steps = stored.steps;
      this.gaps = stepsOfGaps(this.steps);
      // If every step is about the gap of the same number, one field is enough.
      const fields = this.gaps.size && this.steps.some((step, number) => step.mark.gap !== number);
      this.toGap.style.display = fields ? "" : "none";
    }
    this.show(at, arriving);
    countPainted(this.root);
  }

  /**
   * The step of a gap; -1 for none.
   * @param {number} gap
   */
  ofGap(gap) {
    return this.gaps.get(gap) ?? -1;
  }

  /** @param {number} at */
  go(at) {
    if (!(at >= 0 && at < this.steps.length)) return;
    this.place?.go(at);
    this.show(at);
  }

  /** @param {number} at */
  show(at, arriving = false) {
    this.at = at;
    const step = this.steps[at];
    const count = this.steps.length;
    const focused = activeIn(this.root);
    this.first.disabled = this.back.disabled = at <= 0;
    this.forward.disabled = this.last.disabled = at >= count - 1;
    this.player.disabled = count < 2;
    if (focused instanceof HTMLButtonElement && focused.disabled) this.player.focus();
    this.where.textContent = step ? `step ${grouped(at + 1)} of ${grouped(count)}` : "no steps";
    this.told.className = `told ${step?.tone ?? ""}`;
    const list = el("dl");
    for (const [label, value] of step?.numbers ?? []) list.append(el("dt", "", label), el("dd", "", value));
    this.told.replaceChildren(
      ...(step ? [el("h2", "", step.title), ...step.story.map((said) => el("p", "", said)), list] : []),
    );
    this.live.textContent = step ? `Step ${grouped(at + 1)}: ${step.title}. ${step.story.join(" ")}` : "";
    this.mark(arriving);
  }

  /**
   * A page that has just opened shows its top: only a step the user takes scrolls it.
   * @param {boolean} arriving
   */
  mark(arriving) {
    if (!this.root.isConnected) return;
    globalThis.seamarkStepper = this;
    emit("seamark-step", { ...(this.steps[this.at]?.mark ?? NOTHING), arriving });
  }

  toggle() {
    if (this.playing) return this.stop();
    this.name(this.player, "pause", "Pause (space)");
    if (this.at >= this.steps.length - 1) this.go(0);
    const on = () => {
      if (this.at >= this.steps.length - 1) return this.stop();
      this.go(this.at + 1);
      this.playing = setTimeout(on, PACE);
    };
    this.playing = setTimeout(on, PACE);
  }

  stop() {
    if (this.playing) clearTimeout(this.playing);
    this.playing = null;
    this.name(this.player, "play", "Play (space)");
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    // Until a run of the page ends, Streamlit may show the stepper of the run before as well.
    if (this.place?.owner !== this) return;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step && event.key !== " ") return;
    const path = event.composedPath().filter((node) => node instanceof Element);
    if (path.some((node) => node.matches(step ? OWN_ARROWS : OWN_SPACE))) return;
    event.preventDefault();
    if (step) this.go(this.at + step);
    else this.toggle();
  }

  handle() {
    const stepper = this;
    return {
      get step() {
        return stepper.steps.length ? stepper.at + 1 : null;
      },
      get steps() {
        return stepper.steps.length;
      },
      get playing() {
        return Boolean(stepper.playing);
      },
    };
  }
}

/**
 * The first step of each gap that steps are of.
 * @param {{ mark: { gap: number | null } }[]} steps
 * @returns {Map<number, number>}
 */
export function stepsOfGaps(steps) {
  const gaps = new Map();
  steps.forEach(({ mark: { gap } }, number) => {
    if (gap !== null && !gaps.has(gap)) gaps.set(gap, number);
  });
  return gaps;
}

/**
 * True if an element is a choice of several, such as the one that opened the stepper: it would keep the arrows that are to step.
 * @param {Element | null} element
 */
export const holdsArrows = (element) => Boolean(element?.closest("[role=radiogroup], [role=radio], [role=tablist]"));

/**
 * The nearest of `count` numbers from 0 on; 0 where there is none.
 * @param {number} at
 * @param {number} count
 */
export const within = (at, count) => Math.max(0, Math.min(count - 1, at));

/**
 * The whole number that a text is; -1 where it is none.
 * @param {string} text
 */
export const wholeNumber = (text) => (/^\s*\d+\s*$/.test(text) ? Number(text) : -1);
