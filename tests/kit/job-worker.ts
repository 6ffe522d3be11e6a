// The worker of the pool's own tests.

import { AppError } from "../../src/kit/error.ts";
import { implement, serveJobs, type Job } from "../../src/kit/workers/job.ts";

interface Text {
  readonly text: string;
}

const job = <Input extends Text, Output>(name: string, deadlineMs = 20_000): Job<Input, Output> => ({
  name,
  deadlineMs,
  inputBytesMax: 100,
  sizeOf: ({ text }) => text.length,
});

export const ECHO = job<Text, string>("echo");
export const SPIN = job<Text, never>("spin", 50);
/** Until the test lets it go: `text` names a channel. */
export const HOLD = job<Text, string>("hold");
/** As `HOLD`. Before, its code is held in the same way while it loads: the channel has the job's name. */
export const LOAD = job<Text, string>("load");
/** Takes memory without end. */
export const GROW: Job<Text, never> = { ...job<Text, never>("grow"), memoryBytesMax: 128 * 1024 ** 2 };
export const REFUSE = job<Text, never>("refuse");
export const FAIL = job<Text, never>("fail");
export const UNKNOWN = job<Text, never>("unknown");

async function hold({ text }: Text): Promise<string> {
  const channel = new BroadcastChannel(text);
  const { promise, resolve } = Promise.withResolvers<void>();
  channel.addEventListener("message", () => resolve());
  channel.postMessage("held");
  await promise;
  channel.close();
  return text;
}

if (!Bun.isMainThread)
  serveJobs([
    implement(ECHO, () => Promise.resolve(({ text }: Text) => text)),
    implement(SPIN, () =>
      Promise.resolve(() => {
        for (;;);
      }),
    ),
    implement(GROW, () =>
      Promise.resolve(() => {
        for (const taken = []; ; Bun.sleepSync(1)) taken.push(new Uint8Array(4 * 1024 ** 2).fill(1));
      }),
    ),
    implement(HOLD, () => Promise.resolve(hold)),
    implement(LOAD, async () => {
      await hold({ text: LOAD.name });
      return hold;
    }),
    implement(REFUSE, () =>
      Promise.resolve(() => {
        throw new AppError("not_text", "a: is not text", { line: 3 });
      }),
    ),
    implement(FAIL, () =>
      Promise.resolve(() => {
        throw new TypeError("a defect");
      }),
    ),
  ]);
