// A change of files as a caller asks for it: its contents are read and its preconditions found only once the caller is known to have a right to it.

import type { Deed } from "../audit/audit.ts";
import type { OpenSpace } from "../spaces/open-space.ts";
import type { Expected, Operation } from "../versioned-store/engine.ts";
import type { Draft } from "./file-rights.ts";
import type { Signature } from "./signature.ts";

export type ChangeDeed = Deed & { readonly space: string };

export interface NewContent {
  readonly content: () => Promise<Uint8Array>;
  readonly expected: () => Expected;
  readonly signature?: Signature | undefined;
}

type Soon<T> = T | Promise<T>;

export interface Change {
  readonly drafts: () => Soon<readonly Draft[]>;
  readonly completed: (space: OpenSpace, drafts: readonly Draft[]) => Soon<readonly Operation[]>;
  readonly signature?: Signature | undefined;
}
