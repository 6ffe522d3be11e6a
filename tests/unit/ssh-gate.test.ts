// Goal: a server that stops waits for what SSH sessions are asking, and answers nothing after that.

import { expect, test } from "bun:test";
import { Gate } from "../../src/context/ssh/gate.ts";
import { refusal } from "../kit/http/refusal.ts";

test("waits for questions under way, and lets no other in", async () => {
  const gate = new Gate();
  const question = Promise.withResolvers<string>();
  const answer = gate.run(() => question.promise);
  const order: string[] = [];
  const closed = gate.close().then(() => order.push("closed"));
  let isAsked = false;
  await refusal(
    gate.run(async () => (isAsked = true)),
    "unavailable",
    "the server is stopping",
  );
  order.push("refused");
  question.resolve("answer");
  expect(await answer).toBe("answer");
  await closed;
  expect([isAsked, order]).toEqual([false, ["refused", "closed"]]);
});

test("closes at once if nobody asks, also after a question that failed", async () => {
  const gate = new Gate();
  await gate.run(() => Promise.reject(new Error("failed"))).catch(() => undefined);
  await gate.close();
});

test("with other nodes, shows an answer only when they have what it shows", async () => {
  const held = Promise.withResolvers<void>();
  const gate = new Gate(() => held.promise);
  let shown: string | undefined;
  const answer = gate.run(async () => "answer").then((text) => (shown = text));
  await Bun.sleep(5);
  expect(shown).toBeUndefined();
  held.resolve();
  expect(await answer).toBe("answer");
});
