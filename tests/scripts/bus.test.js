import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { emit, listen, NOTHING } from "../../viz/components/shared/bus.js";
import { makeRoot, openPage } from "./fake_page.js";

/** @typedef {Parameters<typeof emit>[0]} EventName */

openPage();
beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
afterEach(() => mock.timers.reset());

test("whoever listens hears what is said, and nothing else", () => {
  /** @type {number[]} */
  const heard = [];
  listen(makeRoot(), { "seamark-gap": ({ gap }) => heard.push(gap) });
  emit("seamark-gap", { gap: 3 });
  emit("seamark-jump", { sentence: 7 });
  assert.deepEqual(heard, [3]);
});

test("an event that is not declared can be neither said nor heard", () => {
  const name = /** @type {EventName} */ ("seamark-gapp");
  assert.throws(() => emit(name, { gap: 1 }), /There is no event seamark-gapp/);
  assert.throws(() => listen(makeRoot(), { [name]: () => {} }), /There is no event seamark-gapp/);
});

test("a name that every object has is no event", () => {
  const name = /** @type {EventName} */ (/** @type {unknown} */ ("toString"));
  assert.throws(() => emit(name, { gap: 1 }), /There is no event/);
});

test("a component that stays away hears no more, and takes its leave once it is known to", () => {
  const root = makeRoot();
  let [heard, left] = [0, 0];
  const dispose = listen(root, { "seamark-go": () => heard++ }, () => left++);
  dispose();
  Object.assign(root, { isConnected: false });
  emit("seamark-go", { at: 1 });
  assert.deepEqual([heard, left], [1, 0]);
  mock.timers.tick(200);
  emit("seamark-go", { at: 2 });
  assert.deepEqual([heard, left], [1, 1]);
});

test("a component that is put back between two runs goes on hearing", () => {
  let [heard, left] = [0, 0];
  const dispose = listen(makeRoot(), { "seamark-go": () => heard++ }, () => left++);
  dispose();
  mock.timers.tick(1000);
  emit("seamark-go", { at: 1 });
  assert.deepEqual([heard, left], [1, 0]);
});

test("the mark of no sentence cannot be changed by whoever hears it", () => {
  assert.throws(() => Object.assign(NOTHING, { gap: 4 }), TypeError);
});
