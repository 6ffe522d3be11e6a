// Goal: storing what has arrived of many answers lets other writes go between, and stores each piece once, however long writes have to wait.

import { expect, test } from "bun:test";
import { Background } from "../../../src/kit/concurrency/background.ts";
import { createLog } from "../../../src/kit/log.ts";
import { openDatabase } from "../../../src/kit/storage/db.ts";
import { ArrivedTexts } from "../../../src/service/turns/arrived-texts.ts";
import type { OpenCall } from "../../../src/service/turns/recorder.ts";
import type { TurnStore } from "../../../src/service/turns/store.ts";
import { atEnd } from "../../kit/at-end.ts";
import { manualClock } from "../../kit/manual-clock.ts";

const KEPT_EVERY_MS = 1_000;
const SQL =
  "CREATE TABLE arrived (call_id INTEGER, kind TEXT, start INTEGER, text TEXT, PRIMARY KEY (call_id, kind, start)) STRICT";

type Piece = { call_id: number; kind: string; start: number; text: string };

function opened() {
  const db = openDatabase(":memory:");
  db.exec(SQL);
  const clock = manualClock();
  const problems: string[] = [];
  const write = (line: string) => void problems.push(line);
  const background = new Background(createLog({ level: "warn", format: "text", clock, write }));
  const keepArrived = db.query<never, Piece>("INSERT INTO arrived VALUES ($call_id, $kind, $start, $text)");
  const store = { keepArrived } as unknown as TurnStore;
  const all = db.query<Piece, []>("SELECT * FROM arrived ORDER BY call_id, kind, start");
  return {
    ...atEnd(() => db.close()),
    db,
    clock,
    problems,
    background,
    arrived: new ArrivedTexts({ db, store, background, timers: clock }),
    pieces: () => all.all(),
  };
}

function openCall(id: number): OpenCall {
  return { id, text: "", reasoning: "", kept: { text: 0, reasoning: 0 }, over: false } as OpenCall;
}

test("another write does not wait for the texts of all answers", async () => {
  await using at = opened();
  const calls = Array.from({ length: 500 }, (_, id) => openCall(id));
  for (const call of calls) {
    call.text = "Half a ";
    at.arrived.grown(call);
  }
  at.clock.advance(KEPT_EVERY_MS);
  const keptBefore = await at.db.write(() => at.pieces().length);
  await at.background.ended();
  expect(keptBefore).toBeLessThan(calls.length / 2);
  expect(at.pieces()).toEqual(
    calls.map(({ id }) => ({ call_id: id, kind: "text", start: 0, text: "Half a " })),
  );
});

test("text that arrives while writes wait is stored once", async () => {
  await using at = opened();
  const call = openCall(1);
  const say = (text: string) => {
    call.text += text;
    at.arrived.grown(call);
    at.clock.advance(KEPT_EVERY_MS);
  };
  const waiting = at.db.writeInSteps(
    function* () {
      yield;
    },
    function* () {},
  );
  say("Half ");
  say("a ");
  await waiting;
  await at.background.ended();
  say("sentence.");
  await at.background.ended();
  expect(at.problems).toEqual([]);
  expect(at.pieces().map(({ start, text }) => [start, text])).toEqual([
    [0, "Half a "],
    [7, "sentence."],
  ]);
});
