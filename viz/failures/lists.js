// The lists of the Failures page: the gallery, the table of measures, the inbox. Text is set only through textContent.

import { emit, NOTHING } from "../components/shared/bus.js";
import { el, isDark } from "../components/shared/dom.js";

const PARTS = { gallery, table, inbox };

export default function (component) {
  const root = component.parentElement.querySelector(".failures");
  const { data } = component;
  root.dataset.theme = isDark(root) ? "dark" : "light";
  // Redrawn only if it changed, and then the focus goes back to the same button.
  const drawn = JSON.stringify(data);
  if (root.drawn === drawn) return;
  root.drawn = drawn;
  const place = focused(root);
  PARTS[data.part](root, component);
  if (place !== undefined) root.querySelectorAll("button")[place]?.focus();
}

function focused(root) {
  const active = root.getRootNode().activeElement;
  const place = [...root.querySelectorAll("button")].indexOf(active);
  return place < 0 ? undefined : place;
}

function gallery(root, { data, setStateValue }) {
  const cards = el("div", "cards");
  cards.setAttribute("role", "group");
  cards.setAttribute("aria-label", "Documents");
  for (const { id, title, teaches, known } of data.cards) {
    const card = cards.appendChild(el("button", "card"));
    card.append(el("strong", "", title), el("span", "teaches", teaches), el("span", "known", known));
    card.setAttribute("aria-pressed", String(id === data.chosen));
    card.addEventListener("click", () => setStateValue("chosen", { id, at: performance.now() }));
  }
  root.replaceChildren(cards);
  const here = cards.querySelector('[aria-pressed="true"]');
  // If the row of cards is too long for the window, the chosen card is scrolled into view.
  cards.scrollLeft = here.offsetLeft - cards.offsetLeft - (cards.clientWidth - here.offsetWidth) / 2;
}

function table(root, { data, setStateValue }) {
  const table = el("table");
  const head = table.createTHead().insertRow();
  for (const word of data.head) {
    const cell = head.appendChild(el("th", "", word));
    cell.scope = "col";
  }
  const body = table.createTBody();
  data.rows.forEach((row) => {
    const line = body.insertRow();
    const here = row.column === data.chosen.column && row.result === data.chosen.result;
    line.className = `${row.result}${here ? " chosen" : ""}`;
    const name = line.appendChild(el("th"));
    name.scope = "row";
    const choose = name.appendChild(el("button", "choose"));
    choose.append(el("strong", "", row.title), el("span", "which", row.which), el("span", "settings", row.settings));
    choose.setAttribute("aria-pressed", String(here));
    choose.title = "Show it in the text";
    const chooseRow = () => setStateValue("chosen", { column: row.column, result: row.result, at: performance.now() });
    line.addEventListener("click", chooseRow);
    if (!row.cells.length) {
      const cell = line.insertCell();
      cell.colSpan = data.head.length - 1;
      cell.className = "message";
      cell.textContent = row.message;
    }
    for (const { text, why, best } of row.cells) {
      const cell = line.insertCell();
      cell.textContent = text;
      cell.title = why || (best ? "no other row is better" : "");
      cell.className = why ? "undefined" : best ? "best" : "";
    }
  });
  root.replaceChildren(el("div", "scroll"), el("p", "note", data.note));
  root.firstChild.append(table);
}

function inbox(root, { data }) {
  const rows = JSON.parse(data.rows);
  // A mark left by another result may be about sentences that are different now.
  if (root.source !== undefined && root.source !== data.source) emit("seamark-step", NOTHING);
  root.source = data.source;
  const summary = el("p", "summary", data.summary);
  const counts = el("ul", "counts");
  for (const [title, count, why] of data.counts) {
    const item = counts.appendChild(el("li"));
    item.append(el("b", "", String(count)), ` ${title.toLowerCase()}`);
    item.title = why;
  }
  const list = el("ol", "findings");
  for (const { title, reason, passage, range } of rows) {
    const button = list.appendChild(el("li")).appendChild(el("button", "finding"));
    button.append(el("strong", "", title), el("span", "reason", reason), el("q", "", passage));
    button.addEventListener("click", () => {
      for (const other of list.querySelectorAll(".here")) other.classList.remove("here");
      button.classList.add("here");
      emit("seamark-jump", { sentence: range[0] });
      emit("seamark-step", { ...NOTHING, next: range });
    });
  }
  const parts = [summary, counts, list];
  if (!rows.length) parts.splice(1, 2, el("p", "nothing", "Nothing looks suspicious to these rules."));
  if (data.more) parts.push(el("p", "note", `and ${data.more} more, less suspicious`));
  root.replaceChildren(...parts);
}
