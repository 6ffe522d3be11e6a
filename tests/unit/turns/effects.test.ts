// Goal: an effect outside the database happens at most once, whatever fails between its start and its record, and the model is told the truth
// about it.

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

/** Returns the answers in order. */
function inTurn(...answers: (() => ReturnType<Answers>)[]): Answers {
  return () => (answers.shift() ?? (() => Promise.resolve({ text: "nothing left" })))();
}

function external(name: string, run: ExternalWork<unknown>["run"]): Tool {
  return externalTool({ name, description: name, parameters: PARAMETERS, run });
}

const UNKNOWN =
  "tool: Interrupted: it is not known whether this call took effect. It is not repeated automatically; check before you repeat it.";

test("does not repeat an effect whose result was not recorded", async () => {
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
  // Simulate a dead process: nothing more is recorded.
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

test("executes a requested effect that had not begun when the turn resumes", async () => {
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

test("aborts a running effect on cancel, and keeps its result if it still arrives", async () => {
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

test("logs a tool's exception without showing it", async () => {
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

test("does not wait on stop for an effect that does not end", async () => {
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
