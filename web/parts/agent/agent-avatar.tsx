// The avatar of an agent: its initials in its colour, the same in chat, blueprint, activity and inspector.

import { createMemo, type JSX } from "solid-js";
import { Avatar } from "../../kit/pieces.tsx";
import { lookOf } from "../../state/agent-look.ts";
import { useHere } from "../../state/here.ts";

export function AgentAvatar(props: { readonly id: number; readonly size?: "small" | "large" }): JSX.Element {
  const here = useHere();
  const look = createMemo(() => lookOf(here.state(), props.id));
  return <Avatar initials={look().initials} colour={look().colour} size={props.size} />;
}
