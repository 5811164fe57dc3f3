// The result of a question: chunks in rank order, then the missed parts of excerpts; or whole documents with both marked.

import { countPainted } from "../components/shared/component_handle.js";
import { el, found } from "../components/shared/dom.js";
/**
 * @import { PassageData, PassagesData } from "./question_details.data.d.ts"
 */
/**
 * @import { Component } from "../components/shared/component.d.ts"
 */
/** @param {Component<PassagesData>} component */
export default function ({ data, parentElement }) {
  const root = found(parentElement, ".passages");
  root.style.setProperty("--hit", data.hit);
  root.style.setProperty("--edge", data.edge);
  root.replaceChildren(...data.passages.map(section));
  // Focusable, so that it can be scrolled by keyboard.
  root.tabIndex = 0;
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", "Passages");
  countPainted(root);
}

/** @type {Record<string, "mark" | "del" | "sup">} */
const TAGS = { hit: "mark", missed: "del", rank: "sup" };

/** @param {PassageData} passage */
function section({ kind, title, parts }) {
  const made = el("section", kind);
  const text = el("p");
  text.append(...parts.map(([words, what]) => el(TAGS[what] ?? "span", what, words)));
  made.append(el("h3", "", title), text);
  return made;
}
