// A page without a browser: events go from component to component, and a root is on it until it is taken away.

const target = new EventTarget();

/** Let the scripts find the events of a window where they look for them. */
export function openPage() {
  globalThis.addEventListener = target.addEventListener.bind(target);
  globalThis.removeEventListener = target.removeEventListener.bind(target);
  globalThis.dispatchEvent = target.dispatchEvent.bind(target);
}

/** @returns {Element} that is on the page as long as its `isConnected` says so */
export const makeRoot = () => /** @type {Element} */ (/** @type {unknown} */ ({ isConnected: true }));
