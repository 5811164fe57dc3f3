// Scrolling the page itself, so that what a jump leads to stands in the browser's window.

/**
 * The element around a node, out of its component too.
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
  const scrolls = (/** @type {Element} */ one) => /auto|scroll/.test(getComputedStyle(one).overflowY);
  while (around && !(scrolls(around) && around.scrollHeight > around.clientHeight)) around = parentOf(around);
  return around;
}

/**
 * Distance to scroll until a stretch between two heights lies in the room between two others; if there is not room for all of it,
 * its beginning counts.
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
 * From where to where in the window nothing of the page covers an element.
 * @param {Element} element
 * @returns {[top: number, bottom: number]}
 */
export function uncovered(element) {
  const scroller = scrollerOf(element);
  const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(scroller ?? element);
  return [parseFloat(scrollPaddingTop) || 0, innerHeight - (parseFloat(scrollPaddingBottom) || 0)];
}

/**
 * Scroll the page until a node stands in the window, where nothing covers it.
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
 * Fold the side bar, if it lies over an element, as it does in a narrow window.
 * @param {Element} element
 */
export function uncover(element) {
  const bar = document.querySelector('[data-testid="stSidebar"]');
  if (!bar || bar.getBoundingClientRect().right <= element.getBoundingClientRect().left) return;
  const button = bar.querySelector('[data-testid="stSidebarCollapseButton"] button');
  if (button instanceof HTMLElement) button.click();
}
