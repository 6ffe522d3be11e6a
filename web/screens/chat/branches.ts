// Branches of the conversation as the chat shows them: the continuations beside a turn, the place of the next message, and asking again.

import { type Accessor, createMemo, createSignal } from "solid-js";
import type { Branches as BranchesRecord, Turn } from "../../../src/service/turns/schema.ts";
import { api, take } from "../../api/client.ts";
import { createQuery } from "../../api/query.ts";
import { useHere } from "../../state/here.ts";

type Continuation = BranchesRecord["forks"][number]["turns"][number];

export type Arrow = "previous" | "next";

/** The place where the next message starts another branch. */
interface Placement {
  /** The turn to follow; null: none, the conversation begins again. */
  readonly after: number | null;
}

export interface Branches {
  /** All continuations of the place where this turn stands, oldest first; undefined: it is the only one. */
  readonly beside: (turnId: number) => readonly Continuation[] | undefined;
  readonly switchTo: (turnId: number) => Promise<void>;
  /** Switches by an arrow that has the focus; the arrows of the other branch take it over. */
  readonly stepTo: (turnId: number, arrow: Arrow) => Promise<void>;
  /** The arrow that led to this turn, once. */
  readonly arrivedBy: (turnId: number) => Arrow | undefined;
  /** Undefined: the next message goes to the end. */
  readonly placement: Accessor<Placement | undefined>;
  readonly place: (placement: Placement | undefined) => void;
  /** The next message stands beside this turn. */
  readonly placeBeside: (turnId: number) => Promise<void>;
  /** Asks a turn's question again, of another model if given. The previous answer stays on its branch. */
  readonly askAgain: (turnId: number, modelId?: number) => Promise<void>;
}

/** `attach` hears of the attachments of a message that is written again. */
export function createBranches(attach: (attachments: Turn["attachments"]) => void): Branches {
  const here = useHere();
  const [placement, place] = createSignal<Placement>();
  const changes = createMemo(() => here.state().branchChanges);
  const { data } = createQuery(() => ({
    key: ["branches", here.id, changes()],
    read: () => take(api.workspaces({ id: here.id }).branches.get()),
  }));
  const byTurn = createMemo(
    () => new Map(data()?.forks.flatMap(({ turns }) => turns.map(({ id }) => [id, turns] as const))),
  );
  const turnOf = async (turnId: number) =>
    here.state().turns.find(({ id }) => id === turnId) ?? take(api.turns({ id: turnId }).get());
  const switchTo = async (turnId: number) => {
    await take(api.workspaces({ id: here.id }).branch.put({ turn_id: turnId }));
  };
  let arrival: { readonly turnId: number; readonly arrow: Arrow } | undefined;
  return {
    beside: (turnId) => byTurn().get(turnId),
    switchTo,
    async stepTo(turnId, arrow) {
      arrival = { turnId, arrow };
      await switchTo(turnId);
    },
    arrivedBy(turnId) {
      if (arrival?.turnId !== turnId) return undefined;
      const { arrow } = arrival;
      arrival = undefined;
      return arrow;
    },
    placement,
    place,
    async placeBeside(turnId) {
      const turn = await turnOf(turnId);
      place({ after: turn.after_id });
      attach(turn.attachments);
    },
    async askAgain(turnId, modelId) {
      const turn = await turnOf(turnId);
      await take(
        api.workspaces({ id: here.id }).chat.post({
          text: turn.text,
          attachments: turn.attachments.map(({ hash, name, untrusted }) => ({ hash, name, untrusted })),
          after: turn.after_id,
          queue: true,
          ...(modelId !== undefined && { model_id: modelId }),
        }),
      );
    },
  };
}
