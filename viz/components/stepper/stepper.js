// The stepper. Keys and buttons step in the browser: other components receive every step, the server only the step at which
// the user pauses.

import { emit, listen, NOTHING } from "../shared/bus.js";
import { countPainted, expose } from "../shared/component_handle.js";
import { activeIn, el, found, liveRegion, svgEl } from "../shared/dom.js";
import { grouped } from "../shared/format.js";
import { storedSteps } from "../shared/store.js";
import { currentStepOf } from "./current_step.js";
import { drawGauge } from "./gauge.js";
import { Votes } from "./votes.js";

const SHAPES = {
  first: "M1 1h2v12h-2zM13 1v12l-9-6z",
  back: "M11 1v12l-9-6z",
  play: "M3 1l9 6-9 6z",
  pause: "M2 1h3.5v12h-3.5zM8.5 1h3.5v12h-3.5z",
  forward: "M3 1l9 6-9 6z",
  last: "M1 1l9 6-9 6zM11 1h2v12h-2z",
};
const PACE = 1400; // milliseconds per step while it plays
/** @type {Record<string, number>} */
const PAGING = { PageDown: 1, PageUp: -1, Home: -Infinity, End: Infinity };
// Elements in which arrow keys or the space bar have their own meaning.
const OWN_ARROWS =
  "input, textarea, select, [contenteditable], canvas, [role=slider], [role=radio], [role=radiogroup], [role=tab], [role=listbox], [role=option], [role=menu], [role=grid], [role=combobox], [role=dialog]";
const OWN_SPACE = `${OWN_ARROWS}, button, a, summary, label, [role=button]`;

/**
 * @import { Mark, Turn } from "../shared/bus.js"
 * @import { Component } from "../shared/component.d.ts"
 * @import { CurrentStep } from "./current_step.js"
 * @import { StepperState } from "./state.d.ts"
 * @import { Prediction, Step, StepperData } from "./stepper.data.d.ts"
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
  /** @type {CurrentStep | null} */ currentStep = null;
  at = 0; // the step that is shown
  would = ""; // what would change its verdict, once the server has found it
  /** @type {Map<number, number>} */ gaps = new Map(); // the first step of each gap
  /** @type {ReturnType<typeof setTimeout> | null} */ playing = null;
  voting = false; // true if hands are counted
  /** @type {boolean | null} */ linked = null; // what the link says of known boundaries; null if the text has none

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
    this.forward = button("forward", "Step forward (right arrow)", () => this.goOn());
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
    const paces = root.appendChild(el("div", "paces"));
    this.build = this.pacer(paces, "Build up", "build", "Show the result only as far as the step");
    this.predict = this.pacer(paces, "Predict", "predict", "Ask for each decision before it is shown");
    this.known = paces.appendChild(el("button", "pacer", "Known boundaries"));
    this.known.title = "Show them before all steps are taken";
    this.known.addEventListener("click", () => {
      if (this.currentStep) this.currentStep.known = !this.showsKnown;
      this.choose();
    });
    this.tally = paces.appendChild(el("span", "tally"));
    this.told = root.appendChild(el("div", "told"));
    this.votes = new Votes();
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
   * Create a switch for the pace, that is for what is shown beyond the step.
   * @param {HTMLElement} parent
   * @param {string} words
   * @param {string} pace
   * @param {string} help
   */
  pacer(parent, words, pace, help) {
    const made = parent.appendChild(el("button", "pacer", words));
    made.title = help;
    made.addEventListener("click", () => this.setPace(this.pace === pace ? "whole" : pace));
    return made;
  }

  get pace() {
    return this.currentStep?.pace ?? this.component?.data.pace ?? "whole";
  }

  /** @param {string} pace */
  setPace(pace) {
    if (this.currentStep) this.currentStep.pace = pace;
    this.choose();
  }

  get showsKnown() {
    return this.currentStep?.known ?? this.linked ?? false;
  }

  // Show the chosen pace and known boundaries, and tell the server.
  choose() {
    const { pace, showsKnown } = this;
    this.component?.setStateValue("chosen", { pace, known: showsKnown, at: performance.now() });
    this.show(this.at);
  }

  /**
   * Create a field that goes to a step by its number.
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
      const isStep = at >= 0 && at < this.steps.length;
      input.setAttribute("aria-invalid", String(!isStep));
      if (isStep) {
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
        "seamark-predict": ({ yes }) => this.asked && this.answer(yes),
        "seamark-page": (turn) => this.turn(turn),
        "seamark-scene": (scene) => {
          const step = this.steps[this.at];
          scene.horizon = this.horizon().horizon;
          scene.words = this.asked ? [this.asked.words] : step ? [`${step.title}.`, ...step.story] : [];
        },
        "seamark-ready": () => this.mark(true),
        "seamark-steps": ({ key }) => this.component?.data.key === key && this.update(this.component),
      },
      () => {
        globalThis.removeEventListener("keydown", hearKey);
        if (this.playing) clearTimeout(this.playing);
        this.currentStep?.leave(this);
        // Remove its marks, unless another component has marked something since.
        if (globalThis.seamarkStepper === this) emit("seamark-step", NOTHING);
      },
    );
  }

  /** @param {Component<StepperData, StepperState>} component */
  update(component) {
    this.component = component;
    const { key, id } = component.data;
    const { currentStep } = this;
    this.currentStep = currentStepOf(key);
    if (this.id === null && this.currentStep.owner === null && holdsArrows(document.activeElement))
      this.root.focus({ preventScroll: true });
    this.currentStep.hear(this, component.data, (step, at) => component.setStateValue("place", { step, at }));
    const stored = storedSteps(key);
    if (stored === undefined || stored.id !== id) return;
    const at = within(this.currentStep.at, stored.steps.length);
    const { votes, known } = component.data;
    const same = this.id === id && this.at === at && this.voting === votes && this.linked === known;
    const before = this.would;
    this.would = component.data.at === at ? component.data.would : "";
    if (same && this.currentStep === currentStep) {
      if (before !== this.would && !this.asked && this.steps[at]) this.tell(this.steps[at]);
      return;
    }
    this.linked = known;
    const arriving = this.id !== id;
    this.voting = votes;
    this.currentStep.predictions.of(stored.steps);
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
   * Return the step of a gap, or -1.
   * @param {number} gap
   */
  ofGap(gap) {
    return this.gaps.get(gap) ?? -1;
  }

  // The prediction that the step waits for, if any.
  get asked() {
    const { prediction } = this.steps[this.at] ?? {};
    const waits = prediction && this.pace === "predict" && !this.currentStep?.predictions.given.has(this.at);
    return waits ? prediction : null;
  }

  /**
   * Step for a lecture's keys, as far as the scene goes.
   * @param {Turn} turn
   */
  turn(turn) {
    const { by, first, last } = turn;
    if (!this.steps.length) return;
    const left = by > 0 ? this.asked !== null || this.at < Math.min(last, this.steps.length - 1) : this.at > first;
    if (!this.currentStep?.take(this, turn, left)) return;
    if (by > 0) this.goOn();
    else this.go(this.at - 1);
  }

  // Reveal the answer to the question, or step forward.
  goOn() {
    if (this.asked) this.answer(null);
    else this.go(this.at + 1);
  }

  /** @param {boolean | null} yes what is predicted; null to be shown without a prediction */
  answer(yes) {
    this.currentStep?.predictions.given.set(this.at, yes);
    this.show(this.at);
  }

  /** @param {number} at */
  go(at) {
    if (!(at >= 0 && at < this.steps.length)) return;
    this.currentStep?.go(at);
    this.would = "";
    this.show(at);
  }

  /** @param {number} at */
  show(at, arriving = false) {
    this.at = at;
    const step = this.steps[at];
    const count = this.steps.length;
    const focused = activeIn(this.root);
    this.first.disabled = this.back.disabled = at <= 0;
    this.forward.disabled = at >= count - 1 && !this.asked;
    this.last.disabled = at >= count - 1;
    this.player.disabled = count < 2;
    if (focused instanceof HTMLButtonElement && focused.disabled) this.player.focus();
    this.where.textContent = step ? `step ${grouped(at + 1)} of ${grouped(count)}` : "no steps";
    this.build.setAttribute("aria-pressed", String(this.pace !== "whole"));
    this.predict.setAttribute("aria-pressed", String(this.pace === "predict"));
    this.known.hidden = this.linked === null || this.pace === "whole";
    this.known.setAttribute("aria-pressed", String(this.showsKnown));
    const { asked } = this;
    const words = step ? (asked ? this.ask(asked) : this.tell(step)) : [];
    const { right, count: predicted } = this.currentStep?.predictions.tally(this.steps) ?? { right: 0, count: 0 };
    this.tally.textContent = this.pace === "predict" && predicted ? `${grouped(right)} of ${grouped(predicted)} right` : "";
    if (!step) this.told.replaceChildren();
    const announcements = [step ? `Step ${grouped(at + 1)}:` : "", ...words, asked ? "" : this.tally.textContent];
    this.live.textContent = announcements.filter(Boolean).join(" ");
    this.mark(arriving);
  }

  /**
   * Draw the question of a step; its answers follow in words for a screen reader.
   * @param {Prediction} asked
   */
  ask(asked) {
    this.told.className = "told asks";
    const answers = el("div", "answers");
    for (const [words, key, yes] of /** @type {const} */ ([
      [asked.yes, "y", true],
      [asked.no, "n", false],
    ])) {
      const button = answers.appendChild(el("button", "", words));
      button.append(" ", el("kbd", "", key));
      button.addEventListener("click", () => this.answer(yes));
    }
    this.told.replaceChildren(el("h2", "", asked.words), answers);
    this.showVotes(asked, true);
    return [asked.words, `y for ${asked.yes}, n for ${asked.no}, right arrow to see it.`];
  }

  /**
   * Draw the result of a step, below its prediction.
   * @param {Step} step
   */
  tell(step) {
    const { prediction } = step;
    const list = el("dl");
    const [remarks, more] = step.aside ?? [[], []];
    for (const [label, value] of step.numbers) list.append(el("dt", "", label), el("dd", "", value));
    for (const [label, value] of more) list.append(el("dt", "aside", label), el("dd", "aside", value));
    this.told.className = `told ${step.tone}`;
    const predictedYes = this.pace === "predict" ? this.currentStep?.predictions.given.get(this.at) : undefined;
    const known = prediction && typeof predictedYes === "boolean";
    const yours = known ? `You said: ${predictedYes ? prediction.yes : prediction.no}` : "";
    const verdict = known ? (predictedYes === prediction.right ? "right" : "wrong") : "";
    this.told.replaceChildren(el("h2", "", step.title));
    if (known) this.told.append(el("p", `yours ${verdict}`, `${yours} ${verdict === "right" ? "✓" : "✗"}`));
    if (step.gauge) this.told.append(drawGauge(step.gauge));
    this.told.append(...step.story.map((sentence) => el("p", "", sentence)));
    this.told.append(...remarks.map((sentence) => el("p", "aside", sentence)), list);
    if (this.would && this.pace === "whole") list.before(el("p", "would", this.would));
    let votes = "";
    if (prediction && this.pace === "predict") votes = this.showVotes(prediction, false);
    return [known ? `${yours}, ${verdict}.` : "", `${step.title}.`, ...step.story, ...remarks, votes];
  }

  /**
   * Draw the votes on a step in lecture mode, and return them in words.
   * @param {Prediction} prediction
   * @param {boolean} open whether hands are still counted
   */
  showVotes(prediction, open) {
    if (!this.voting || !this.currentStep) return "";
    const votes = this.currentStep.predictions.votesAt(this.at);
    this.votes.draw(prediction, votes, open);
    this.told.append(this.votes.root);
    return Votes.inWords(prediction, votes);
  }

  // The shown part of the result: all of it, or a number of sentences and of comparisons of a double pass.
  horizon() {
    const { asked, steps } = this;
    const step = steps[this.at];
    if (!step || this.pace === "whole" || (this.at >= steps.length - 1 && !asked)) return { horizon: null };
    const { comparison } = /** @type {Mark} */ (step.mark);
    const seen = (comparison ?? Infinity) + Number(!asked);
    const predicted = this.pace === "predict" ? (this.currentStep?.predictions.atGaps(steps) ?? []) : [];
    return { horizon: step.placed[asked ? 0 : 1], seen, asked, predicted, known: this.showsKnown };
  }

  /**
   * A page that has just opened shows its top; only a step by the user scrolls it.
   * @param {boolean} arriving
   */
  mark(arriving) {
    if (!this.root.isConnected) return;
    globalThis.seamarkStepper = this;
    const { asked } = this;
    const { mark = NOTHING, table } = this.steps[this.at] ?? {};
    // The chunk that grows is what is asked where the chunks come from a table.
    const growing = table && asked ? null : mark.growing;
    emit("seamark-step", { ...mark, growing, ...this.horizon(), table: table?.[asked ? 0 : 1] ?? null, arriving });
  }

  toggle() {
    if (this.playing) return this.stop();
    this.name(this.player, "pause", "Pause (space)");
    if (this.at >= this.steps.length - 1) this.go(0);
    const on = () => {
      if (this.at >= this.steps.length - 1 && !this.asked) return this.stop();
      this.goOn();
      if (this.steps[this.at]?.pauses) this.stop();
      else this.playing = setTimeout(on, PACE);
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
    // Until a run of the page ends, Streamlit may also show the previous run's stepper.
    if (this.currentStep?.owner !== this) return;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const { key } = event;
    const paging = PAGING[key] ?? 0;
    const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : paging;
    const answer = this.asked && (key === "y" || key === "n");
    if (!step && !answer && key !== " ") return;
    const path = event.composedPath().filter((node) => node instanceof Element);
    if (path.some((node) => node.matches(key === " " ? OWN_SPACE : OWN_ARROWS))) return;
    // Elsewhere these keys scroll the focused element.
    if (paging && !path.includes(this.root) && !(this.voting && event.target === document.body)) return;
    event.preventDefault();
    if (answer) this.predictBy(key === "y");
    else if (step === 1) this.goOn();
    else if (step) this.go(within(this.at + step, this.steps.length));
    else this.toggle();
  }

  /**
   * Handle an answer by key: if hands are counted, focus its number field.
   * @param {boolean} yes
   */
  predictBy(yes) {
    if (this.voting) this.votes.next(yes)?.focus();
    else this.answer(yes);
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
      get pace() {
        return stepper.pace;
      },
      get asks() {
        return stepper.asked !== null;
      },
      get playing() {
        return Boolean(stepper.playing);
      },
    };
  }
}

/**
 * Return the first step of each gap.
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
 * True if an element is one of several options, such as the control that opened the stepper, and would use the arrow keys.
 * @param {Element | null} element
 */
export const holdsArrows = (element) => Boolean(element?.closest("[role=radiogroup], [role=radio], [role=tablist]"));

/**
 * Return the nearest number from 0 to `count` - 1, or 0 if `count` is 0.
 * @param {number} at
 * @param {number} count
 */
export const within = (at, count) => Math.max(0, Math.min(count - 1, at));

/**
 * Parse a whole number; -1 if the text is not one.
 * @param {string} text
 */
export const wholeNumber = (text) => (/^\s*\d+\s*$/.test(text) ? Number(text) : -1);
