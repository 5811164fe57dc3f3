import assert from "node:assert/strict";
import { test } from "node:test";
import { CurrentStep, currentStepOf } from "../../viz/components/stepper/current_step.js";

/** @param {{ at: number, turn: number | null }} answer */
function opened(answer) {
  const currentStep = new CurrentStep();
  /** @type {[at: number, turn: number][]} */
  const told = [];
  /** @param {object} owner @param {{ at: number, turn: number | null }} next */
  const hear = (owner, next) => currentStep.hear(owner, next, (at, turn) => told.push([at, turn]));
  const first = {};
  hear(first, answer);
  return { currentStep, told, hear, first };
}

test("a stepper begins where the server says", () => {
  const { currentStep } = opened({ at: 11, turn: 4 });
  assert.equal(currentStep.at, 11);
});

test("the server's answer to an earlier step does not take the user back, in a component built anew neither", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { currentStep, told, hear, first } = opened({ at: 11, turn: null });
  currentStep.go(12, 7);
  hear(first, { at: 11, turn: null });
  assert.equal(currentStep.at, 12);
  const anew = {};
  hear(anew, { at: 11, turn: null });
  currentStep.leave(first);
  assert.equal(currentStep.at, 12);
  t.mock.timers.tick(1000);
  assert.deepEqual(told, [[12, 7]]);
  hear(anew, { at: 12, turn: 7 });
  currentStep.go(11, 9);
  hear(anew, { at: 12, turn: 7 });
  assert.equal(currentStep.at, 11);
});

test("the server hears the last step of several, once", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { currentStep, told } = opened({ at: 0, turn: null });
  currentStep.go(1, 1);
  t.mock.timers.tick(100);
  currentStep.go(2, 2);
  t.mock.timers.tick(1000);
  assert.deepEqual(told, [[2, 2]]);
});

test("once it knows the user's step, the server's word counts again", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { currentStep, hear, first } = opened({ at: 11, turn: null });
  currentStep.go(12, 7);
  hear(first, { at: 12, turn: 7 });
  hear(first, { at: 3, turn: 7 });
  assert.equal(currentStep.at, 3);
});

test("a page opened again begins where the server says", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { currentStep, told, hear, first } = opened({ at: 11, turn: null });
  currentStep.go(12, 7);
  currentStep.leave(first);
  t.mock.timers.tick(1000);
  assert.deepEqual(told, []);
  hear({}, { at: 5, turn: null });
  assert.equal(currentStep.at, 5);
});

test("a stepper that replaces another keeps the user's step, of which the server hears yet", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { currentStep, told, hear, first } = opened({ at: 11, turn: null });
  currentStep.go(12, 7);
  t.mock.timers.tick(1000);
  currentStep.go(13, 8);
  for (const stale of [
    { at: 11, turn: null },
    { at: 12, turn: 7 },
  ]) {
    currentStep.leave(currentStep.owner ?? first);
    hear({}, stale);
    assert.equal(currentStep.at, 13);
  }
  t.mock.timers.tick(1000);
  assert.deepEqual(told, [
    [12, 7],
    [13, 8],
  ]);
  currentStep.leave(currentStep.owner ?? first);
  hear({}, { at: 3, turn: 8 });
  assert.equal(currentStep.at, 3);
});

test("only the stepper that owns the current step says whether a step is left", () => {
  const turn = () => ({ by: 1, first: 0, last: 9, there: false, taken: false, over: false });
  const { currentStep, first } = opened({ at: 1, turn: null });
  const asked = turn();
  assert.equal(currentStep.take({}, asked, false), false);
  assert.deepEqual([asked.there, asked.taken, asked.over], [true, false, false]);
  assert.equal(currentStep.take(first, asked, true), true);
  assert.deepEqual([asked.taken, asked.over], [true, false]);
  assert.equal(currentStep.take(first, asked, true), false, "one step for one key");
  const last = turn();
  assert.equal(currentStep.take(first, last, false), false);
  assert.deepEqual([last.taken, last.over], [false, true]);
  currentStep.leave(first);
  const between = turn();
  currentStep.take(first, between, false);
  assert.deepEqual([between.there, between.over], [true, false], "another stepper is to come");
});

test("each stepper has its own current step, and keeps it", () => {
  assert.equal(currentStepOf("a"), currentStepOf("a"));
  assert.notEqual(currentStepOf("a"), currentStepOf("b"));
});
