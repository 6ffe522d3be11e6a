// Goal: a turn's rights are checked in the write that acts, so that a revocation earlier in the same commit counts.

import { expect, test } from "bun:test";
import { AppError } from "../../../src/kit/error.ts";
import { closed } from "../../../src/kit/schema.ts";
import { externalTool, ok, type Tool, type ToolScope } from "../../../src/service/tools/tool.ts";
import { workshop, type Workshop } from "./workshop.ts";

const PARAMETERS = closed({});
const REASON = "the tokens of admin were revoked";

/** Does what the write that revokes tokens does to the turn. */
const revoke = (shop: Workshop) =>
  shop.db.write(() => shop.db.exec(`UPDATE turns SET stop_reason = '${REASON}' WHERE status = 'running'`));

/** A turn whose model calls the tool `act`; `asked` runs when the tool is looked up, right before its write is queued. */
async function turnWith(
  tool: (asked: () => void) => Tool,
): Promise<{ shop: Workshop; error: string | null }> {
  let revoked: Promise<void> | undefined;
  const shop: Workshop = await workshop(
    async () => ({ calls: [{ name: "act", arguments: "{}" }], finish: "calls" }),
    () => [tool(() => (revoked ??= revoke(shop)))],
  );
  const turn = await shop.turns.chat(shop.caller, shop.workspaceId, { text: "go" });
  await shop.settled();
  await revoked;
  const ended = shop.turns.get(shop.caller, turn.id);
  expect(ended.status).toBe("cancelled");
  shop.db.close();
  return { shop, error: ended.error };
}

test("refuses a database tool after a revocation in the same commit", async () => {
  const applied: string[] = [];
  const { shop, error } = await turnWith((asked) => ({
    kind: "database",
    name: "act",
    description: "",
    parameters: PARAMETERS,
    prepare: () => {
      asked();
      const apply = () => {
        applied.push("done");
        return ok("done");
      };
      return { ok: true, value: { check: () => Promise.resolve(), apply } };
    },
  }));
  expect([applied, error, shop.requests.length]).toEqual([[], REASON, 1]);
});

test("gives a long-running tool the reason when it checks its caller in its own write", async () => {
  const said: unknown[] = [];
  let first = true;
  const { error } = await turnWith((asked) =>
    externalTool({
      name: "act",
      description: "",
      parameters: PARAMETERS,
      run: async ({ caller }: ToolScope) => {
        if (first) said.push(caller.role);
        first = false;
        asked();
        await Promise.resolve();
        await new Promise((resolve) => setImmediate(resolve));
        try {
          said.push(caller.role);
        } catch (refusal) {
          if (refusal instanceof AppError) said.push(refusal.code, refusal.message);
        }
        return { outcome: "ok", text: "" };
      },
    }),
  );
  expect([...said, error]).toEqual(["admin", "forbidden", `the turn may not continue: ${REASON}`, REASON]);
});
