// A question's answers side by side: the given chunks, the answer and its judgements. Everything is set as text.

import { countPainted } from "../components/shared/component_handle.js";
import { el, found } from "../components/shared/dom.js";
/**
 * @import { AnswerCardData, AnswerCardsData, JudgementData, TurnData } from "./answer_cards.data.d.ts"
 */
/** @import { Component } from "../components/shared/component.d.ts" */
/** @param {Component<AnswerCardsData>} component */
export default function ({ data, parentElement }) {
  const root = found(parentElement, ".answers");
  // Keep opened and closed parts as they are when a judgement arrives.
  const touched = [...root.querySelectorAll("details")].filter(
    (details) => String(details.open) !== details.getAttribute("data-usual"),
  );
  const before = new Map(touched.map((details) => [details.getAttribute("data-name"), details.open]));
  const cards = el("div", "cards");
  cards.append(...data.cards.map(card));
  const parts = [el("h3", "question", data.question)];
  if (data.reference) parts.push(el("p", "reference", data.reference));
  root.replaceChildren(...parts, cards);
  for (const details of root.querySelectorAll("details")) {
    details.setAttribute("data-usual", String(details.open));
    details.open = before.get(details.getAttribute("data-name")) ?? details.open;
  }
  countPainted(root);
}

/** @param {AnswerCardData} data @param {number} number */
function card(data, number) {
  const made = el("section", "card");
  made.append(el("h4", "", data.title), el("p", data.note ? "note" : "answer", data.note || data.answer));
  if (data.values.length) made.append(values(data.values));
  made.append(...data.judgements.map((judgementData) => judgement(judgementData, number)));
  if (data.budget) {
    const given = folded(`Given: ${data.budget}`, `given/${number}`);
    // Without an answer, there is nothing else to show.
    given.open = !data.turns.length;
    given.append(...data.given.flatMap((chunk) => [el("h5", "", chunk.title), el("p", "words", chunk.text)]));
    made.append(given);
  }
  if (data.turns.length) {
    const asked = folded("Asked for the answer", `asked/${number}`);
    asked.append(...turns(data.turns));
    made.append(asked);
  }
  return made;
}

/** @param {[name: string, value: string][]} pairs */
function values(pairs) {
  const list = el("dl");
  for (const [name, value] of pairs) {
    const pair = el("div");
    pair.append(el("dt", "", name), el("dd", "", value));
    list.append(pair);
  }
  return list;
}

/** @param {JudgementData} data @param {number} number */
function judgement(data, number) {
  const made = folded(`${data.title}: ${data.value}`, `${data.title}/${number}`);
  const list = el("ul");
  list.append(...data.said.map((words) => el("li", "", words)));
  if (data.said.length) made.append(list);
  made.append(...turns(data.turns));
  return made;
}

/** @param {TurnData[]} all */
function turns(all) {
  return all.flatMap(({ who, words }) => [el("h5", "", who), el("p", "words", words)]);
}

/** @param {string} title @param {string} name What stays the same when the title changes. */
function folded(title, name) {
  const made = /** @type {HTMLDetailsElement} */ (el("details"));
  made.setAttribute("data-name", name);
  made.append(el("summary", "", title));
  return made;
}
