// The facts that every page of the console has about the request that it answers. Built once per request; the rights in `caller` are always current.

import type { Caller } from "../identity/caller.ts";
import type { Notice } from "./notices.ts";

/** An entry of the navigation. */
export interface Place {
  readonly label: string;
  readonly path: string;
  /** Entries with the same heading stand together. */
  readonly group: "Work" | "Administration";
  /** The people whom it is shown to. Undefined: everyone. */
  readonly isShown?: (caller: Caller) => boolean;
}

/** A page of one space. */
export interface SpaceTab {
  readonly label: string;
  /** Below the address of the space: `/snapshots`; empty: the space itself. */
  readonly path: string;
  readonly isShown?: (caller: Caller, space: string) => boolean;
}

export interface Visit {
  readonly caller: Caller;
  /** Goes into every form. */
  readonly csrf: string;
  /** Of the content security policy of this answer. */
  readonly nonce: string;
  /** With the query. */
  readonly path: string;
  readonly notice: Notice | undefined;
  readonly places: readonly Place[];
  readonly spaceTabs: readonly SpaceTab[];
  /** False where nobody signs in: a space on this machine. */
  readonly isSignedIn: boolean;
}

/** A person who is not signed in. */
export type Stranger = Pick<Visit, "csrf" | "nonce" | "path">;
