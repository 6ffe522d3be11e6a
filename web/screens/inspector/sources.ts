// Names and links for the sources of prompt parts: agents, instructions, entries, notices.

import { useLocation } from "@solidjs/router";
import { createMemo } from "solid-js";
import type { SourceOf } from "../../kit/prompt-parts.tsx";
import { type Selection, useHere, written } from "../../state/here.ts";
import { memoryHref } from "../../parts/memory/paths.ts";
import { instructionsQuery } from "../../state/lists.ts";
import { nameOf } from "../../state/workspace-state.ts";

const NOTICES: Readonly<Record<string, string>> = {
  limit: "limit reached",
  empty: "nothing to answer",
  continue: "continue",
};

/** Returns the address of this page with another selection. */
export function useInspectHref(): (selection: Selection) => string {
  const location = useLocation();
  return (selection) => {
    const params = new URLSearchParams(location.search);
    params.set("inspect", written(selection));
    return `${location.pathname}?${params}`;
  };
}

export function useSourceOf(): SourceOf {
  const here = useHere();
  const inspect = useInspectHref();
  const instructions = instructionsQuery();
  const idOf = createMemo(
    () =>
      new Map([
        ...(instructions.data() ?? []).map(({ id, name }) => [name, id] as const),
        ...here.state().instructionBindings.map((bound) => [bound.name, bound.instruction_id] as const),
      ]),
  );
  return (source) => {
    const colon = source.indexOf(":");
    const kind = colon < 0 ? source : source.slice(0, colon);
    const rest = source.slice(colon + 1);
    const id = Number(rest);
    switch (kind) {
      case "agent": {
        const lives = here.state().agents.some((agent) => agent.id === id);
        return { text: nameOf(here.state(), id), href: lives ? inspect({ kind: "agent", id }) : undefined };
      }
      case "entry":
        return { text: `entry ${id}`, href: inspect({ kind: "entry", id }) };
      case "instruction": {
        const found = idOf().get(rest.replace(/@v\d+$/, ""));
        return { text: rest, href: found === undefined ? undefined : `/library/${found}` };
      }
      case "context": {
        const path = rest.replace(/@(?:v\d+|edited)$/, "");
        const { branch } = here.state().workspace;
        const isOwn = path.startsWith(`${branch}/`);
        return { text: rest, href: isOwn ? memoryHref(here.id, branch, path) : undefined };
      }
      case "notice":
        return { text: NOTICES[rest] ?? rest, href: undefined };
      default:
        return { text: colon < 0 ? "" : rest, href: undefined };
    }
  };
}
