// A client for a command that goes on after a short wait, and says so, when a server allows no more requests.

import type { Client } from "../context/client/client.ts";
import { patient } from "../context/client/rate-limit-wait.ts";
import { systemTimers } from "../kit/clock.ts";
import { printWarning } from "../kit/terminal/output.ts";

export function patiently(client: Client): Client {
  const onWait = (seconds: number) =>
    printWarning(`the server allows no more requests; continuing in ${seconds} s`);
  return client.through(patient({ timers: systemTimers, onWait }));
}
