// Helpers for elements, SVG, canvases and the theme's colours.

/**
 * Create an element with a class and a text.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [className]
 * @param {string} [text]
 */
export const el = (tag, className = "", text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};
/**
 * Create an SVG element, appended to a parent if one is given.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number>} attributes
 * @param {ParentNode} [parent]
 * @param {string | number} [text]
 */
export const svgEl = (tag, attributes, parent, text) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  if (text !== undefined) node.textContent = String(text);
  parent?.append(node);
  return node;
};
/**
 * Create a button that calls a function when clicked.
 * @param {string} words
 * @param {string} act by which it is known when it is drawn again
 * @param {() => void} press
 */
export function actButton(words, act, press) {
  const made = el("button", "act", words);
  made.type = "button";
  made.dataset.act = act;
  made.addEventListener("click", press);
  return made;
}
/** @param {string} word */
export const capital = (word) => word[0].toUpperCase() + word.slice(1);
/**
 * Binary search: return the first of 0 to `count` - 1 for which the monotone `holds` is true, or `count`.
 * @param {number} count
 * @param {(number: number) => boolean} holds
 */
export const firstWhere = (count, holds) => {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/**
 * Create an invisible element whose text a screen reader announces whenever it changes.
 * @param {Element} root
 */
export function liveRegion(root) {
  const region = root.appendChild(el("div", "hidden"));
  region.setAttribute("aria-live", "polite");
  return region;
}

/**
 * Return the element in which a component draws; it persists between runs of the page.
 * @param {ParentNode} parent
 * @param {string} selector
 */
export function found(parent, selector) {
  const node = parent.querySelector(selector);
  if (!(node instanceof HTMLElement)) throw new Error(`There is no ${selector} in the component.`);
  return node;
}

/**
 * Return the elements within another that match a selector, in order.
 * @param {ParentNode} parent
 * @param {string} selector
 * @returns {HTMLElement[]}
 */
export const all = (parent, selector) =>
  [...parent.querySelectorAll(selector)].filter((node) => node instanceof HTMLElement);

/**
 * Return the nearest element around an event's target that matches a selector.
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLElement | null}
 */
export const around = (event, selector) => (event.target instanceof Element ? event.target.closest(selector) : null);

const OWN_LETTERS =
  "input:not([type=range], [type=radio], [type=checkbox]), textarea, select, [contenteditable], [role=combobox], [role=textbox]";
/**
 * True if a key press is for the page: nothing else has handled it, and the user is not typing.
 * @param {KeyboardEvent} event
 */
export const isFree = (event) =>
  !(event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) &&
  !event.composedPath().some((node) => node instanceof Element && node.matches(OWN_LETTERS));

/**
 * The element that has the focus, if it is in the same component as `root`.
 * @param {Element} root
 */
export function activeIn(root) {
  const tree = root.getRootNode();
  return tree instanceof Document || tree instanceof ShadowRoot ? tree.activeElement : null;
}

/**
 * Redraw an element, and restore the focus to the button with the same `act`, which another place may have by then.
 * @param {Element} root
 * @param {() => void} redraw
 */
export function keepFocus(root, redraw) {
  const active = /** @type {HTMLElement | null} */ (activeIn(root));
  const act = root.contains(active) ? active?.dataset.act : undefined;
  redraw();
  if (act !== undefined) [...root.querySelectorAll("button")].find(({ dataset }) => dataset.act === act)?.focus();
}

/**
 * True if the page is dark where `root` stands.
 * @param {Element} root
 */
export function isDark(root) {
  const rgb = channels(getComputedStyle(root).getPropertyValue("--st-background-color").trim());
  return rgb ? 0.3 * rgb[0] + 0.6 * rgb[1] + 0.1 * rgb[2] < 128 : matchMedia("(prefers-color-scheme: dark)").matches;
}

/**
 * Red, green and blue of a colour, as `#rrggbb` or as `rgb(r, g, b)`; undefined where it is neither.
 * @param {string} colour
 * @returns {number[] | undefined}
 */
export const channels = (colour) =>
  colour.startsWith("#") ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) : colour.match(/\d+/g)?.map(Number);

/** Factor by which the page's type exceeds the type that pictures are drawn for, as in lecture mode. */
export const typeScale = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

/**
 * The size in pixels below which a projector shows no type; 0 where there is no such limit.
 * @param {Element} node
 */
export const leastType = (node) => parseFloat(getComputedStyle(node).getPropertyValue("--type-least")) || 0;

let density = 0; // pixels of a canvas per CSS pixel; 0 for those of the screen

/**
 * Draw canvases with a given number of pixels per CSS pixel, regardless of the screen.
 * @param {number} pixels
 * @param {() => void} draw
 */
export function atDensity(pixels, draw) {
  density = pixels;
  try {
    draw();
  } finally {
    density = 0;
  }
}

/**
 * Clear a canvas and fit it to the screen's pixels; returns its context, which draws in CSS pixels.
 * @param {HTMLCanvasElement} canvas
 */
export function fit(canvas) {
  const scale = density || devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth * scale, canvas.clientHeight * scale].map(Math.round);
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}

/**
 * Return the number of chunk colours in the palette.
 * @param {Element} root
 */
export const groundCount = (root) =>
  // An element that Streamlit removes from the page between two updates has no styles meanwhile.
  Math.max(1, Number(getComputedStyle(root).getPropertyValue("--ground-count")));

/**
 * Return a function that looks up a theme colour by name, each only once.
 * @param {Element} root
 * @returns {(name: string) => string}
 */
export function paints(root) {
  const style = getComputedStyle(root);
  /** @type {Record<string, string>} */
  const known = {};
  return (name) => (known[name] ??= style.getPropertyValue(`--${name}`).trim());
}

/**
 * Call a function when the browser is idle.
 * @param {(deadline: Pick<IdleDeadline, "timeRemaining">) => void} act
 */
export function whenIdle(act) {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(act, { timeout: 500 });
  else {
    setTimeout(() => {
      const end = performance.now() + 8;
      act({ timeRemaining: () => end - performance.now() });
    }, 20);
  }
}

/**
 * Make `nodes` the children of `parent` without touching those already in place.
 * @param {Node} parent
 * @param {ChildNode[]} nodes
 */
export function arrange(parent, nodes) {
  let next = parent.firstChild;
  for (const node of nodes) {
    if (node === next) next = next.nextSibling;
    else parent.insertBefore(node, next);
  }
  while (next) {
    const rest = next.nextSibling;
    next.remove();
    next = rest;
  }
}

/**
 * Have the browser save a file.
 * @param {Blob} blob
 * @param {string} name
 */
export function saveAs(blob, name) {
  const link = el("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
