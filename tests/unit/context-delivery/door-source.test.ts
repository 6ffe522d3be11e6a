// Goal: delivery waits for a server that limits requests, for as long as the server says and not without end.

import { expect, test } from "bun:test";
import { doorSource } from "../../../src/context/delivery/door-source.ts";
import type { SpaceDoor } from "../../../src/context/space/door.ts";
import { AppError } from "../../../src/kit/error.ts";
import { refusal } from "../../kit/http/refusal.ts";

const limited = (seconds?: number) =>
  new AppError(
    "rate_limited",
    "too many requests",
    seconds === undefined ? undefined : { retry_after_seconds: seconds },
  );

/** A door whose history is refused so often. */
function sourceOf(times: number, error: AppError) {
  const waited: number[] = [];
  let asked = 0;
  const history = (path: string) => {
    asked += 1;
    if (asked <= times) return Promise.reject(error);
    return Promise.resolve({ path, tracked: true, current: 1, versions: [] });
  };
  const door = { name: "main", history } as unknown as SpaceDoor;
  const wait = (seconds: number) => Promise.resolve(void waited.push(seconds));
  return { waited, source: doorSource(door, wait) };
}

test("asks again after the time that the server named", async () => {
  const { waited, source } = sourceOf(2, limited(7));
  expect(await source.history("a.md")).toMatchObject({ path: "a.md" });
  expect(waited).toEqual([7, 7]);
});

test("gives up in the end, at a wait that is too long, and at any other refusal", async () => {
  const patient = sourceOf(1_000, limited(1));
  await refusal(patient.source.history("a.md"), "rate_limited");
  expect(patient.waited).toHaveLength(30);
  for (const error of [limited(3_600), limited(), new AppError("forbidden", "no")]) {
    const { waited, source } = sourceOf(1, error);
    await refusal(source.history("a.md"), error.code);
    expect(waited).toEqual([]);
  }
});
