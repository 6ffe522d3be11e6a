// Rules of the terminal: access, availability, and the record of each session. It is for people only: agents have no tool for it.

import type { Background } from "../../kit/concurrency/background.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, stopping } from "../../kit/error.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import { randomSecret } from "../../kit/random.ts";
import type { Audit } from "../audit/audit.ts";
import type { Files } from "../files/files.ts";
import type { Authentication } from "../people/authentication.ts";
import { rememberedCaller, requireAdmin, type Caller } from "../identity/caller.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Access } from "../workspaces/access.ts";
import { SESSIONS_MAX, type TerminalStatus } from "./schema.ts";
import { Session } from "./session.ts";
import type { FilesProblem, ReadableFiles, Shells } from "./shells.ts";

const CHECK_MS = 250;
const TICKET_BITS = 256;

const TERMINAL_OFF =
  "the terminal is off: set terminal: true in the configuration (or SERVICE_TERMINAL=1), with a container sandbox, and restart the service";
const TERMINAL_NOT_ISOLATED =
  "the terminal needs a container sandbox, and there is none: start a container daemon, set sandbox: docker, and restart the service";

export const TERMINAL_FILES_OF_ROOT =
  "the workspace's files belong to root, and a terminal never runs as root: run the service as another user, who owns the data directory, or open the terminal without files";

const FILES_PROBLEMS: Readonly<Record<FilesProblem, string>> = {
  files_of_root: TERMINAL_FILES_OF_ROOT,
  users_mapped:
    "the container daemon maps the users of containers to others, so only root could read the workspace's files, and a terminal never runs as root: " +
    "use a daemon that runs as root and without userns-remap, or open the terminal without files",
};

interface TerminalsDeps {
  db: Db;
  access: Access;
  authentication: Authentication;
  audit: Audit;
  files: Files;
  sandbox: Pick<Sandbox, "isolated" | "requireRuntime">;
  shells: Shells;
  background: Background;
  clock: Clock;
  /** Whether the operator has enabled terminals. */
  on: boolean;
}

interface Wanted {
  readonly workspaceId: number | null;
  readonly ticket?: string | undefined;
}

interface Open {
  readonly session: Session;
  readonly caller: Caller;
  readonly workspaceId: number | null;
  readonly files: ReadableFiles | null;
}

export class Terminals {
  readonly #deps: TerminalsDeps;
  readonly #open = new Set<Open>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #stopping = false;
  /**
   * A handshake through a proxy for WebSockets looks like a handshake from this machine. This is what only a caller can know whose plain requests
   * come from here, too.
   */
  readonly #ticket = randomSecret(TICKET_BITS);

  constructor(deps: TerminalsDeps) {
    this.#deps = deps;
  }

  status({ auth }: Pick<Caller, "auth">): TerminalStatus {
    const reason = this.#problem() ?? null;
    const ticket = auth === "loopback" ? this.#ticket : null;
    return { ticket, on: reason === null, reason, sessions: this.#open.size, sessions_max: SESSIONS_MAX };
  }

  /** Removes, in the background after start, containers left behind by a crash. */
  async prepare(): Promise<void> {
    if (this.#problem() === undefined) await this.#deps.shells.sweep();
  }

  /**
   * Admin; with the loopback privilege also the ticket of the status. A null `workspaceId` opens a shell without files. Raises `forbidden`,
   * `not_found`, `refused`, `invalid` (no WebSocket).
   */
  async connect(caller: Caller, { workspaceId, ticket }: Wanted, exchange: Exchange): Promise<void> {
    requireAdmin(caller);
    const problem = this.#problem();
    if (workspaceId !== null) this.#deps.access.changeable(caller, workspaceId);
    if (problem !== undefined) throw new AppError("refused", problem);
    const files = workspaceId === null ? null : await this.#readable(workspaceId);
    await this.#deps.sandbox.requireRuntime("bash");
    // Check again after the waits above; nothing below waits. Remember the caller, because the request is gone when the end is recorded.
    requireAdmin(caller);
    if (workspaceId !== null) this.#deps.access.changeable(caller, workspaceId);
    const remembered = rememberedCaller(caller)!;
    if (this.#stopping) throw stopping("service");
    if (this.#open.size >= SESSIONS_MAX)
      throw new AppError("refused", `${SESSIONS_MAX} terminals are already open; end one first`);
    if (caller.auth === "loopback" && ticket !== this.#ticket)
      throw new AppError("forbidden", "a terminal without a token needs the ticket of GET /terminal/status");
    const { shells, clock, background } = this.#deps;
    const session = new Session(shells.newName(), shells, clock);
    exchange.upgrade(session);
    const open: Open = { session, caller: remembered, workspaceId, files };
    this.#open.add(open);
    this.#watch();
    background.run("terminal", () => this.#run(open));
  }

  /** Ends every session whose person has lost access, or whose workspace was archived. Call it whenever either may have changed. */
  recheck(): void {
    for (const open of this.#open) if (!this.#allowed(open)) open.session.end("rights");
  }

  stop(): void {
    this.#stopping = true;
    for (const { session } of this.#open) session.end("stop");
  }

  async #readable(workspaceId: number): Promise<ReadableFiles> {
    const files = await this.#deps.shells.readable(await this.#deps.files.directoryOf(workspaceId));
    if ("problem" in files)
      throw new AppError("refused", FILES_PROBLEMS[files.problem], { reason: files.problem });
    return files;
  }

  #problem(): string | undefined {
    if (!this.#deps.on) return TERMINAL_OFF;
    return this.#deps.sandbox.isolated ? undefined : TERMINAL_NOT_ISOLATED;
  }

  #allowed({ caller, workspaceId }: Open): boolean {
    const now = this.#deps.authentication.renewed(caller);
    if (now?.role !== "admin") return false;
    if (workspaceId === null) return true;
    const { access } = this.#deps;
    return access.sees(now, workspaceId) && !access.isArchived(workspaceId);
  }

  /** Records the session before starting the shell. The container is always removed, in the background. */
  async #run(open: Open): Promise<void> {
    const { background, shells } = this.#deps;
    const { session, files } = open;
    try {
      await this.#record(open, "terminal.start", {});
      await shells.sweep();
      await session.run(files);
    } finally {
      session.end("failed");
      this.#open.delete(open);
      background.run("remove a terminal's container", () => shells.remove(session.name));
      await this.#record(open, "terminal.end", { seconds: session.seconds, reason: session.reason });
    }
  }

  #record(
    { caller, workspaceId, session }: Open,
    action: string,
    detail: Record<string, string | number>,
  ): Promise<void> {
    const { db, audit } = this.#deps;
    const target = workspaceId === null ? "terminal" : `workspace:${workspaceId}`;
    return db.write(() =>
      audit.record(caller, { action, target, detail: { session: session.name, ...detail } }),
    );
  }

  #watch(): void {
    this.#timer ??= setInterval(() => {
      for (const { session } of this.#open) session.checkLimits();
      if (this.#open.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    }, CHECK_MS);
    this.#timer.unref?.();
  }
}
