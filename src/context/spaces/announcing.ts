// Handles a commit to a space: writes an audit record and an event for each change, in the order of the log.

import type { Audit } from "../audit/audit.ts";
import type { Events } from "../events/events.ts";
import type { Applied, Batch } from "../versioned-store/engine.ts";
import type { Caller } from "../identity/caller.ts";

interface Telling {
  readonly audit: Audit;
  readonly events: Events;
}

/** Returns the handler, called with every commit once it is durable. `by`: the `Caller`, if there is one. */
export function tellerOf({ audit, events }: Telling, space: string) {
  return (applied: Applied, { author: actor, by }: Pick<Batch, "author" | "by">): void => {
    audit.recordChanges(space, applied, actor, by as Caller | undefined);
    const { effects, head, time } = applied;
    const first = head.seq - effects.length + 1;
    for (const [index, { op, path, after, destroyed }] of effects.entries())
      events.announce({
        type: `file.${op}`,
        actor,
        space,
        path,
        version: (destroyed ?? after)?.version ?? null,
        time,
        head: { epoch: head.epoch, seq: first + index },
      });
  };
}
