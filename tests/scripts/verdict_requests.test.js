import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { emit, listen } from "../../viz/components/shared/bus.js";
import draw from "../../viz/shell/card/verdict_requests.js";
import { makeRoot, openPage } from "./fake_page.js";

openPage();
class Root {
  isConnected = true;
  dataset = {};
}
Object.assign(globalThis, { HTMLElement: Root });

test("the answer to a request is no news once another was made", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const root = new Root();
  /** @type {any[]} */
  const requests = [];
  /** @param {any} data */
  const hear = (data) => {
    const setStateValue = (/** @type {string} */ _, /** @type {any} */ asked) => requests.push(asked);
    draw(/** @type {any} */ ({ parentElement: { querySelector: () => root }, data, setStateValue }));
  };
  /** @type {any[]} */
  const heard = [];
  listen(makeRoot(), { "seamark-verdicts": (answer) => heard.push(answer) });
  hear({ answer: null, moment: null });
  emit("seamark-disagreement", { at: 3 });
  emit("seamark-disagreement", { at: 3, would: { column: 1, values: { percentile: 79 }, hashes: ["a"] } });
  const [closed, opened] = requests;
  assert.notEqual(closed.moment, opened.moment);
  const answer = { at: 3, hashes: ["a"], cells: [] };
  // The first would close the preview that the second asks for.
  hear({ answer: { ...answer, preview: null }, moment: closed.moment });
  assert.deepEqual(heard, []);
  const preview = { column: 1, state: "working" };
  hear({ answer: { ...answer, preview }, moment: opened.moment });
  assert.deepEqual(heard, [{ ...answer, preview }]);
  // An answer that is not complete is asked for again.
  mock.timers.tick(100);
  assert.deepEqual(requests[2].would, opened.would);
  mock.timers.reset();
});
