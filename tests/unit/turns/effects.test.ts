// Goal: a tool that works outside the database acts at most once, whatever fails between its start and its record; a call that can be resumed goes
// on after a restart, and the model is told the truth about the others.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { closed } from "../../../src/kit/schema.ts";
import {
  externalTool,
  type ExternalTool,
  type ExternalWork,
  type ToolPorts,
} from "../../../src/service/tools/tool.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { gate } from "../../kit/model/index.ts";
import { workshop, type Answers, type Workshop } from "./workshop.ts";

const UNKNOWN =
  "tool: Interrupted: it is not known whether this call took effect. It is not repeated automatically; check before you repeat it.";

const asks = (...names: string[]) => ({
  calls: names.map((name) => ({ name, arguments: "{}" })),
  finish: "calls" as const,
});

function external(name: string, work: ExternalWork<unknown>): ExternalTool {
  return externalTool({ name, description: name, parameters: closed({}), ...work });
}

/** Returns the answers in order. */
function inTurn(...answers: Awaited<ReturnType<Answers>>[]): Answers {
  return async () => answers.shift() ?? { text: "nothing left" };
}

/** Stops the service during a call of `first`, restarts it with only `then`, and returns the conversation after the message. */
async function overRestart(
  how: "stop" | "crash",
  first: (begun: () => void) => ExternalTool[],
  then: (shop: () => Workshop) => ExternalTool[],
): Promise<string[]> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "service.db");
  const begun = gate();
  const before = first(() => begun.reach());
  const one = await workshop(inTurn(asks(...before.map((tool) => tool.name))), () => before, path);
  const turn = await one.turns.chat(one.caller, one.workspaceId, { text: "go" });
  await begun.reached;
  if (how === "stop") {
    await one.turns.stop();
    await one.settled();
  }
  one.db.close();
  const after = then(() => two);
  const two: Workshop = await workshop(inTurn({ text: "I see." }), () => after, path);
  expect(two.turns.get(two.caller, turn.id).status).toBe("interrupted");
  await two.turns.resume(two.caller, turn.id);
  await two.settled();
  expect(two.turns.get(two.caller, turn.id).status).toBe("done");
  expect(two.events("tool.result")).toHaveLength(before.length);
  const said = two.conversation().slice(2);
  two.db.close();
  return said;
}

/** Runs until the service stops. */
const untilStopped: ExternalWork<unknown>["run"] = (_scope, _input, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));

test.each(["stop", "crash"] as const)(
  "resumes a resumable call after a %s, and finishes it once",
  async (how) => {
    const seen: string[] = [];
    const said = await overRestart(
      how,
      (begun) => [
        external("ask", {
          run: (scope, input, ports) => {
            seen.push(`run ${ports.callId}`);
            begun();
            return untilStopped(scope, input, ports);
          },
          resume: () => Promise.reject(new Error("nothing to resume yet")),
        }),
      ],
      (shop) => [
        external("ask", {
          run: () => Promise.reject(new Error("begun twice")),
          resume: (scope, _input, ports) =>
            ports.waiting(async () => {
              seen.push(`resume ${ports.callId}`);
              seen.push(shop().turns.get(shop().caller, scope.turnId).status);
              return { outcome: "ok", text: "answered" };
            }),
        }),
      ],
    );
    const callId = seen[0]!.split(" ")[1]!;
    expect(seen).toEqual([`run ${callId}`, `resume ${callId}`, "waiting"]);
    expect(said).toEqual(["tool: answered", "agent: I see."]);
  },
);

test.each(["stop", "crash"] as const)(
  "reports an unknown outcome after a %s for a call that cannot be resumed or whose tool is gone",
  async (how) => {
    let begun = 0;
    const work =
      (allBegun: () => void): ExternalWork<unknown>["run"] =>
      (scope, input, ports) => {
        if (++begun === 2) allBegun();
        return untilStopped(scope, input, ports);
      };
    const never = () => Promise.reject(new Error("repeated"));
    const said = await overRestart(
      how,
      (allBegun) => [
        external("send", { run: work(allBegun) }),
        external("ask", { run: work(allBegun), resume: never }),
      ],
      () => [external("send", { run: never })],
    );
    expect(said).toEqual([UNKNOWN, UNKNOWN, "agent: I see."]);
  },
);

test("executes a requested effect that had not begun when the turn resumes", async () => {
  let begun = 0;
  let done = 0;
  const tools = (allBegun: () => void) => {
    const slow = external("slow", {
      run: (scope, input, ports) => {
        if (++begun === 8) allBegun();
        return untilStopped(scope, input, ports);
      },
    });
    const quick = external("quick", { run: async () => ({ outcome: "ok", text: `done ${++done}` }) });
    return [...Array<ExternalTool>(8).fill(slow), quick];
  };
  const said = await overRestart("stop", tools, () => tools(() => {}));
  expect(begun).toBe(8);
  expect(said).toEqual([...Array<string>(8).fill(UNKNOWN), "tool: done 1", "agent: I see."]);
});

test("aborts a running effect on cancel, and keeps its result if it still arrives", async () => {
  const begun = gate();
  const stubborn = external("stubborn", {
    run: async (_scope, _input, { signal }) => {
      begun.reach();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return { outcome: "ok", text: "finished first" };
    },
  });
  const yielding = external("yielding", { run: untilStopped });
  const shop = await workshop(inTurn(asks("yielding", "stubborn")), () => [stubborn, yielding]);
  const turn = await shop.turns.chat(shop.caller, shop.workspaceId, { text: "go" });
  await begun.reached;
  expect(await shop.turns.cancel(shop.caller, turn.id)).toMatchObject({ status: "cancelled" });
  expect(shop.conversation().slice(2).toSorted()).toEqual(["tool: finished first", UNKNOWN].toSorted());
  shop.db.close();
});

test("logs a tool's exception without showing it", async () => {
  const broken = external("broken", { run: () => Promise.reject(new Error("secret path /x")) });
  const shop = await workshop(inTurn(asks("broken"), { text: "pity" }), () => [broken]);
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
  const stuck = external("stuck", {
    run: () => {
      begun.reach();
      return new Promise(() => {});
    },
  });
  const shop = await workshop(inTurn(asks("stuck")), () => [stuck]);
  const turn = await shop.turns.chat(shop.caller, shop.workspaceId, { text: "go" });
  await begun.reached;
  await shop.turns.stop();
  expect(shop.turns.get(shop.caller, turn.id).status).toBe("interrupted");
  expect(() => shop.turns.chat(shop.caller, shop.workspaceId, { text: "more" })).toThrow(
    "the service is stopping",
  );
  shop.db.close();
}, 10_000);

test("drops output after a tool's end", async () => {
  let late: ToolPorts["output"] | undefined;
  const speak = external("speak", {
    run: async (_scope, _input, { output }) => {
      // Pieces are stored in order, so a kept one would precede the one awaited.
      late?.("stdout", "too late");
      output("stdout", late ? "second" : "first");
      if (late) await stored(shop, "second");
      late = output;
      return { outcome: "ok", text: "spoken" };
    },
  });
  const shop: Workshop = await workshop(inTurn(asks("speak"), asks("speak"), { text: "Done." }), () => [
    speak,
  ]);
  await shop.turns.chat(shop.caller, shop.workspaceId, { text: "go" });
  await shop.settled();
  expect(shop.events("tool.output").map((each) => [each["stream"], each["text"]])).toEqual([
    ["stdout", "first"],
    ["stdout", "second"],
  ]);
  shop.db.close();
});

async function stored(shop: Workshop, text: string): Promise<void> {
  while (!shop.events("tool.output").some((each) => each["text"] === text))
    await new Promise((resolve) => setImmediate(resolve));
}
