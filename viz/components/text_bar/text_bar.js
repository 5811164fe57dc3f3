// The row at the top of a page: enter a text or choose a sample. It also accepts text dropped or pasted on the page, and sends the
// tab's kept text to the server. Names are set through textContent.

import { listen } from "../shared/bus.js";
import { countPainted } from "../shared/component_handle.js";
import { activeIn, el, found } from "../shared/dom.js";
import { keptHead, keptText, keptWords } from "../shared/tab_storage.js";
import { documentButton, fitChips, wireMenu } from "./document_chips.js";
import { acceptDroppedAndPastedText } from "./dropped_and_pasted_text.js";
import { boxIsOpen, inBox, setBox } from "./own_text_box.js";

/**
 * @import { Telling, TextBarEvents } from "./state.d.ts"
 * @import { TextBarData } from "./text_bar.data.d.ts"
 * @typedef {Telling<TextBarData, TextBarEvents>["setTriggerValue"]} Tell
 * @typedef {HTMLElement & { drawn?: string, asked?: string, askedQuestions?: string, open?: string, taken?: number, tell?: Tell, dispose?: () => void }} Root
 */

const OWN = "own";

/** @param {Telling<TextBarData, TextBarEvents>} component */
export default function ({ data, parentElement, setTriggerValue }) {
  const root = /** @type {Root} */ (found(parentElement, ".text-bar"));
  root.tell = setTriggerValue;
  root.dispose ??= begin(root);
  answer(root, data);
  // The server's request to open or close the box applies once; afterwards the user decides.
  if (data.open !== (root.open ?? "")) setBox(data.open !== "");
  else if (data.taken !== (root.taken ?? data.taken)) setBox(false);
  root.open = data.open;
  root.taken = data.taken;
  draw(root, data);
  countPainted(root);
  return root.dispose;
}

/**
 * Send the tab's kept text to the server, once per request.
 * @param {Root} root
 * @param {TextBarData} data
 */
function answer(root, data) {
  const at = performance.now();
  const questions = keptWords("questions");
  if (data.ask_questions && root.askedQuestions !== data.ask_questions && questions)
    root.tell?.("questions", { questions, at });
  root.askedQuestions = data.ask_questions;
  if (!data.ask || root.asked === data.ask) return;
  root.asked = data.ask;
  const head = keptHead();
  root.tell?.("kept", { head, text: head ? keptText() : "", at });
}

/** @param {Root} root */
function begin(root) {
  const row = /** @type {HTMLElement} */ (root.querySelector(".row") ?? root.appendChild(el("div", "row")));
  const stopAccepting = acceptDroppedAndPastedText(root);
  const fitted = new ResizeObserver(() => fitRow(row));
  fitted.observe(row);
  const closing = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape" || !boxIsOpen() || !inBox(event)) return;
    setBox(false);
    ownButton(root)?.focus();
  };
  document.addEventListener("keydown", closing);
  return listen(root, { "seamark-box": ({ open }) => ownButton(root)?.setAttribute("aria-expanded", String(open)) }, () => {
    // On a busy machine Streamlit may put the same root back after this, and it starts again.
    root.dispose = undefined;
    stopAccepting();
    fitted.disconnect();
    document.removeEventListener("keydown", closing);
  });
}

/** @param {Root} root */
const ownButton = (root) => /** @type {HTMLButtonElement | null} */ (root.querySelector(".give"));

/**
 * Draw the row if anything has changed, and restore the focus.
 * @param {Root} root
 * @param {TextBarData} data
 */
function draw(root, data) {
  const own = data.own || keptHead()?.name || "";
  const drawn = JSON.stringify([data.documents, own, data.chosen, data.facts, data.storage]);
  if (root.drawn === drawn) return;
  root.drawn = drawn;
  const focused = /** @type {HTMLElement | null} */ (activeIn(root))?.dataset.id;
  const row = found(root, ".row");
  const choose = (/** @type {string} */ id) => {
    menu.hidePopover();
    if (id === OWN && data.chosen === OWN) setBox(!boxIsOpen(), true);
    else root.tell?.("chosen", { document: id, at: performance.now() });
    for (const button of row.querySelectorAll("[aria-pressed]")) {
      button.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (button).dataset.id === id));
    }
  };
  const give = el("button", "give");
  give.type = "button";
  give.dataset.id = "give";
  give.setAttribute("aria-label", "Paste, drop or upload a text");
  give.setAttribute("aria-expanded", String(boxIsOpen()));
  give.append(el("span", "long", "Paste, drop or upload a text"), el("span", "short", "Your text"));
  give.addEventListener("click", () => setBox(!boxIsOpen(), true));
  const mine = own ? [{ id: OWN, title: own, about: "Your own text; press again to edit it" }] : [];
  const ownChips = mine.map((documentData) => documentButton("chip", documentData, data.chosen, choose));
  const chips = data.documents.map((documentData) => documentButton("chip", documentData, data.chosen, choose));
  const entries = data.documents.map((documentData) => documentButton("entry", documentData, data.chosen, choose));
  const more = el("button", "more");
  more.type = "button";
  more.dataset.id = "more";
  const menu = el("div", "menu");
  menu.setAttribute("role", "group");
  menu.setAttribute("aria-label", "More samples");
  menu.append(...entries);
  wireMenu(more, menu);
  const facts = el("span", "facts", data.facts);
  facts.title = data.facts;
  row.replaceChildren(give, ...ownChips, ...chips, more, menu, facts);
  const name = row.querySelector('.chip[aria-pressed="true"]');
  name?.after(...storageChip(data.storage, (act) => root.tell?.("storage", { act, at: performance.now() })));
  fitRow(row);
  const before = [...row.querySelectorAll("button")].find(({ dataset, hidden }) => dataset.id === focused && !hidden);
  before?.focus();
}

/**
 * Create the chip next to the document's name: a button that keeps the document or, if it is kept, a menu of actions.
 * @param {TextBarData["storage"]} storage
 * @param {(act: "keep" | "remove" | "file") => void} tell
 */
function storageChip({ state, title }, tell) {
  if (!state) return [];
  const chip = el("button", `storage-chip ${state}`);
  chip.type = "button";
  chip.dataset.id = "storage";
  chip.title = title;
  if (state !== "kept") {
    chip.textContent = state === "shared" ? "Session file" : "Keep on this machine";
    chip.addEventListener("click", () => tell(state === "shared" ? "file" : "keep"));
    return [chip];
  }
  chip.textContent = "Saved on this machine ▾";
  const menu = el("div", "menu kept");
  menu.setAttribute("role", "group");
  menu.setAttribute("aria-label", "Saved on this machine");
  const entry = (/** @type {string} */ words, /** @type {string} */ about, /** @type {() => void} */ act) => {
    const made = menu.appendChild(el("button", "entry"));
    made.type = "button";
    made.append(el("span", "title", words), el("span", "about", about));
    made.addEventListener("click", () => {
      menu.hidePopover();
      act();
    });
  };
  entry("Session file", "All of it in one file, under “Downloads” on Compare", () => tell("file"));
  entry("Other kept texts", "Opens the list below this row", () => setBox(true, true));
  entry("Remove from this machine", "The text stays on the page", () => tell("remove"));
  wireMenu(chip, menu);
  return [chip, menu];
}

/** @param {HTMLElement} row */
function fitRow(row) {
  const buttons = (/** @type {string} */ selector) => /** @type {HTMLElement[]} */ ([...row.querySelectorAll(selector)]);
  const more = buttons(".more")[0];
  if (more && row.clientWidth) fitChips(row, buttons(`.chip:not([data-id="${OWN}"])`), buttons(".entry[data-id]"), more);
}
