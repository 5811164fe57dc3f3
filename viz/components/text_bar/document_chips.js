// The documents as chips: as many as fit, and the others in a menu.

import { el } from "../shared/dom.js";

/** @import { DocumentData, TextBarData } from "./text_bar.data.d.ts" */

/** The samples that are shown beside the list where there is room. */
const FEW = 3;

/** Widths in pixels that the facts get before a chip does, and that a chip is shrunk to. */
const FACTS = 230;

/**
 * Create the button of a document.
 * @param {string} className
 * @param {DocumentData} document
 * @param {string} chosen
 * @param {(id: string) => void} choose
 */
export function documentButton(className, { id, title, about }, chosen, choose) {
  const button = el("button", className);
  button.type = "button";
  button.dataset.id = id;
  button.append(el("span", "title", title));
  if (className === "entry") button.append(el("span", "about", about));
  else button.title = about;
  button.setAttribute("aria-pressed", String(id === chosen));
  button.addEventListener("click", () => choose(id));
  return button;
}

/**
 * Show as many chips as fit, always including the chosen one, and the number of the others on the menu's button.
 * @param {HTMLElement} row
 * @param {HTMLElement[]} chips the samples' chips
 * @param {HTMLElement[]} entries the samples in the list, in the same order
 * @param {HTMLElement} more
 */
export function fitChips(row, chips, entries, more) {
  const narrow = getComputedStyle(row).getPropertyValue("--narrow").trim() === "1";
  const pressed = (/** @type {HTMLElement} */ chip) => chip.getAttribute("aria-pressed") === "true";
  const chosen = chips.find(pressed);
  const shown = new Set(chips.slice(0, narrow ? 0 : FEW));
  // The chosen one takes the place of the last.
  if (chosen && !shown.has(chosen)) {
    if (shown.size === FEW) shown.delete(chips[FEW - 1]);
    shown.add(chosen);
  }
  const apply = () => {
    chips.forEach((chip, number) => {
      chip.hidden = !shown.has(chip);
      entries[number].hidden = shown.has(chip);
    });
    more.textContent = `${chips.length - shown.size} more ▾`;
  };
  apply();
  const facts = /** @type {HTMLElement | null} */ (row.querySelector(".facts"));
  const wanted = () => Math.min(FACTS, facts?.scrollWidth ?? 0);
  const tooFull = () => row.scrollWidth > row.clientWidth || (facts?.clientWidth ?? 0) < wanted();
  for (const chip of [...shown].reverse()) {
    if (narrow || !tooFull()) break;
    if (chip === chosen) continue;
    shown.delete(chip);
    apply();
  }
}

/**
 * Open the menu below its button, with arrow key navigation.
 * @param {HTMLButtonElement} more
 * @param {HTMLElement} menu
 */
export function wireMenu(more, menu) {
  menu.popover = "auto";
  more.popoverTargetElement = menu;
  more.setAttribute("aria-haspopup", "true");
  more.setAttribute("aria-expanded", "false");
  menu.addEventListener("beforetoggle", (event) => {
    const place = more.getBoundingClientRect();
    menu.style.top = `${place.bottom + 4}px`;
    menu.style.left = `${Math.max(8, Math.min(place.left, innerWidth - 328))}px`;
    menu.style.maxHeight = `${Math.max(160, innerHeight - place.bottom - 16)}px`;
    more.setAttribute("aria-expanded", String(event.newState === "open"));
  });
  const entries = () => [...menu.querySelectorAll("button")].filter((button) => !button.hidden);
  menu.addEventListener("toggle", (event) => {
    if (event.newState === "open") entries()[0]?.focus();
  });
  menu.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const all = entries();
    const at = all.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    all[(at + step + all.length) % all.length]?.focus();
    event.preventDefault();
  });
}
