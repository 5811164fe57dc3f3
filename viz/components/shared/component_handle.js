// The handle: the state that a component exposes to tests and benchmarks, as `seamark` on its outermost element. It has only
// getters and pure functions, so nothing can be changed through it, and it returns no element, promise or object of the
// component. docs/testing.md describes it.

/**
 * Expose a component's handle.
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
 * Count a drawn payload; this also exposes components without any other handle.
 * @param {HTMLElement} root
 * @returns {number} how many times it was so
 */
export function countPainted(root) {
  if (!("seamark" in root)) expose(root);
  const painted = Number(root.dataset.painted ?? 0) + 1;
  root.dataset.painted = String(painted);
  return painted;
}
