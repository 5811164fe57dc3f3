// The list of chunks and their sentences; each entry scrolls to its place in the text.

import { emit, listen, NOTHING } from "../components/shared/bus.js";
import { countPainted } from "../components/shared/component_handle.js";
import { el, found, isDark } from "../components/shared/dom.js";
/**
 * @import { ChunkListData } from "./page.data.d.ts"
 */

/**
 * @import { Mark, Range } from "../components/shared/bus.js"
 * @import { Component } from "../components/shared/component.d.ts"
 */

/** @param {Component<ChunkListData>} component */
export default function (component) {
  const root = /** @type {HTMLElement & { list?: ChunkList }} */ (found(component.parentElement, ".chunks"));
  root.list ??= new ChunkList(root);
  const { list } = root;
  list.update(component.data);
  return () => list.dispose();
}

class ChunkList {
  drawn = ""; // what the list was drawn of
  /** @type {Readonly<Mark>} */ step = NOTHING; // the last step of another component
  speaking = false; // whether a step that is heard is its own

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    root.append(el("h2", "", "Chunks"));
    this.breaks = root.appendChild(el("p"));
    this.list = root.appendChild(el("ol"));
    this.list.setAttribute("aria-label", "Chunks and their sentences");
    this.dispose = listen(root, {
      "seamark-step": (step) => {
        if (!this.speaking) this.step = step;
      },
    });
    // A stepper that was mounted earlier repeats its step.
    emit("seamark-ready", null);
  }

  /** @param {ChunkListData} data */
  update({ chunk_of, grounds, tags, breaks }) {
    this.root.dataset.theme = isDark(this.root) ? "dark" : "light";
    this.breaks.textContent = breaks;
    countPainted(this.root);
    const drawn = JSON.stringify([chunk_of, grounds, tags]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const places = placesOf(chunk_of, grounds.length);
    this.list.replaceChildren(
      ...places.map((own, chunk) => {
        const item = el("li");
        item.style.setProperty("--ground", `var(--ground-${grounds[chunk]})`);
        item.style.setProperty("--edge", `var(--edge-${grounds[chunk]})`);
        const size = own.reduce((sum, [first, end]) => sum + end - first, 0);
        const buttons = el("span", "places");
        buttons.append(...own.map((place) => this.place(place)));
        const words = tags[chunk] || (size === 1 ? "1 sentence" : `${size} sentences`);
        item.append(el("span", "chip", String(chunk + 1)), el("span", "size", words), buttons);
        return item;
      }),
    );
  }

  /** @param {Range} range */
  place([first, end]) {
    const alone = end - first === 1;
    const button = el("button", "", alone ? `${first + 1}` : `${first + 1}–${end}`);
    // The accessible name must contain the visible text, so that voice control users can name the button.
    button.setAttribute("aria-label", `Go to sentence${alone ? "" : "s"} ${button.textContent}`);
    button.addEventListener("click", () => emit("seamark-jump", { sentence: first }));
    const mark = () => this.say({ ...NOTHING, growing: [first, end] });
    const leave = () => this.say(this.step);
    for (const name of ["pointerenter", "focus"]) button.addEventListener(name, mark);
    for (const name of ["pointerleave", "blur"]) button.addEventListener(name, leave);
    return button;
  }

  /**
   * Mark sentences in the text without scrolling it.
   * @param {Readonly<Mark>} step
   */
  say(step) {
    this.speaking = true;
    emit("seamark-step", { ...step, still: true });
    this.speaking = false;
  }
}

/**
 * Return the ranges of every chunk, with consecutive sentences as one range.
 * @param {number[]} chunkOf
 * @param {number} count how many chunks there are
 * @returns {Range[][]}
 */
export function placesOf(chunkOf, count) {
  /** @type {Range[][]} */
  const places = Array.from({ length: count }, () => []);
  chunkOf.forEach((chunk, sentence) => {
    const last = places[chunk].at(-1);
    if (last?.[1] === sentence) last[1] = sentence + 1;
    else places[chunk].push([sentence, sentence + 1]);
  });
  return places;
}
