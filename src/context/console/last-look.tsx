// Says on a page when the files of the space were looked at, with a way to look again. A server looks while it answers, and says nothing.

import type { VNode } from "preact";
import { rfc3339 } from "../../kit/clock.ts";
import type { BrowsedSpace } from "../space/door.ts";
import type { TreeLook } from "../versioned-store/tree-memory.ts";
import { to, type Answer, type Asked } from "./area.ts";
import { ExactTime } from "./pieces.tsx";

export const AGAIN = "look";

export interface LastLook {
  /** RFC 3339. */
  readonly at: string;
  /** The address that looks again. */
  readonly again: string;
}

/** Undefined: the page is as of now. */
export function lastLookOf(space: BrowsedSpace, what: TreeLook, asked: Asked): LastLook | undefined {
  const at = space.lookedAt(what);
  return at === undefined ? undefined : { at: rfc3339(at), again: addressOf(asked, "again") };
}

/** For a request that asks to look again: does so, and goes to the page itself, so that loading that again does not. */
export function lookedAgain(space: BrowsedSpace, asked: Asked): Answer | undefined {
  if (!asked.query.has(AGAIN)) return undefined;
  space.lookAgain();
  return to(addressOf(asked, undefined));
}

function addressOf({ exchange, query }: Asked, again: string | undefined): string {
  const params = new URLSearchParams(query);
  params.delete(AGAIN);
  if (again !== undefined) params.set(AGAIN, again);
  const text = params.toString();
  return text === "" ? exchange.path : `${exchange.path}?${text}`;
}

export function LastLookLine({ look }: { look: LastLook | undefined }): VNode | null {
  if (look === undefined) return null;
  return (
    <p class="console-bar muted">
      <span>
        Files as of <ExactTime at={look.at} />
      </span>
      <a class="btn small" href={look.again}>
        Look again
      </a>
    </p>
  );
}
