// One line on a terminal that says how far long work is, written over again and again, and gone when the work is done. Nobody else sees it.

import { systemClock, type Clock } from "../kit/clock.ts";
import { stderrIsTerminal } from "../kit/environment.ts";
import { printProgress } from "../kit/output.ts";

const EVERY_MS = 100;

interface Progress {
  /** May be called as often as one likes. `text` is made only when it is shown. */
  show(text: () => string): void;
  end(): void;
}

export function progressLine(clock: Clock = systemClock): Progress {
  if (!stderrIsTerminal()) return { show: () => {}, end: () => {} };
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show(text) {
      const now = clock.elapsed();
      if (now - shownAt < EVERY_MS) return;
      shownAt = now;
      printProgress(text());
    },
    end: () => printProgress(""),
  };
}
