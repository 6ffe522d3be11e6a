// Waits for a server that allows no more requests for a short while, then sends the request again: the server did nothing with the refused one.

import { statusOf } from "../../kit/error.ts";
import { SECOND_MS, type Timers } from "../../kit/clock.ts";
import { pauseBy } from "../../kit/concurrency/deadline.ts";
import { retryAfterOf } from "./failures.ts";
import type { Transport } from "./client.ts";

/** A person does not want to watch a longer wait; the error says when to try again. */
const WAIT_SECONDS_MAX = 30;
/** For one request. */
const WAITS_MAX = 3;

interface Patience {
  readonly timers: Timers;
  /** Called before each wait. */
  readonly onWait: (seconds: number) => unknown;
}

export function patient({ timers, onWait }: Patience): (transport: Transport) => Transport {
  return (transport) => ({
    ...transport,
    async send(method, path, sent) {
      for (let waits = 0; ; waits += 1) {
        const answer = await transport.send(method, path, sent);
        const seconds = answer.status === statusOf.rate_limited ? retryAfterOf(answer) : undefined;
        if (seconds === undefined || seconds > WAIT_SECONDS_MAX || waits >= WAITS_MAX) return answer;
        await answer.body?.cancel();
        onWait(seconds);
        await pauseBy(timers, seconds * SECOND_MS, sent.signal);
      }
    },
  });
}
