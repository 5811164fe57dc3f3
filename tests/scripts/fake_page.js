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

/** An element that holds buttons, known by their `act`, one of which can have the focus. */
export class FakeButtons {
  /** @type {{ dataset: { act: string }, focus: () => void }[]} */ buttons = [];
  /** @type {unknown} */ activeElement = null;

  /** @param {string[]} acts of the buttons that replace those so far, whose focus is lost as in a browser */
  draw(...acts) {
    this.activeElement = null;
    this.buttons = acts.map((act) => {
      const focus = () => {
        this.activeElement = button;
      };
      const button = { dataset: { act }, focus };
      return button;
    });
  }

  /** @returns {string | undefined} the `act` of the button that has the focus */
  get focused() {
    return this.buttons.find((button) => button === this.activeElement)?.dataset.act;
  }

  getRootNode = () => this;
  querySelectorAll = () => this.buttons;
  contains = (/** @type {unknown} */ node) => this.buttons.some((button) => button === node);
}
