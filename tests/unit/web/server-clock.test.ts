// Goal: a wrong clock in the browser changes no age and no deadline, and the time that an answer travels is no wrong clock.

import { afterEach, expect, setSystemTime, test } from "bun:test";
import { hearDate, serverNow } from "../../../web/api/server-clock.ts";

const SERVER = Date.parse("2026-11-26T10:00:00Z");
const MINUTE_MS = 60_000;
const header = (ms: number) => new Date(ms).toUTCString();

afterEach(() => {
  setSystemTime();
  hearDate(new Date().toUTCString());
});

test("follows the server when the browser's clock is ahead or behind", () => {
  for (const wrongBy of [15 * MINUTE_MS, -15 * MINUTE_MS]) {
    setSystemTime(SERVER + wrongBy);
    hearDate(header(SERVER));
    expect(serverNow()).toBe(SERVER);
    setSystemTime(SERVER + wrongBy + MINUTE_MS);
    expect(serverNow()).toBe(SERVER + MINUTE_MS);
  }
});

test("keeps the browser's clock when it is right, or when no time is said", () => {
  setSystemTime(SERVER + 2_400);
  hearDate(header(SERVER));
  expect(serverNow()).toBe(SERVER + 2_400);
  for (const none of [null, "", "soon"]) hearDate(none);
  expect(serverNow()).toBe(SERVER + 2_400);
});

test("notices that the clock was set right", () => {
  setSystemTime(SERVER + 15 * MINUTE_MS);
  hearDate(header(SERVER));
  setSystemTime(SERVER + 1_000);
  hearDate(header(SERVER + 1_000));
  expect(serverNow()).toBe(SERVER + 1_000);
});
