import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder } from "../../viz/components/shared/in_order.js";

/** A component that writes down what it is drawn with, in as many places as are named. */
function makeComponent() {
  /** @type {Record<string, any[]>} */
  const drawn = {};
  /** @type {Record<string, any>} */
  const places = {};
  const draw = inOrder(({ data, parentElement }) => {
    const name = Object.keys(places).find((one) => places[one] === parentElement) ?? "";
    drawn[name].push(data instanceof Uint8Array ? new TextDecoder().decode(data) : (data?.text ?? null));
    return `leave ${drawn[name].length}`;
  });
  /** @param {any} data */
  const call = (data, place = "one") => {
    places[place] ??= {};
    drawn[place] ??= [];
    return draw({ data, parentElement: places[place], setStateValue() {} });
  };
  return { call, drawn };
}

/** @param {string} text */
const bytes = (text) => new TextEncoder().encode(text);

test("older data are left out, and the way to leave stays that of the newer", () => {
  const { call, drawn } = makeComponent();
  assert.equal(call([{ text: "result" }, ["a", 2]]), "leave 1");
  assert.equal(call([{ text: "waiting" }, ["a", 1]]), "leave 1");
  assert.deepEqual(drawn.one, ["result"]);
  call([{ text: "next" }, ["a", 10]]);
  assert.deepEqual(drawn.one, ["result", "next"]);
});

test("the same data are drawn again: the theme may be another", () => {
  const { call, drawn } = makeComponent();
  call([{ text: "result" }, ["a", 2]]);
  call([{ text: "result" }, ["a", 2]]);
  assert.deepEqual(drawn.one, ["result", "result"]);
});

test("another session's data are drawn, whatever their number", () => {
  const { call, drawn } = makeComponent();
  call([{ text: "before the server started again" }, ["a", 20]]);
  call([{ text: "after" }, ["b", 1]]);
  assert.deepEqual(drawn.one, ["before the server started again", "after"]);
});

test("a component in another place has an order of its own", () => {
  const { call, drawn } = makeComponent();
  call([{ text: "one" }, ["a", 2]]);
  call([{ text: "two" }, ["a", 1]], "two");
  assert.deepEqual(drawn, { one: ["one"], two: ["two"] });
});

test("bytes have their order in the first line, which the component does not see", () => {
  const { call, drawn } = makeComponent();
  call(bytes('a 10\n{"id": 1}\nthe text'));
  call(bytes('a 9\n{"id": 1}\nan older text'));
  assert.deepEqual(drawn.one, ['{"id": 1}\nthe text']);
});

test("a component without data is drawn whenever it is called", () => {
  const { call, drawn } = makeComponent();
  call(null);
  call(null);
  assert.deepEqual(drawn.one, [null, null]);
});

test("what could not be drawn does not keep older data out", () => {
  let fails = true;
  const drawn = /** @type {string[]} */ ([]);
  const draw = inOrder(({ data }) => {
    if (fails) throw new Error("no");
    drawn.push(data.text);
  });
  const parentElement = /** @type {any} */ ({});
  const setStateValue = () => {};
  assert.throws(() => draw({ data: [{ text: "new" }, ["a", 2]], parentElement, setStateValue }));
  fails = false;
  draw({ data: [{ text: "old" }, ["a", 1]], parentElement, setStateValue });
  assert.deepEqual(drawn, ["old"]);
});
