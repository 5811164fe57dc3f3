// What several components begin with.

const el = (tag, className = "", text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};
// The first of `count` numbers from 0 on for which `holds` holds, given that it holds for all after it; `count` if for none.
const firstWhere = (count, holds) => {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};
const tell = (name, detail) => globalThis.dispatchEvent(new CustomEvent(name, { detail }));

function isDark(root) {
  const colour = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
  const parts = colour.startsWith("#") ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) : colour.match(/\d+/g)?.map(Number);
  return parts ? 0.3 * parts[0] + 0.6 * parts[1] + 0.1 * parts[2] < 128 : matchMedia("(prefers-color-scheme: dark)").matches;
}
