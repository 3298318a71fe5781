import assert from "node:assert/strict";
import { test } from "node:test";
import { JumpChain, type Destination } from "../src/core/jumpChain";

const at = (place: string, isHere = false): Destination => ({ id: `p-${place}`, place, isHere });
const places = (predictions: readonly Destination[]) => predictions.map(({ place }) => place);

test("what was gone to comes first, and no place is gone to twice", () => {
  const chain = new JumpChain();
  assert.deepEqual(places(chain.order([at("a"), at("b")])), ["a", "b"]);
  chain.onJump(at("a"));
  assert.deepEqual(places(chain.order([at("b"), at("a", true)])), ["a", "b"]);
  chain.onJump(at("b"));
  assert.deepEqual(places(chain.order([at("a"), at("b"), at("c")])), ["c"]);
});

test("once the user types or moves the cursor, all places are open again", () => {
  const chain = new JumpChain();
  chain.onJump(at("a"));
  chain.end();
  assert.deepEqual(places(chain.order([at("b"), at("a")])), ["b", "a"]);
});

/** A linear congruential generator. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("whatever a server answers, Tabs end with an edit or with nothing, and never go to and fro", () => {
  for (let seed = 1; seed <= 500; seed++) {
    const random = randomNumbers(seed);
    const names = ["a", "b", "c", "d", "e"];
    const editable = new Set(names.filter(() => random(2) === 0));
    const chain = new JumpChain();
    let cursor = "start";
    const visited: string[] = [];
    for (;;) {
      const offered = names.filter(() => random(3) > 0).sort(() => random(3) - 1);
      const [first] = chain.order(offered.map((place) => at(place, place === cursor && editable.has(place))));
      if (first === undefined) break;
      if (first.isHere) {
        assert.equal(first.place, cursor);
        break;
      }
      // The edit that Tab went to is not passed over for another place.
      assert.ok(!(offered.includes(cursor) && editable.has(cursor)), `seed ${seed}`);
      assert.ok(!visited.includes(first.place), `seed ${seed}: back to ${first.place}`);
      visited.push(first.place);
      chain.onJump(first);
      cursor = first.place;
    }
  }
});
