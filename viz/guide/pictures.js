// Pictures of a short text. Text is set only through textContent.

import { GapMarks, PURPOSES } from "../components/gaps/gap_marks.js";
import { countPainted } from "../components/shared/component_handle.js";
import { activeIn, all, arrange, el, found, groundCount, isDark } from "../components/shared/dom.js";
import { sentence } from "../components/shared/glossary_term.js";

/**
 * @import { Component, Moment } from "../components/shared/component.d.ts"
 * @import { Change } from "../components/gaps/gap_marks.js"
 * @import { AskData, GapData, PartData, PictureData, PicturesData, RankData } from "./pictures.data.d.ts"
 * @typedef {{ asked: { question: string, at: Moment }, cuts: Change }} PicturesState
 * @typedef {HTMLElement & { drawn?: string, told?: HTMLElement, marks?: GapMarks,
 *   ask?: (question: string) => void, cut?: (change: Change) => void }} Root
 */

/** @param {Component<PicturesData, PicturesState>} component */
export default function ({ data, parentElement, setStateValue }) {
  const root = /** @type {Root} */ (found(parentElement, ".pictures"));
  root.dataset.theme = isDark(root) ? "dark" : "light";
  root.ask = (question) => setStateValue("asked", { question, at: performance.now() });
  root.cut = (change) => setStateValue("cuts", change);
  root.marks ??= new GapMarks(
    (change) => root.cut?.(change),
    () => press(root),
  );
  const { cuts } = data.pictures[0];
  if (cuts) root.marks.update(cuts.gaps, cuts.heard);
  // Redraw only if something changed, and keep typed text and open definitions.
  const drawn = JSON.stringify(data);
  if (root.drawn !== drawn) {
    root.drawn = drawn;
    root.classList.toggle("small", data.small);
    const places = "button, input";
    const place = [...root.querySelectorAll(places)].indexOf(/** @type {HTMLElement} */ (activeIn(root)));
    const typed = root.querySelector("input")?.value;
    const grounds = groundCount(root);
    // A screen reader announces only what changes in an element that stays.
    if (data.told) {
      root.told ??= el("div", "told");
      root.told.setAttribute("aria-live", "polite");
      root.told.replaceChildren(sentence(data.told));
    }
    arrange(root, [
      ...(root.told ? [root.told] : []),
      ...data.pictures.map((picture, number) => draw(root, picture, data.first + number, grounds)),
    ]);
    press(root);
    const focused = place < 0 ? null : root.querySelectorAll(places)[place];
    if (focused instanceof HTMLInputElement && typed !== undefined) focused.value = typed;
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  }
  countPainted(root);
}

/**
 * @param {Root} root
 * @param {PictureData} picture
 * @param {number} number
 * @param {number} grounds how many colours the palette has
 */
function draw(root, picture, number, grounds) {
  const figure = el("section", picture.title ? "picture" : "picture untitled");
  if (picture.title) figure.appendChild(el("h2")).append(el("span", "number", String(number)), picture.title);
  figure.append(...picture.said.map((pieces) => sentence(pieces, "said")));
  if (picture.tokens.length) {
    const tokens = figure.appendChild(el("p", "tokens"));
    picture.tokens.forEach(({ text: token, chunks }, at) => {
      const [chunk] = chunks;
      if (chunk !== undefined && chunk !== picture.tokens[at - 1]?.chunks[0])
        tokens.append(el("b", "label", String(chunk + 1)), " ");
      const box = el("span", "token", token);
      box.style.setProperty("--ground", groundOf(chunks, grounds));
      tokens.append(box, " ");
    });
  }
  if (picture.ask) figure.append(askForm(root, picture.ask));
  if (picture.waits) figure.append(el("p", "waits", picture.waits));
  if (picture.formula.length) {
    const formula = figure.appendChild(el("div", "formula"));
    formula.append(...picture.formula.map((line) => el("p", "", line)));
  }
  if (picture.rows.length) {
    const rows = figure.appendChild(el("ol", "rows"));
    if (picture.before) rows.append(el("li", "more", picture.before));
    picture.rows.forEach(({ label, parts }, at) => {
      const row = rows.appendChild(el("li", "row"));
      row.append(el("span", "label", label), text(parts, grounds));
      const gap = picture.gaps[at];
      const button = picture.cuts ? root.marks?.button(at, PURPOSES.cuts) : null;
      if (gap) rows.append(seam(gap, button));
    });
    if (picture.after) rows.append(el("li", "more", picture.after));
  }
  if (picture.ranks.length) figure.append(ranking(picture.ranks, grounds), el("p", "more", picture.after));
  return figure;
}

/**
 * @param {PartData[]} parts
 * @param {number} grounds
 */
function text(parts, grounds) {
  const whole = el("span", "text");
  let before = "";
  for (const { text: words, chunks, marked } of parts) {
    const part = whole.appendChild(el(marked ? "mark" : "span", chunks.length ? "chunked" : "", words));
    // White space between chunks is in none.
    part.classList.toggle("begins", Boolean(before && chunks.length) && String(chunks) !== before);
    before = String(chunks) || before;
    part.style.setProperty("--ground", groundOf(chunks, grounds));
    part.style.setProperty("--edge", `var(--edge-${(chunks[0] ?? 0) % grounds})`);
  }
  return whole;
}

/**
 * Return the background of a text in these chunks: the colour of one chunk, or stripes for several.
 * @param {number[]} chunks
 * @param {number} grounds
 */
export function groundOf(chunks, grounds) {
  const colours = chunks.map((chunk) => `var(--ground-${chunk % grounds})`);
  if (colours.length < 2) return colours[0] ?? "none";
  const stripes = colours.map((colour, number) => `${colour} ${number * 6}px ${(number + 1) * 6}px`);
  return `repeating-linear-gradient(135deg, ${stripes.join(", ")})`;
}

/**
 * Press the buttons of the gaps that are set.
 * @param {Root} root
 */
function press(root) {
  for (const button of all(root, ".gap"))
    button.setAttribute("aria-pressed", String(root.marks?.set.has(Number(button.dataset.gap))));
}

/**
 * @param {GapData} gap
 * @param {HTMLElement | null} [button] with which the user cuts here
 */
function seam({ said, share, line, cut }, button) {
  const row = el("li", cut ? "seam cut" : "seam");
  if (button) row.append(button);
  if (share !== null) {
    const gauge = row.appendChild(el("span", "gauge"));
    const bar = gauge.appendChild(el("span", "bar"));
    bar.style.inlineSize = percent(share);
    if (line !== null) gauge.appendChild(el("span", "line")).style.insetInlineStart = percent(line);
  }
  row.append(el("span", "said", said));
  return row;
}

/** @param {number} share */
export const percent = (share) => `${Math.round(1000 * Math.max(0, Math.min(1, share))) / 10}%`;

/**
 * @param {RankData[]} ranks
 * @param {number} grounds
 */
function ranking(ranks, grounds) {
  const list = el("ol", "ranks");
  for (const { chunk, label, text: words, said, share } of ranks) {
    const rank = list.appendChild(el("li"));
    const line = rank.appendChild(el("span", "far"));
    const reach = line.appendChild(el("span", "reach"));
    reach.style.setProperty("--share", String(share));
    reach.style.setProperty("--edge", `var(--edge-${chunk % grounds})`);
    line.append(el("span", "distance", said));
    const named = rank.appendChild(el("span", "chunked text"));
    named.style.setProperty("--ground", groundOf([chunk], grounds));
    named.style.setProperty("--edge", `var(--edge-${chunk % grounds})`);
    named.append(el("b", "", label), ` ${words}`);
  }
  return list;
}

/**
 * @param {Root} root
 * @param {AskData} ask
 */
function askForm(root, { question, longest, complaint }) {
  const form = el("form");
  const label = form.appendChild(el("label", "", "Question"));
  const input = label.appendChild(el("input"));
  input.value = question;
  input.maxLength = longest;
  input.autocomplete = "off";
  const button = form.appendChild(el("button", "", "Ask"));
  button.type = "submit";
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    root.ask?.(input.value);
  });
  if (complaint) form.append(el("p", "complaint", complaint));
  return form;
}
