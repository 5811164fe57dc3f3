// The handle: what a component shows of itself to tests and benchmarks, as `seamark` on its outermost element. It holds getters
// and pure functions alone: nothing can be changed through it, and no element, promise or object of the component comes out.
// docs/testing.md says what is in it.

/**
 * Let a component show itself.
 * @param {HTMLElement} root
 * @param {object} [handle]
 */
export function expose(root, handle = {}) {
  const common = {
    get painted() {
      return Number(root.dataset.painted ?? 0);
    },
  };
  const whole = Object.defineProperties(common, Object.getOwnPropertyDescriptors(handle));
  Object.defineProperty(root, "seamark", { value: Object.freeze(whole) });
}

/**
 * Count that what the server sent last is drawn. A component that shows nothing else is exposed by it.
 * @param {HTMLElement} root
 * @returns {number} how many times it was so
 */
export function countPainted(root) {
  if (!("seamark" in root)) expose(root);
  const painted = Number(root.dataset.painted ?? 0) + 1;
  root.dataset.painted = String(painted);
  return painted;
}
