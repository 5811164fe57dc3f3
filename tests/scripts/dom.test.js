import assert from "node:assert/strict";
import { test } from "node:test";
import { firstWhere } from "../../viz/components/shared/dom.js";

test("firstWhere finds the first of a row from which on something holds", () => {
  for (let count = 0; count < 9; count++)
    for (let first = 0; first <= count; first++)
      assert.equal(
        firstWhere(count, (number) => number >= first),
        first,
      );
});
