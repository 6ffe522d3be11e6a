// Goal: all bodies that one server holds stay below a limit, no caller takes all of it, and what was taken comes back.

import { describe, expect, test } from "bun:test";
import { Bodies, BodyBudget } from "../../../src/kit/http/bodies.ts";
import { readBytes } from "../../../src/kit/http/body.ts";
import { exchangeOf } from "../../../src/kit/http/exchange.ts";
import { guardedRequest, SMALL_BOUNDS } from "../../kit/http/guarded-request.ts";
import { manualClock } from "../../kit/manual-clock.ts";

const refusal = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    const { code, details } = error as { code: string; details: unknown };
    return { code, details };
  }
  throw new Error("it was not refused");
};

describe("a budget", () => {
  test("refuses a caller beyond their share, and everybody beyond the whole", () => {
    const budget = new BodyBudget(100, 60);
    const ann = budget.claim("ann");
    ann.grow(60);
    const again = { retry_after_seconds: 5, limit_bytes: 60, scope: "caller" };
    expect(refusal(() => budget.claim("ann").grow(1))).toEqual({ code: "unavailable", details: again });
    budget.claim("bob").grow(40);
    const full = { retry_after_seconds: 5, limit_bytes: 100, scope: "server" };
    expect(refusal(() => budget.claim("eve").grow(1))).toEqual({ code: "unavailable", details: full });
    ann.release();
    ann.release();
    expect(budget.used).toBe(40);
    budget.claim("ann").grow(60);
  });
});

describe("a body", () => {
  const pieces = (sizes: readonly number[], before: () => void = () => {}) => {
    const left = [...sizes];
    return new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const size = left.shift();
          if (size === undefined) return controller.close();
          before();
          controller.enqueue(new Uint8Array(size));
        },
      },
      { highWaterMark: 0 },
    );
  };

  test("without a stated length is counted as it grows, and held until its request is answered", async () => {
    const bodies = new Bodies(SMALL_BOUNDS, manualClock());
    const request = guardedRequest(pieces([10_000, 10_000]), bodies);
    expect((await readBytes(request, 50_000)).length).toBe(20_000);
    expect(bodies.memory.used).toBe(20_000);
    const beyond = guardedRequest(pieces([30_000, 30_000]), bodies);
    await expect(readBytes(beyond, 100_000)).rejects.toMatchObject({ code: "unavailable" });
    for (const one of [request, beyond]) for (const claim of exchangeOf(one).claims) claim.release();
    expect(bodies.memory.used).toBe(0);
  });

  test("beyond its limit is refused while it arrives", async () => {
    const request = guardedRequest(pieces([10_000, 10_000]));
    const limit = { code: "too_large", details: { limit_bytes: 15_000 } };
    await expect(readBytes(request, 15_000)).rejects.toMatchObject(limit);
  });

  test("that trickles is refused once its time is over, whatever it still sends", async () => {
    const clock = manualClock();
    const bodies = new Bodies(SMALL_BOUNDS, clock);
    const every = (ms: number, sizes: readonly number[]) =>
      guardedRequest(
        pieces(sizes, () => clock.advance(ms)),
        bodies,
      );
    const steady = every(110, [25_000, 25_000]);
    const slow = every(100, [1, 1, 1, 1]);
    expect((await readBytes(steady, 100_000)).length).toBe(50_000);
    await expect(readBytes(slow, 100_000)).rejects.toMatchObject({ code: "slow_body" });
  });
});
