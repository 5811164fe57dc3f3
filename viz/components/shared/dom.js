// Helpers for elements, SVG, canvases and the theme's colours.

export const el = (tag, className = "", text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};
export const svgEl = (tag, attributes, parent, text) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  parent?.append(node);
  return node;
};
export const capital = (word) => word[0].toUpperCase() + word.slice(1);
// Binary search: the first of the numbers 0 to `count` - 1 for which `holds` is true, as it is for all after it, or `count`.
export const firstWhere = (count, holds) => {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

// An invisible element whose text a screen reader speaks as soon as it changes.
export function liveRegion(root) {
  const region = root.appendChild(el("div", "hidden"));
  region.setAttribute("aria-live", "polite");
  return region;
}

export function isDark(root) {
  const colour = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
  const parts = colour.startsWith("#") ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) : colour.match(/\d+/g)?.map(Number);
  return parts ? 0.3 * parts[0] + 0.6 * parts[1] + 0.1 * parts[2] < 128 : matchMedia("(prefers-color-scheme: dark)").matches;
}

// Clear a canvas and fit it to the screen's pixels; returns its context, which draws in CSS pixels.
export function fit(canvas) {
  const scale = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth * scale, canvas.clientHeight * scale].map(Math.round);
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}

// The number of colours that the palette has for chunks.
export const groundCount = (root) => Number(getComputedStyle(root).getPropertyValue("--ground-count"));

// A function from the name of a theme's colour to the colour; each is looked up once.
export function paints(root) {
  const style = getComputedStyle(root);
  const known = {};
  return (name) => (known[name] ??= style.getPropertyValue(`--${name}`).trim());
}
