// The writes of memory_write calls: live from events, and of earlier turns from the server, one request for each turn.

import { type Accessor, createMemo } from "solid-js";
import type { MemoryWrite } from "../../../src/service/memory/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { useHere } from "../../state/here.ts";

interface Asked {
  readonly turnId: number;
  readonly callId: string;
}

/** Undefined while it is unknown, and for a call that wrote nothing. `asked` is tracked; undefined asks for nothing. */
export function createMemoryWrite(asked: () => Asked | undefined): Accessor<MemoryWrite | undefined> {
  const here = useHere();
  const live = createMemo(() => here.state().memoryWrites.get(asked()?.callId ?? ""));
  const turn = createQuery(() => {
    const id = live() ? undefined : asked()?.turnId;
    const query = { turn: id! };
    return id === undefined
      ? undefined
      : {
          key: ["memory-writes", here.id, id],
          read: () => take(api.workspaces({ id: here.id }).memory.writes.get({ query })),
        };
  });
  return createMemo(() => live() ?? turn.data()?.find(({ call_id: id }) => id === asked()?.callId));
}
