// The one space that holds context and memory: a folder that other programs use too, or a space of a server. It may be missing, come later, or go
// away for a while; the service works in each of these cases and says which one it is.

import {
  holdsLocalSpace,
  LentSpace,
  openFolderSpace,
  openServerSpace,
  ownSpaceDirectory,
  type FolderSpace,
  type FrozenFolder,
  type SpaceDoor,
} from "../../context/library.ts";
import { accessTokenIn, TOKEN_EXPECTED } from "../../kit/secrets/access-token.ts";
import type { Clock } from "../../kit/clock.ts";
import { LATE, within } from "../../kit/concurrency/deadline.ts";
import { accessProblem } from "../../kit/disk/disk.ts";
import { readRegularFile } from "../../kit/disk/regular-file.ts";
import { givenPath, type Environment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import type { Log } from "../../kit/log.ts";
import type { Config } from "../config/schema.ts";
import type { ContextStatus, UnavailableReason } from "./schema.ts";

/** For users who are not admins: the reason names files and addresses. */
const AWAY = "the context space does not answer; ask an admin";
const NO_SPACE = "no context space initialized — run: cairn init solo";
/** A server that takes longer counts as unreachable: a turn must not wait for memory. */
const ANSWER_MS_MAX = 5_000;
/** After a failure, turns do without memory for this long instead of waiting again. */
const RETRY_AFTER_MS = 10_000;
/** The author of what people write here; agents sign for themselves. */
const PERSON = "service";

interface ServerPlace {
  readonly kind: "server";
  readonly url: string;
  readonly space: string;
  readonly tokenFile: string;
}
type Place = { readonly kind: "folder"; readonly directory: string } | ServerPlace;

interface MemorySpaceDeps {
  readonly config: Pick<Config, "memory">;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly log: Log;
}

/** The space in a folder at one moment. Disposing of it twice is without effect. */
export interface FrozenMemory extends FrozenFolder, Disposable {
  readonly directory: string;
}

export class MemorySpace {
  readonly #place: Place;
  readonly #folder: LentSpace<FolderSpace>;
  readonly #deps: MemorySpaceDeps;
  /** Why the last use failed; undefined: it worked. A server is unknown until it was asked. */
  #failure: AppError | undefined;
  #isKnown = false;
  /** On the monotonic clock. */
  #retryAt = 0;

  constructor(deps: MemorySpaceDeps) {
    this.#deps = deps;
    this.#place = placeOf(deps.config, deps.environment);
    this.#folder = new LentSpace(() => this.#openFolder());
  }

  /** Reports whether agents get memory now. A folder is looked at; of a server the last answer counts. */
  get isAvailable(): boolean {
    if (this.#place.kind === "folder") return holdsLocalSpace(this.#place.directory);
    return this.#isKnown && this.#failure === undefined;
  }

  /** Why not to ask now: there is no space, or the server failed a moment ago. */
  get obstacle(): AppError | undefined {
    if (this.#place.kind === "folder")
      return this.isAvailable ? undefined : unavailable("no_space", NO_SPACE);
    return this.#failure && this.#deps.clock.elapsed() < this.#retryAt ? this.#failure : undefined;
  }

  /** Asks the space. Never raises. `withPlace`: for an admin. */
  async status(withPlace: boolean): Promise<ContextStatus> {
    const place = this.#place;
    const shown = withPlace ? { place: place.kind === "folder" ? place.directory : place.url } : {};
    try {
      const { name } = await this.use((space) => space.record());
      return { available: true, kind: place.kind, space: name, ...shown };
    } catch (error) {
      const message = error instanceof AppError ? error.message : "internal error";
      if (!(error instanceof AppError))
        this.#deps.log.error("cannot read the context space", { error: String(error) });
      const { kind } = this;
      const isNone = kind === "none";
      return {
        available: false,
        error: withPlace || isNone ? message : AWAY,
        ...reasonOf(error),
        kind,
        ...(place.kind === "server" ? { space: place.space } : {}),
        ...(isNone ? {} : shown),
      };
    }
  }

  /** Raises `unavailable` with what to do if there is no space or it does not answer, and what `work` raises. */
  async use<T>(work: (space: SpaceDoor) => Promise<T>): Promise<T> {
    try {
      const done = await this.#within(work);
      this.#isKnown = true;
      this.#failure = undefined;
      return done;
    } catch (error) {
      if (error instanceof AppError && error.code === "unavailable") {
        this.#isKnown = true;
        this.#failure = error;
        this.#retryAt = this.#deps.clock.elapsed() + RETRY_AFTER_MS;
      }
      throw error;
    }
  }

  /** The kind of place that holds memory; none: there is no space. */
  get kind(): "folder" | "server" | "none" {
    const place = this.#place;
    return place.kind === "folder" && !holdsLocalSpace(place.directory) ? "none" : place.kind;
  }

  /** The folder of the space; undefined: there is no space, or it is on a server. */
  get folder(): string | undefined {
    return this.#place.kind === "folder" && this.isAvailable ? this.#place.directory : undefined;
  }

  /** Keeps the folder's space open, and its database unchanged, until disposed of. Raises `unavailable`, `conflict`. */
  async freeze(): Promise<FrozenMemory> {
    const directory = this.folder;
    if (directory === undefined) throw unavailable("no_space", NO_SPACE);
    using failed = new DisposableStack();
    const { space } = failed.use(await this.#folder.lend());
    const frozen = await space.freeze();
    failed.defer(() => frozen.database.thaw());
    const held = failed.move();
    return { ...frozen, directory, [Symbol.dispose]: () => held.dispose() };
  }

  close(): Promise<void> {
    return this.#folder.close();
  }

  #within<T>(work: (space: SpaceDoor) => Promise<T>): Promise<T> {
    const place = this.#place;
    if (place.kind === "folder") {
      if (!holdsLocalSpace(place.directory)) throw unavailable("no_space", NO_SPACE);
      return this.#folder.use(work);
    }
    return this.#onServer(place, work);
  }

  async #onServer<T>(place: ServerPlace, work: (space: SpaceDoor) => Promise<T>): Promise<T> {
    const { url, tokenFile } = place;
    const space = await openServerSpace({ url, token: tokenIn(tokenFile), space: place.space });
    const asked = work(space).catch((error: unknown) => raiseInWords(error, place, space));
    const done = await within(ANSWER_MS_MAX, asked);
    if (done !== LATE) return done;
    // It may still fail, and nobody waits for that.
    asked.catch(() => undefined);
    throw unavailable(
      "unreachable",
      `the context server ${url} does not answer within ${ANSWER_MS_MAX / 1_000} s`,
    );
  }

  async #openFolder(): Promise<FolderSpace> {
    const { clock, log } = this.#deps;
    const { directory } = this.#place as Extract<Place, { kind: "folder" }>;
    try {
      return await openFolderSpace(directory, { clock, log, person: PERSON });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw unavailable("cannot_open", `cannot open the context space in ${directory}: ${error.message}`);
    }
  }
}

function placeOf({ memory }: Pick<Config, "memory">, environment: Environment): Place {
  if (memory?.server !== undefined) {
    const { url, space, token_file: tokenFile } = memory.server;
    return {
      kind: "server",
      url: url.replace(/\/+$/, ""),
      space,
      tokenFile: givenPath(tokenFile, environment),
    };
  }
  return {
    kind: "folder",
    directory: givenPath(memory?.space ?? ownSpaceDirectory(environment), environment),
  };
}

/** Read for each use, so that a new token counts at once. */
function tokenIn(path: string): string {
  const token = accessTokenIn(textIn(path));
  if (token === undefined)
    throw unavailable("no_token", `memory.server.token_file ${path}: ${TOKEN_EXPECTED}`);
  return token;
}

function textIn(path: string): string {
  try {
    return readRegularFile(path).toString("utf8");
  } catch (error) {
    throw unavailable("no_token", `memory.server.token_file ${path}: ${accessProblem(error)}`);
  }
}

/** Names the setting behind an error that concerns the space and not a document. */
async function raiseInWords(
  error: unknown,
  { url, space, tokenFile }: ServerPlace,
  door: SpaceDoor,
): Promise<never> {
  if (!(error instanceof AppError)) throw error;
  if (error.code === "unauthenticated")
    throw unavailable(
      "token_refused",
      `the context server ${url} refused the token in ${tokenFile}; write a valid one into it (cairn auth token create)`,
    );
  if (error.code === "not_found" && (await isMissing(door)))
    throw unavailable("space_missing", `${url} has no space ${space}, or the token may not see it`);
  if (error.code === "unavailable") throw unavailable("unreachable", error.message);
  throw error;
}

/** A document that is not there and a space that is not there get the same answer. */
async function isMissing(door: SpaceDoor): Promise<boolean> {
  try {
    await door.record();
    return false;
  } catch (error) {
    return error instanceof AppError && error.code === "not_found";
  }
}

function unavailable(reason: UnavailableReason, message: string): AppError {
  return new AppError("unavailable", message, { reason });
}

/** The server may still do what it was asked. */
export function isUnreachable(error: AppError): boolean {
  return reasonOf(error).reason === "unreachable";
}

function reasonOf(error: unknown): { reason?: UnavailableReason } {
  const reason = error instanceof AppError ? error.details?.["reason"] : undefined;
  return reason === undefined ? {} : { reason: reason as UnavailableReason };
}
