// Goal: a few cycles after a pause are not delayed, many in a row leave most of the server's limit to others, and what a copy knows is no news.

import { describe, expect, test } from "bun:test";
import { Pace, REQUEST_EVERY_MS, REQUESTS_AT_ONCE } from "../../../src/context/replica/pace.ts";
import { ServerNews } from "../../../src/context/replica/server-news.ts";
import { manualClock, MINUTE_MS } from "../../kit/manual-clock.ts";

const REQUESTS_OF_A_CYCLE = 2;

function paced() {
  const clock = manualClock();
  return { clock, pace: new Pace(() => clock.elapsed()) };
}

describe("the pace", () => {
  test("five cycles follow each other at once; the next ones wait for their requests", () => {
    const { clock, pace } = paced();
    const waits = Array.from({ length: 8 }, () => {
      const { waitMs } = pace;
      clock.advance(waitMs);
      pace.spent(REQUESTS_OF_A_CYCLE);
      return waitMs;
    });
    expect(waits).toEqual([0, 0, 0, 0, 0, 2_000, 4_000, 4_000]);
  });

  test.each([1, 2, 3, 6])("with %d requests a cycle, no minute has half of the default limit", (requests) => {
    const { clock, pace } = paced();
    const times: number[] = [];
    for (let cycle = 0; cycle < 200; cycle += 1) {
      clock.advance(pace.waitMs);
      for (let request = 0; request < requests; request += 1) times.push(clock.elapsed());
      pace.spent(requests);
    }
    const of = (from: number) => times.filter((at) => at >= from && at < from + MINUTE_MS).length;
    expect(Math.max(...times.map(of))).toBeLessThanOrEqual(48);
  });

  test("the whole allowance is back after a pause, and no more than that", () => {
    const { clock, pace } = paced();
    pace.spent(REQUESTS_AT_ONCE);
    clock.advance(REQUESTS_AT_ONCE * REQUEST_EVERY_MS);
    clock.advance(60 * MINUTE_MS);
    pace.spent(REQUESTS_AT_ONCE - 1);
    expect(pace.waitMs).toBe(0);
    pace.spent(1);
    expect(pace.waitMs).toBe(REQUEST_EVERY_MS);
  });

  test("a large exchange delays the next cycle by a minute at most", () => {
    const { pace } = paced();
    pace.spent(10_000);
    expect(pace.waitMs).toBe(MINUTE_MS);
  });
});

describe("news of the server", () => {
  const head = (seq: number, epoch = "a") => ({ epoch, seq });

  test("the first question, an event without a head, and one beyond the known head are news", () => {
    const news = new ServerNews();
    const step = (act: () => void) => {
      act();
      return news.isPending;
    };
    expect([
      news.isPending,
      step(() => news.asking()),
      step(() => news.learned(head(7))),
      step(() => news.note(head(7))),
      step(() => news.note(head(3))),
      step(() => news.note(head(8))),
      step(() => news.learned(head(8))),
      step(() => news.note(undefined)),
      step(() => news.learned(head(9))),
      step(() => news.asking()),
    ]).toEqual([true, false, false, false, false, true, false, true, true, false]);
  });

  test("an event of another history is news once, so that a restored server is not asked forever", () => {
    const news = new ServerNews();
    news.asking();
    news.learned(head(7));
    news.note(head(2, "b"));
    expect(news.isPending).toBe(true);
    news.asking();
    news.learned(head(7));
    expect(news.isPending).toBe(false);
    news.note(head(8));
    news.note(head(2, "b"));
    news.learned(head(8));
    expect(news.isPending).toBe(true);
  });
});
