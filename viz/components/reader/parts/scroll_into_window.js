// Scrolling the page itself, so that the target of a jump is visible in the browser's window.

/**
 * Return the parent element of a node, across the boundary of its component.
 * @param {Node} node
 * @returns {Element | null}
 */
function parentOf(node) {
  const tree = node.getRootNode();
  return node.parentElement ?? (tree instanceof ShadowRoot ? tree.host : null);
}

/**
 * Returns the vertically scrolling ancestor of an element.
 * @param {Element} element
 */
function scrollerOf(element) {
  let around = parentOf(element);
  const scrolls = (/** @type {Element} */ element) => /auto|scroll/.test(getComputedStyle(element).overflowY);
  while (around && !(scrolls(around) && around.scrollHeight > around.clientHeight)) around = parentOf(around);
  return around;
}

/**
 * Return the distance to scroll until a vertical range lies within another; if it does not fit, its top is aligned.
 * @param {number} top
 * @param {number} bottom
 * @param {number} upper
 * @param {number} lower
 */
export function scrollNeeded(top, bottom, upper, lower) {
  if (top < upper) return top - upper;
  if (bottom > lower) return Math.min(bottom - lower, top - upper);
  return 0;
}

/**
 * Return the vertical range of the window in which nothing covers an element.
 * @param {Element} element
 * @returns {[top: number, bottom: number]}
 */
export function uncovered(element) {
  const scroller = scrollerOf(element);
  const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(scroller ?? element);
  return [parseFloat(scrollPaddingTop) || 0, innerHeight - (parseFloat(scrollPaddingBottom) || 0)];
}

/**
 * Scroll the page until a node is visible in the window and not covered.
 * @param {Element} node
 * @param {Element} whole what is brought up first, so that all of it is seen, where the node is not in the window
 */
export function bringIntoWindow(node, whole) {
  const scroller = scrollerOf(whole);
  if (!scroller) return;
  const [upper, lower] = uncovered(whole);
  for (const brought of [whole, node]) {
    const { top, bottom } = node.getBoundingClientRect();
    const away = scrollNeeded(top, bottom, upper, lower);
    if (!away) return;
    scroller.scrollTop += brought === node ? away : whole.getBoundingClientRect().top - upper;
  }
}

/**
 * Fold the side bar if it lies over an element. In a wide window it does so only for a moment, while the page is laid out.
 * @param {Element} element
 */
export function uncover(element) {
  if (matchMedia("(min-width: 768px)").matches) return;
  const bar = document.querySelector('[data-testid="stSidebar"]');
  if (!bar || bar.getBoundingClientRect().right <= element.getBoundingClientRect().left) return;
  const button = bar.querySelector('[data-testid="stSidebarCollapseButton"] button');
  if (button instanceof HTMLElement) button.click();
}
