// Goal: a viewer receives what is stored, then what comes, with nothing between; a stream that fails is broken off and never just ends.

import { expect, test } from "bun:test";
import { systemClock } from "../../../src/kit/clock.ts";
import { Replays } from "../../../src/kit/http/replay.ts";
import type { Viewer } from "../../../src/kit/http/sse.ts";
import { UNASKED, ViewerRights, type Watching } from "../../../src/kit/http/viewer-rights.ts";
import { createLog } from "../../../src/kit/log.ts";

/** A viewer of pages that are there already; everything that happens is told in order. */
function setup({ pages = 2, drained = true, allowed = (): boolean => true, failsAt = Infinity } = {}) {
  const told: string[] = [];
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const log = createLog({ level: "info", format: "text", clock: systemClock, write });
  const ended = Promise.withResolvers<void>();
  const viewer: Viewer = {
    send: (frame) => told.push(new TextDecoder().decode(frame).split("\n")[0]!) > 0,
    drained: () => Promise.resolve(drained),
    end: () => (told.push("end"), ended.resolve()),
  };
  const watching: Watching = { viewer, allowed, asked: UNASKED };
  const rights = new ViewerRights(() => replays.watching(), log);
  const replays = new Replays(rights, log);
  let left = pages;
  const joined = Promise.withResolvers<void>();
  const start = () =>
    replays.start({
      watching,
      about: { workspace: 7 },
      page: () => {
        if (left === 0) return "nothing";
        if (left === failsAt) throw new Error("the page cannot be read");
        told.push(`page ${left--}`);
        return left === 0 ? "rest" : "part";
      },
      join: () => (told.push("join"), joined.resolve()),
    });
  return { told, lines, start, replays, rights, joined: joined.promise, ended: ended.promise };
}

test("the pages come in order, and then the viewer joins", async () => {
  const { told, start, replays, joined } = setup();
  start();
  expect(told).toEqual(["page 2"]);
  await joined;
  expect(told).toEqual(["page 2", "page 1", "join"]);
  await Promise.resolve();
  await Promise.resolve();
  expect([...replays.watching()]).toEqual([]);
});

test("after the last page it joins before others have their turn", async () => {
  const { told, start, joined } = setup({ pages: 1 });
  start();
  setImmediate(() => told.push("another turn"));
  await joined;
  expect(told).toEqual(["page 1", "join"]);
});

test("without a stored event it joins at once", () => {
  const { told, start } = setup({ pages: 0 });
  start();
  expect(told).toEqual(["join"]);
});

test("a page that fails breaks the stream off, and the log says where", async () => {
  const { told, lines, start, ended } = setup({ pages: 3, failsAt: 2 });
  start();
  await ended;
  expect(told).toEqual(["page 3", "event: error", "end"]);
  expect(lines.join("")).toMatch(/event stream failed.*workspace=7.*the page cannot be read/);
});

test("a viewer that loses its right gets no further page", async () => {
  let isAllowed = true;
  const { told, start, rights, ended } = setup({ allowed: () => isAllowed });
  start();
  isAllowed = false;
  rights.changed();
  await ended;
  expect(told).toEqual(["page 2", "end"]);
});

test("a viewer that has left, or reads no more, gets no further page and does not join", async () => {
  const left = setup();
  left.start()();
  const gone = setup({ drained: false });
  gone.start();
  for (let turn = 0; turn < 5; turn += 1) await Bun.sleep(0);
  expect([left.told, gone.told]).toEqual([["page 2"], ["page 2"]]);
});
