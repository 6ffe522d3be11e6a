// The number of a turn among those of its workspace, for a turn that is known by its id. One that is older than what the page has read is
// asked for.

import { createMemo, type JSX } from "solid-js";
import { api, take } from "../api/client.ts";
import { createQuery } from "../api/query.ts";
import { useHere } from "./here.ts";

export function TurnNumber(props: { readonly id: number }): JSX.Element {
  const here = useHere();
  const known = createMemo(() => here.state().turns.find(({ id }) => id === props.id)?.number);
  const asked = createQuery(() => {
    const { id } = props;
    return known() === undefined
      ? { key: ["turn-number", id], read: async () => (await take(api.turns({ id }).get())).number }
      : undefined;
  });
  return <>{known() ?? asked.data() ?? "…"}</>;
}
