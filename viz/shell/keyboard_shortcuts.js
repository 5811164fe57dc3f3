// The dialog of the current page's keyboard shortcuts. "?" opens and closes it.

import { countPainted } from "../components/shared/component_handle.js";
import { el, found, isDark, isFree } from "../components/shared/dom.js";

/**
 * @import { Component } from "../components/shared/component.d.ts"
 * @import { KeyData, KeysData } from "./keyboard_shortcuts.data.d.ts"
 * @typedef {HTMLElement & { rows?: KeyData[], dispose?: () => void }} Root
 */

/** @param {Component<KeysData, object>} component */
export default function ({ data, parentElement }) {
  const root = /** @type {Root} */ (found(parentElement, ".keys"));
  root.dataset.theme = isDark(root) ? "dark" : "light";
  root.rows = data.rows;
  root.dispose ??= build(root);
  countPainted(root);
  return root.dispose;
}

/** @param {Root} root */
function build(root) {
  const dialog = root.appendChild(el("dialog"));
  dialog.setAttribute("aria-labelledby", "keys-title");
  const head = dialog.appendChild(el("div", "head"));
  const title = head.appendChild(el("h2", "", "Keys on this page"));
  title.id = "keys-title";
  const close = head.appendChild(el("button", "", "Close"));
  close.type = "button";
  close.addEventListener("click", () => dialog.close());
  const list = dialog.appendChild(el("dl"));
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("keydown", (event) => {
    // While the dialog is open, the page handles no keys.
    event.stopPropagation();
    if (event.key !== "?" && event.key !== "Escape") return;
    event.preventDefault();
    dialog.close();
  });
  /** @param {KeyboardEvent} event */
  const open = (event) => {
    if (event.key !== "?" || !isFree(event) || !root.isConnected || dialog.open) return;
    event.preventDefault();
    list.replaceChildren(...working(root.rows ?? [], isOnPage).flatMap(described));
    dialog.showModal();
  };
  globalThis.addEventListener("keydown", open);
  return () => setTimeout(() => !root.isConnected && globalThis.removeEventListener("keydown", open), 200);
}

/**
 * Return the shortcuts that work: those that need no element, or one that is on the page.
 * @param {KeyData[]} rows
 * @param {(selector: string) => boolean} isThere
 */
export const working = (rows, isThere) => rows.filter(({ within }) => !within || isThere(within));

/** @param {KeyData} row */
function described({ keys, action }) {
  const names = el("dt");
  for (const key of keys) names.append(el("kbd", "", key), " ");
  return [names, el("dd", "", action)];
}

/**
 * True if an element is on the page and visible, in any component.
 * @param {string} selector
 */
function isOnPage(selector) {
  const trees = [document, ...[...document.querySelectorAll("*")].flatMap(({ shadowRoot }) => shadowRoot ?? [])];
  return trees.some((tree) => [...tree.querySelectorAll(selector)].some((node) => node.checkVisibility()));
}
