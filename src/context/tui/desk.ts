// The data that the terminal UI reads, and the changes that its session may make. Three kinds: a folder of this machine, a server over HTTP, and a
// server's own rules for a person who is connected by SSH.
//
// The transport decides what a session may do, and is part of its type: over SSH there is no door that writes, so no page can reach one, whatever the
// environment of either side says.

import type { HealthState } from "../../kit/health.ts";
import type { AclRule } from "../access/schema.ts";
import type { AuditQuery, AuditRecord, AuditVerification } from "../audit/schema.ts";
import type { OpenConflict } from "../replica/conflicts.ts";
import type { Token, User, WhoAmI } from "../people/schema.ts";
import type { SpaceDoor } from "../space/door.ts";
import type { SpaceList } from "../spaces/open-space.ts";
import type { FileRecord } from "../versioned-store/schema.ts";

/** The doors of a space that change nothing. */
export type ReadDoor = Pick<
  SpaceDoor,
  "name" | "list" | "read" | "search" | "history" | "diff" | "freshness"
>;

/** A server as its users and admins see it. Each raises `forbidden` for everyone else. */
export interface ServerDesk {
  whoAmI(): Promise<WhoAmI>;
  health(): Promise<HealthState>;
  users(): Promise<readonly User[]>;
  /** Raises `not_found`. */
  user(name: string): Promise<UserDetails>;
  audit(query: AuditQuery): Promise<readonly AuditRecord[]>;
  verify(): Promise<AuditVerification>;
}

export interface UserDetails {
  readonly user: User;
  readonly tokens: readonly Token[];
  readonly rules: readonly AclRule[];
  /** The last use of a credential, as far as this connection is told. */
  readonly lastSeen: string | null;
}

interface DeletedFiles {
  readonly files: readonly FileRecord[];
  readonly isMore: boolean;
}

export interface Desk {
  /** A folder, or the address of a server. */
  readonly place: string;
  spaces(): Promise<SpaceList>;
  look<T>(space: string, work: (door: ReadDoor) => Promise<T>): Promise<T>;
  /** At most `limit`. */
  deleted(space: string, limit: number): Promise<DeletedFiles>;
  /** Sorted by path. */
  conflicts(space: string): Promise<readonly OpenConflict[]>;
  /** The difference between a file and its conflict file, in unified format; null: not texts, or too different. */
  compare(space: string, conflict: OpenConflict): Promise<string | null>;
  /** Undefined: a local space. */
  readonly server?: ServerDesk;
  readonly hands: Hands;
}

/** A change as the audit record names it. */
export interface Attempt {
  readonly action: string;
  readonly space?: string;
  readonly target?: string;
}

/** The changes that a session may make. */
type Hands = WritingHands | TiedHands;

export interface WritingHands {
  readonly transport: "terminal";
  use<T>(space: string, work: (door: SpaceDoor) => Promise<T>): Promise<T>;
  /** Opens a text in the person's editor, on this terminal. Undefined: left as it was. Raises `invalid` without an editor. */
  edit(name: string, text: Uint8Array): Promise<Edited | undefined>;
  /** Undefined: no server, so no users. */
  setDisabled?(user: string, disabled: boolean): Promise<unknown>;
}

export interface Edited {
  readonly content: Uint8Array;
  /** The file with the text, until `discard`. */
  readonly file: string;
  discard(): Promise<void>;
}

/** Over SSH. */
interface TiedHands {
  readonly transport: "ssh";
  /** Records the attempt. */
  refused(attempt: Attempt): void;
}
