// Drawing of a component's payloads in order. Streamlit calls the script for each payload. While the browser fetches the script,
// the calls wait, and then arrive in any order, since HTML does not specify which import of a module ends first.
// viz/components/browser_exchange.py adds a sequence number to each payload.

/** @import { Component } from "./component.d.ts" */

/** @typedef {[session: string, number: number]} Order */
/** @typedef {Component<any, any>} Call */

/**
 * Draw a payload unless a newer one is already drawn. Payloads of another session count as newer.
 * @param {(component: Call) => any} draw
 * @returns {(component: Call) => any} what Streamlit calls; both return how to take the component away
 */
export function inOrder(draw) {
  /** @type {WeakMap<ParentNode, { order: Order | null, leave: any }>} */
  const drawn = new WeakMap();
  return (component) => {
    const { order, data } = ordered(component.data);
    const last = drawn.get(component.parentElement);
    if (last && isOlder(order, last.order)) return last.leave;
    const leave = draw({ ...component, data });
    drawn.set(component.parentElement, { order, leave });
    return leave;
  };
}

/**
 * @param {Order | null} first
 * @param {Order | null} second
 */
const isOlder = (first, second) => first !== null && second !== null && first[0] === second[0] && first[1] < second[1];

/**
 * @param {any} sent
 * @returns {{ order: Order | null, data: any }}
 */
function ordered(sent) {
  if (!sent) return { order: null, data: sent };
  if (!(sent instanceof Uint8Array)) return { data: sent[0], order: sent[1] };
  const end = sent.indexOf(10);
  const [session, number] = new TextDecoder().decode(sent.subarray(0, end)).split(" ");
  return { order: [session, Number(number)], data: sent.subarray(end + 1) };
}
