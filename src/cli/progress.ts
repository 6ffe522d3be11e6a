// A progress line on a terminal, overwritten in place and cleared at the end. Not shown anywhere else.

import { systemClock } from "../kit/clock.ts";
import { stderrIsTerminal } from "../kit/environment.ts";
import { printProgress } from "../kit/terminal/output.ts";

const EVERY_MS = 100;

interface Progress {
  /** Cheap to call often: `text` runs only when the line is shown. */
  show(text: () => string): void;
  end(): void;
}

export function progressLine(): Progress {
  if (!stderrIsTerminal()) return { show: () => {}, end: () => {} };
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show(text) {
      const now = systemClock.elapsed();
      if (now - shownAt < EVERY_MS) return;
      shownAt = now;
      printProgress(text());
    },
    end: () => printProgress(""),
  };
}
