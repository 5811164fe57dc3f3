import assert from "node:assert/strict";
import { test } from "node:test";
import { pushApart } from "../../viz/components/reader/parts/label_places.js";

const [TALL, ROOM] = [20, 100];

/** @param {number[]} places */
const apart = (places) => {
  const sorted = places.toSorted((a, b) => a - b);
  return sorted.slice(1).every((place, index) => place - sorted[index] >= TALL - 1e-9);
};

test("labels with room between them stand at their lines", () => {
  assert.deepEqual(pushApart([30], TALL, ROOM), [30]);
  assert.deepEqual(pushApart([80, 30, 55], TALL, ROOM), [80, 30, 55]);
  assert.deepEqual(pushApart([], TALL, ROOM), []);
});

test("two that would cover each other give way by as much, and stay in their order", () => {
  assert.deepEqual(pushApart([52, 48], TALL, ROOM), [60, 40]);
  assert.deepEqual(pushApart([50, 50], TALL, ROOM), [40, 60]);
});

test("a label stays inside the plot, and the others make room for it", () => {
  assert.deepEqual(pushApart([2], TALL, ROOM), [10]);
  assert.deepEqual(pushApart([99], TALL, ROOM), [90]);
  assert.deepEqual(pushApart([95, 92], TALL, ROOM), [90, 70]);
  assert.deepEqual(pushApart([1, 3, 50], TALL, ROOM), [10, 30, 50]);
});

test("wherever the lines are, labels are apart and inside, in the order of the lines", () => {
  for (let turn = 0; turn < 300; turn++) {
    const wanted = Array.from(
      { length: 1 + (turn % 5) },
      (_, index) => (((turn + 1) * (index + 3) * 7919) % 1200) / 10 - 10,
    );
    const places = pushApart(wanted, TALL, ROOM);
    assert.ok(apart(places), `${wanted} -> ${places}`);
    assert.ok(
      places.every((place) => place >= TALL / 2 - 1e-9 && place <= ROOM - TALL / 2 + 1e-9),
      `${wanted} -> ${places}`,
    );
    for (const [one, place] of places.entries())
      for (const [other, there] of places.entries()) if (wanted[one] < wanted[other]) assert.ok(place < there);
  }
});
