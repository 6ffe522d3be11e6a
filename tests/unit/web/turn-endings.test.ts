// Goal: a turn that ends is said once, also if it was never seen open, and those of earlier pages are not.

import { expect, test } from "bun:test";
import { entryOf, turnOf } from "../../kit/service/shown-records.ts";
import { endingOf, newlyEnded } from "../../../web/screens/chat/endings.ts";

const open = { status: "running", finished_at: null } as const;

test("finds the turn that ended", () => {
  const before = [turnOf(1), turnOf(2, open)];
  expect(newlyEnded(before, [turnOf(1), turnOf(2)])?.id).toBe(2);
  expect(newlyEnded(before, before)).toBeUndefined();
  // It failed before anybody saw it run.
  expect(newlyEnded([turnOf(1)], [turnOf(1), turnOf(2, { status: "failed" })])?.id).toBe(2);
  expect(newlyEnded([], [turnOf(1)])?.id).toBe(1);
  // Resumed, and failed again.
  const failed = [turnOf(1), turnOf(2, { status: "failed" })];
  expect(newlyEnded(failed, [turnOf(1), turnOf(2, open)])).toBeUndefined();
  expect(newlyEnded([turnOf(1), turnOf(2, open)], failed)?.id).toBe(2);
  // An earlier page, and a queued message that was withdrawn.
  expect(newlyEnded([turnOf(3)], [turnOf(1), turnOf(2), turnOf(3)])).toBeUndefined();
  const queued = { status: "queued", started_at: null } as const;
  const withdrawn = turnOf(2, { status: "cancelled", started_at: null });
  expect(newlyEnded([turnOf(1), turnOf(2, queued)], [turnOf(1), withdrawn])).toBeUndefined();
});

test("says the orchestrator's last answer, or why there is none", () => {
  const entries = [
    entryOf(1, "person"),
    entryOf(2, "agent", { text: "First." }),
    entryOf(3, "agent", { text: "**Done.**" }),
    entryOf(4, "agent", { thread: 5, agent_id: 2, text: "Of a worker." }),
  ];
  const state = { entries, agentNames: new Map([[1, "boss"]]) };
  const ending = (fields: Parameters<typeof turnOf>[1]) => endingOf(state, turnOf(1, fields));
  expect(ending({})).toBe("boss answered: Done.");
  expect(ending({ status: "failed", error: "no such model" })).toBe("The turn failed: no such model");
  expect(ending({ status: "cancelled" })).toBe("Stopped");
  expect(ending({ status: "cancelled", error: "access lost" })).toBe("Stopped: access lost");
  expect(ending({ status: "interrupted" })).toBe("Interrupted: the service stopped during this turn");
});
