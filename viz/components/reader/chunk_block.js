// A part of the text: a stretch that one chunk, or the same chunks, lie over. Its nodes are built when it is filled, and
// dressed anew whenever another result leaves its text as it was.

import { el, firstWhere } from "../shared/dom.js";

export function makePart(length) {
  const part = el("div", "part");
  part.height = Math.round(46 + (length / 42) * 25);
  part.style.height = `${part.height}px`;
  return part;
}

// Build the nodes of a column's part.
export function fillPart(column, part) {
  const { text, starts, ends } = column.reader;
  const { number } = part;
  const [start, end] = [column.segments.start[number], column.segments.end[number]];
  part.filled = true;
  part.style.height = "";
  part.style.containIntrinsicSize = `auto ${part.height}px`;
  if (number > 0) {
    part.why = part.appendChild(el("div"));
    part.why.setAttribute("role", "note");
    part.why.append(el("span"));
  } else if (start > 0) part.append(el("span", "between", text.slice(0, start)));
  const chunk = (part.chunk = part.appendChild(el("div")));
  chunk.append(el("span", "no"));
  chunk.setAttribute("role", "group");
  let place = start;
  for (let next = firstWhere(ends.length, (sentence) => ends[sentence] > start); starts[next] < end; next++) {
    if (starts[next] > place) chunk.append(text.slice(place, starts[next]));
    const from = Math.max(starts[next], place);
    const to = Math.min(ends[next], end);
    const span = el("span", "s", text.slice(from, to));
    span.dataset.s = next;
    chunk.append(span);
    place = to;
  }
  if (place < end) chunk.append(text.slice(place, end));
  const following = column.segments.start[number + 1] ?? text.length;
  if (following > end) part.append(el("span", "between", text.slice(end, following)));
}

// What of a part may change while its text stays: number, colour and reason.
export function dressPart(column, part) {
  const { segments } = column;
  const over = segments.over[part.number];
  const label = segments.label[part.number];
  const tone = segments.tone[part.number];
  const numbers = over.map((chunk) => chunk + 1);
  const grounds = over.map((chunk) => column.colour(chunk));
  const dressed = [numbers, grounds, tone, label].join("|");
  if (part.dressed === dressed) return;
  part.dressed = dressed;
  const { why, chunk } = part;
  if (why) {
    why.className = `why ${tone}`;
    why.title = label;
    why.setAttribute("aria-label", label);
    // As an attribute it is drawn but is no part of the text that a reader selects and copies.
    why.firstChild.dataset.why = label;
  }
  chunk.className = over.length > 1 ? "chunk shared" : "chunk";
  chunk.style.setProperty("--ground", `var(--ground-${grounds[0]})`);
  chunk.style.setProperty("--ground-b", `var(--ground-${grounds[grounds.length - 1]})`);
  chunk.style.setProperty("--edge", `var(--edge-${grounds[0]})`);
  const no = chunk.querySelector(".no");
  no.dataset.no = numbers.join("+");
  no.title = over.length > 1 ? `in chunks ${numbers.join(" and ")}` : "";
  chunk.setAttribute("aria-label", `chunk ${numbers.join("+")}`);
}

// What of a sentence may change while its text stays: whether it is outside of its section's chunk, and whether a known
// boundary before it is not cut; while boundaries are marked, the button that marks one.
export function dressSentences(column, part) {
  const { starts, missed, data } = column.reader;
  const start = column.segments.start[part.number];
  // A button that stays keeps the focus.
  const gaps = new Map([...part.querySelectorAll(".gap")].map((button) => [Number(button.dataset.gap), button]));
  for (const span of part.querySelectorAll(".s")) {
    const sentence = Number(span.dataset.s);
    const begins = starts[sentence] >= start;
    const known = begins && missed.has(starts[sentence]);
    const uncut = known && !column.found.has(starts[sentence]);
    const astray = column.astray?.has(sentence) ?? false;
    span.classList.toggle("missed", uncut);
    span.classList.toggle("astray", astray);
    const said = [uncut && "a known boundary that is not cut", astray && "not in the chunk of its section"].filter(Boolean);
    span.title = said.join("; ");
    if (!data.marking || !begins || !sentence) continue;
    const button = gaps.get(sentence - 1) ?? span.parentNode.insertBefore(makeGap(column.reader, sentence), span);
    button.setAttribute("aria-pressed", String(known));
    gaps.delete(sentence - 1);
  }
  for (const button of gaps.values()) button.remove();
}

// The button that marks the gap before a sentence as a boundary.
function makeGap(reader, sentence) {
  const button = el("button", "gap");
  button.type = "button";
  button.dataset.gap = sentence - 1;
  button.title = `boundary between sentences ${sentence} and ${sentence + 1}`;
  button.setAttribute("aria-label", button.title);
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    reader.component.setStateValue("mark", { gap: sentence - 1, at: performance.now() });
  });
  return button;
}
