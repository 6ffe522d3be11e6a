// Goal: an effect outside the database happens at most once, whatever goes wrong between its beginning and its record; and what the model
// is told about it is true.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { closed } from "../../../src/kit/schema.ts";
import { externalTool, type ExternalWork, type Tool } from "../../../src/service/tools/tool.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { gate } from "../../kit/model/index.ts";
import { workshop, type Answers } from "./workshop.ts";

const PARAMETERS = closed({});
const calls = (...names: string[]) => ({
  calls: names.map((name) => ({ name, arguments: "{}" })),
  finish: "calls" as const,
});

/** Answers one after the other. */
function inTurn(...answers: (() => ReturnType<Answers>)[]): Answers {
  return () => (answers.shift() ?? (() => Promise.resolve({ text: "nothing left" })))();
}

function external(name: string, run: ExternalWork<unknown>["run"]): Tool {
  return externalTool({ name, description: name, parameters: PARAMETERS, run });
}

const UNKNOWN =
  "tool: Interrupted: whether this call took effect is not known. It is not repeated by itself; check before you repeat it.";

test("an effect whose result was not recorded is not repeated", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "service.db");
  const effects: string[] = [];
  const begun = gate();
  const lost = external("send", () => {
    effects.push("sent");
    begun.reach();
    return new Promise(() => {});
  });
  const first = await workshop(
    inTurn(() => Promise.resolve(calls("send", "send"))),
    () => [lost],
    path,
  );
  const turn = await first.turns.chat(first.caller, first.workspaceId, { text: "go" });
  await begun.reached;
  // The process is gone: nothing more is recorded.
  first.db.close();
  const again = external("send", async () => {
    effects.push("again");
    return { outcome: "ok", text: "sent" };
  });
  const second = await workshop(
    inTurn(() => Promise.resolve({ text: "I see." })),
    () => [again],
    path,
  );
  expect(second.turns.get(second.caller, turn.id).status).toBe("interrupted");
  await second.turns.resume(second.caller, turn.id);
  await second.settled();
  expect(second.turns.get(second.caller, turn.id).status).toBe("done");
  expect(effects).toEqual(["sent", "sent"]);
  expect(second.conversation()).toEqual(["person: go", "agent: ", UNKNOWN, UNKNOWN, "agent: I see."]);
  second.db.close();
});

test("an effect that was asked for and had not begun is done by the resumed turn", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "service.db");
  let count = 0;
  let begun = 0;
  const allBegun = gate();
  const slow = external("slow", (_scope, _input, { signal }) => {
    if (++begun === 8) allBegun.reach();
    return new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(new Error("stopped"))),
    );
  });
  const quick = external("quick", async () => ({ outcome: "ok", text: `done ${++count}` }));
  const asked = calls(...Array<string>(8).fill("slow"), "quick");
  const first = await workshop(
    inTurn(() => Promise.resolve(asked)),
    () => [slow, quick],
    path,
  );
  const turn = await first.turns.chat(first.caller, first.workspaceId, { text: "go" });
  await allBegun.reached;
  await first.turns.stop();
  await first.settled();
  expect([first.turns.get(first.caller, turn.id).status, count]).toEqual(["interrupted", 0]);
  first.db.close();
  const second = await workshop(
    inTurn(() => Promise.resolve({ text: "All right." })),
    () => [slow, quick],
    path,
  );
  await second.turns.resume(second.caller, turn.id);
  await second.settled();
  expect(count).toBe(1);
  expect(second.conversation().slice(2)).toEqual([
    ...Array<string>(8).fill(UNKNOWN),
    "tool: done 1",
    "agent: All right.",
  ]);
  second.db.close();
});

test("a cancel tells a running effect, and keeps its result when it comes all the same", async () => {
  const begun = gate();
  const stubborn = external("stubborn", async (_scope, _input, { signal }) => {
    begun.reach();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return { outcome: "ok", text: "finished first" };
  });
  const yielding = external(
    "yielding",
    (_scope, _input, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
  );
  const shop = await workshop(
    inTurn(() => Promise.resolve(calls("yielding", "stubborn"))),
    () => [stubborn, yielding],
  );
  const turn = await shop.turns.chat(shop.caller, shop.workspaceId, { text: "go" });
  await begun.reached;
  expect(await shop.turns.cancel(shop.caller, turn.id)).toMatchObject({ status: "cancelled" });
  expect(shop.conversation().slice(2).toSorted()).toEqual(["tool: finished first", UNKNOWN].toSorted());
  shop.db.close();
});

test("what a tool throws is logged, not told", async () => {
  const broken = external("broken", () => Promise.reject(new Error("secret path /x")));
  const shop = await workshop(
    inTurn(
      () => Promise.resolve(calls("broken")),
      () => Promise.resolve({ text: "pity" }),
    ),
    () => [broken],
  );
  await shop.turns.chat(shop.caller, shop.workspaceId, { text: "go" });
  await shop.settled();
  expect(shop.conversation().slice(2)).toEqual([
    "tool: The tool failed for an internal reason.",
    "agent: pity",
  ]);
  expect(shop.log.some((line) => line.includes("secret path"))).toBe(true);
  shop.db.close();
});

test("a stop does not wait for an effect that does not end", async () => {
  const begun = gate();
  const stuck = external("stuck", () => {
    begun.reach();
    return new Promise(() => {});
  });
  const shop = await workshop(
    inTurn(() => Promise.resolve(calls("stuck"))),
    () => [stuck],
  );
  const turn = await shop.turns.chat(shop.caller, shop.workspaceId, { text: "go" });
  await begun.reached;
  await shop.turns.stop();
  expect(shop.turns.get(shop.caller, turn.id).status).toBe("interrupted");
  expect(() => shop.turns.chat(shop.caller, shop.workspaceId, { text: "more" })).toThrow(
    "the service is stopping",
  );
  shop.db.close();
}, 10_000);
