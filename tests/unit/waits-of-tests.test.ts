// Goal: a test that waits in vain fails by itself, and says for what it waited.

import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { GEAR_RUNS_AT_ONCE_MAX } from "../../src/service/gears/schema.ts";
import { outcomeOf } from "../kit/binaries.ts";
import { EventReader } from "../kit/http/client.ts";
import { holdChecking } from "../kit/light-passwords.ts";
import { gate } from "../kit/model/index.ts";
import { heldSandbox } from "../kit/service/gears.ts";
import { RUN_LIMIT_MS, WAIT_LIMIT_MS } from "../kit/wait-limit.ts";
import { within } from "../kit/within.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const NEVER = new Promise<never>(() => {});

async function failureOf(waiting: Promise<unknown>, limitMs = WAIT_LIMIT_MS): Promise<string> {
  const failed = waiting.then(
    () => "it came",
    (error: Error) => error.message,
  );
  jest.advanceTimersByTime(limitMs);
  return failed;
}

test("a wait ends at its limit with its name, as it is then", async () => {
  let seen = "nothing";
  const waiting = within(() => `a word; seen: ${seen}`, NEVER);
  seen = "a letter";
  expect(await failureOf(waiting)).toBe(`not within ${WAIT_LIMIT_MS} ms: a word; seen: a letter`);
  expect(await within("at once", Promise.resolve(1))).toBe(1);
});

test("waits for a gate, a password, gears and an event have the limit from the question on", async () => {
  const held = holdChecking();
  const door = gate();
  const sandbox = heldSandbox();
  jest.advanceTimersByTime(2 * WAIT_LIMIT_MS);
  const late = (what: string) => `not within ${WAIT_LIMIT_MS} ms: ${what}`;
  expect(await failureOf(door.reached)).toBe(late("a reply waits at the gate"));
  expect(await failureOf(held.begun)).toBe(late("a password reaches verify"));
  expect(await failureOf(sandbox.full())).toBe(late(`${GEAR_RUNS_AT_ONCE_MAX} gears run`));
  held.go();
  await Bun.password.verify("a", await Bun.password.hash("a"));
  door.reach();
  expect(await failureOf(door.reached)).toBe("it came");

  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode("id: 1\nevent: first\ndata: {}\n\n")),
  });
  await using reader = new EventReader(new Response(body));
  expect((await reader.next())?.type).toBe("first");
  expect(await failureOf(reader.next())).toBe(late("the next event of ; seen: first"));
});

test("a program that does not end is killed, and named", async () => {
  const child = Bun.spawn([process.execPath, "-e", "setInterval(() => {}, 1e6)"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  expect(await failureOf(outcomeOf("cairn sleep", child), RUN_LIMIT_MS)).toBe(
    `not within ${RUN_LIMIT_MS} ms: cairn sleep ends`,
  );
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
});
