// Goal: when rights change, thousands of viewers are asked again with pauses, and none that lost its right gets anything in between.

import { expect, test } from "bun:test";
import { UNASKED, ViewerRights, type Watching } from "../../../src/kit/http/viewer-rights.ts";
import { eventually } from "../../kit/eventually.ts";
import { silent } from "../../kit/silent.ts";

const VIEWERS = 100;
/** Of looking up one person's rights, busy. */
const ASKING_MS = 1;

interface Looker extends Watching {
  ended: boolean;
  may: boolean;
}

function looking() {
  let asked = 0;
  const lookers: Looker[] = Array.from({ length: VIEWERS }, () => {
    const looker: Looker = {
      asked: UNASKED,
      ended: false,
      may: true,
      allowed: () => {
        asked += 1;
        for (const end = performance.now() + ASKING_MS; performance.now() < end;);
        return looker.may;
      },
      viewer: { send: () => true, drained: () => Promise.resolve(true), end: () => (looker.ended = true) },
    };
    return looker;
  });
  const rights = new ViewerRights(() => lookers, silent);
  return { rights, lookers, last: lookers.at(-1)!, asked: () => asked };
}

test("asks all of them with pauses, and ends those that may not look any more", async () => {
  const { rights, lookers, asked } = looking();
  for (const [index, looker] of lookers.entries()) looker.may = index % 2 === 0;
  rights.changed();
  expect(asked()).toBeLessThan(VIEWERS);
  await eventually(asked, VIEWERS);
  expect(lookers.map(({ ended }) => ended)).toEqual(lookers.map((_, index) => index % 2 === 1));
});

test("asks one before the next that it would get, however long the others take, and only once", async () => {
  const { rights, last, asked } = looking();
  last.may = false;
  rights.changed();
  expect(last.ended).toBe(false);
  expect(rights.admits(last)).toBe(false);
  expect(last.ended).toBe(true);
  await eventually(asked, VIEWERS);
  expect(rights.isAsked(last)).toBe(true);
});

test("asks again when rights change while they are asked", async () => {
  const { rights, lookers, last, asked } = looking();
  rights.changed();
  lookers[0]!.may = false;
  expect(lookers[0]!.ended).toBe(false);
  rights.changed();
  await eventually(() => lookers[0]!.ended && asked() > VIEWERS, true);
  expect(rights.admits(last)).toBe(true);
});

test("ends one whose rights cannot be looked up, and goes on", async () => {
  const { rights, lookers, last } = looking();
  Object.assign(lookers[0]!, {
    allowed: () => {
      throw new Error("the disk is gone");
    },
  });
  last.may = false;
  rights.changed();
  await eventually(() => last.ended, true);
  expect(lookers.map(({ ended }) => ended).filter(Boolean)).toHaveLength(2);
});
