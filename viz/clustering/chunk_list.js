// The list of chunks and their sentences; every entry leads to the text.

import { emit, listen, NOTHING } from "../components/shared/bus.js";
import { el, isDark } from "../components/shared/dom.js";

export default function (component) {
  const root = component.parentElement.querySelector(".chunks");
  const list = (root.list ??= new ChunkList(root));
  list.update(component.data);
  return () => list.dispose();
}

class ChunkList {
  constructor(root) {
    this.root = root;
    root.append(el("h2", "", "Chunks"));
    this.breaks = root.appendChild(el("p"));
    this.list = root.appendChild(el("ol"));
    this.list.setAttribute("aria-label", "Chunks and their sentences");
    this.step = NOTHING; // the last step of another component
    this.dispose = listen(root, { "seamark-step": (step) => this.speaking || (this.step = step) });
    // A stepper that was mounted earlier repeats its step.
    emit("seamark-ready", null);
  }

  update({ chunk_of, grounds, tags, breaks }) {
    this.root.dataset.theme = isDark(this.root) ? "dark" : "light";
    this.breaks.textContent = breaks;
    const drawn = JSON.stringify([chunk_of, grounds, tags]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const runs = grounds.map(() => []);
    chunk_of.forEach((chunk, sentence) => {
      const last = runs[chunk].at(-1);
      if (last?.[1] === sentence) last[1] = sentence + 1;
      else runs[chunk].push([sentence, sentence + 1]);
    });
    this.list.replaceChildren(...runs.map((own, chunk) => {
      const item = el("li");
      item.style.setProperty("--ground", `var(--ground-${grounds[chunk]})`);
      item.style.setProperty("--edge", `var(--edge-${grounds[chunk]})`);
      const size = own.reduce((sum, [first, end]) => sum + end - first, 0);
      const places = el("span", "places");
      places.append(...own.map((run) => this.place(run)));
      item.append(el("span", "chip", String(chunk + 1)), el("span", "size", tags[chunk] || (size === 1 ? "1 sentence" : `${size} sentences`)), places);
      return item;
    }));
  }

  place([first, end]) {
    const alone = end - first === 1;
    const button = el("button", "", alone ? `${first + 1}` : `${first + 1}–${end}`);
    button.setAttribute("aria-label", alone ? `Go to sentence ${first + 1}` : `Go to sentences ${first + 1} to ${end}`);
    button.addEventListener("click", () => emit("seamark-jump", { sentence: first }));
    const mark = () => this.say({ ...NOTHING, growing: [first, end] });
    const leave = () => this.say(this.step);
    for (const name of ["pointerenter", "focus"]) button.addEventListener(name, mark);
    for (const name of ["pointerleave", "blur"]) button.addEventListener(name, leave);
    return button;
  }

  // Mark sentences in the text without scrolling it.
  say(step) {
    this.speaking = true;
    emit("seamark-step", { ...step, still: true });
    this.speaking = false;
  }
}
