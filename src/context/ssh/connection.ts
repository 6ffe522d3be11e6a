// One SSH connection: it signs in, then gets a terminal for one full-screen session. Commands, subsystems, forwarding and agents are refused and
// recorded.

import type { Channel, Connection, PtyInfo, Session } from "ssh2";
import { AppError } from "../../kit/error.ts";
import type { Rights } from "../access/rights.ts";
import type { Caller } from "../identity/caller.ts";
import type { AllowList } from "./allow-list.ts";
import { Shell } from "./shell.ts";
import type { SignIn } from "./sign-in.ts";
import type { Desk } from "../tui/desk.ts";

/** Recorded refusals of one connection; a client that goes on is cut off. */
const REFUSALS_MAX = 20;
/** From the end of a session to the end of its connection, and to the end of a connection that the client keeps open. */
const GONE_MS = 1_000;
const DETAIL_CHARACTERS_MAX = 200;

type Reply = (() => void) | undefined;
type AcceptSession = (() => Session) | undefined;
type AcceptShell = (() => Channel) | undefined;

interface Surroundings {
  readonly idleMs: number;
  /** From the sign-in to the terminal. */
  readonly openMs: number;
  readonly signIn: SignIn;
  readonly desk: (caller: Caller) => Desk;
  /** Raises `unavailable` if the user has too many sessions, or all have. */
  readonly admit: (caller: Caller) => void;
  readonly signedIn: (caller: Caller) => void;
  readonly refused: (caller: Caller, what: string, error: AppError) => void;
  readonly failed: (error: unknown) => void;
  /** Closes the connection, whatever the client does. */
  readonly drop: () => void;
}

export class SshConnection {
  readonly #connection: Connection;
  readonly #around: Surroundings;
  /** Undefined: not signed in. */
  caller: Caller | undefined;
  /** That signed in. */
  #key: Buffer | undefined;
  #rights: Rights | undefined;
  #shell: Shell | undefined;
  #pty: PtyInfo | undefined;
  #hasSession = false;
  #refusals = 0;
  #idle: Timer | undefined;
  #ending: Timer | undefined;

  constructor(connection: Connection, around: Surroundings) {
    this.#connection = connection;
    this.#around = around;
    connection.on("authentication", (context) =>
      this.#guarded(() => {
        const goesOn = around.signIn.attempt(context, (caller, key) => {
          this.caller = caller;
          this.#key = key;
        });
        if (!goesOn) connection.end();
      }),
    );
    connection.on("ready", () => this.#guarded(() => this.#ready()));
    connection.on("error", () => {});
  }

  get hasShell(): boolean {
    return this.#shell !== undefined && !this.#shell.isOver;
  }

  end(reason: string): void {
    clearTimeout(this.#idle);
    this.#shell?.end(reason);
    if (!this.#shell) this.#connection.end();
    this.#endSoon();
  }

  /** Called when the connection is closed. */
  over(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#ending);
  }

  /** Ends the connection of a user who may no longer sign in. Other rights apply to what is on the screen, too. */
  review(): void {
    if (!this.caller) return;
    try {
      const { rights } = this.caller;
      const before = this.#rights;
      this.#rights = rights;
      if (before && !rights.isSame(before)) this.#shell?.renew();
    } catch (error) {
      this.end(error instanceof AppError ? error.message : "the session has ended");
    }
  }

  /** Ends the connection unless its key still signs in its user. */
  reviewKey(list: Pick<AllowList, "holds">): void {
    if (this.#key && this.caller && !list.holds(this.#key, this.caller.name))
      this.end("the key of this session was removed from the server");
  }

  #ready(): void {
    // The library answers `ready` only after a signature was accepted; nothing is offered to anyone else.
    if (!this.caller) return this.#connection.end();
    this.#rights = this.caller.rights;
    this.#around.signedIn(this.caller);
    this.#endAfter(this.#around.openMs, "disconnected: no terminal was opened");
    this.#connection.on("session", (accept: AcceptSession, reject: Reply) =>
      this.#guarded(() => this.#session(accept, reject)),
    );
    this.#connection.on("request", (_: Reply, reject: Reply, name: string) => this.#refuse(name, reject));
    this.#connection.on("tcpip", (_: Reply, reject: Reply, to: { destIP: string; destPort: number }) =>
      this.#refuse(`direct-tcpip ${to.destIP}:${to.destPort}`, reject),
    );
    this.#connection.on("openssh.streamlocal", (_: Reply, reject: Reply, to: { socketPath: string }) =>
      this.#refuse(`direct-streamlocal ${to.socketPath}`, reject),
    );
  }

  #session(accept: AcceptSession, reject: Reply): void {
    if (this.#hasSession) return this.#refuse("a second session", reject);
    const session = accept?.();
    if (!session) return;
    this.#hasSession = true;
    session.on("pty", (yes: Reply, no: Reply, pty: PtyInfo) => {
      if (this.#pty || this.#shell) return no?.();
      this.#pty = pty;
      yes?.();
    });
    session.on("window-change", (yes: Reply, _: Reply, size: PtyInfo) => {
      yes?.();
      if (!this.#shell && this.#pty)
        this.#pty = {
          ...this.#pty,
          cols: size.cols || this.#pty.cols,
          rows: size.rows || this.#pty.rows,
        };
      this.#shell?.resize(size);
    });
    session.on("shell", (yes: AcceptShell, no: Reply) => this.#guarded(() => this.#open(yes, no)));
    session.on("exec", (_: Reply, no: Reply, { command }: { command: string }) =>
      this.#refuse(`exec ${command}`, no),
    );
    session.on("subsystem", (_: Reply, no: Reply, { name }: { name: string }) =>
      this.#refuse(`subsystem ${name}`, no),
    );
    session.on("sftp", (_: Reply, no: Reply) => this.#refuse("subsystem sftp", no));
    session.on("x11", (_: Reply, no: Reply) => this.#refuse("x11", no));
    session.on("auth-agent", (_: Reply, no: Reply) => this.#refuse("auth-agent", no));
    session.on("env", (_: Reply, no: Reply) => no?.());
    session.on("close", () => this.#endSoon());
  }

  #open(accept: AcceptShell, reject: Reply): void {
    const { caller, desk, admit } = { caller: this.caller!, ...this.#around };
    if (this.#shell) return this.#refuse("a second shell", reject);
    const channel = accept?.();
    if (!channel) return;
    channel.on("close", () => this.#endSoon());
    const problem = problemOf(() => {
      requireScreen(this.#pty);
      admit(caller);
    });
    if (problem) {
      this.#around.refused(caller, "shell", problem);
      channel.stderr.write(`${problem.message}\r\n`);
      channel.exit(1);
      channel.end();
      return;
    }
    this.#wake();
    this.#shell = new Shell(channel, this.#pty!, desk(caller), () => this.#wake());
    this.#shell.run().catch((error: unknown) => this.#around.failed(error));
  }

  #refuse(what: string, reject: Reply): void {
    this.#guarded(() => {
      reject?.();
      this.#refusals += 1;
      const error = new AppError("forbidden", "only the terminal interface is offered over SSH");
      if (this.#refusals <= REFUSALS_MAX)
        this.#around.refused(this.caller!, what.slice(0, DETAIL_CHARACTERS_MAX), error);
      else this.#connection.end();
    });
  }

  /** A client that is told at once forgets what it has not shown yet. It usually goes by itself. */
  #endSoon(): void {
    this.#ending ??= setTimeout(() => {
      this.#connection.end();
      this.#ending = setTimeout(() => this.#around.drop(), GONE_MS);
    }, GONE_MS);
  }

  #wake(): void {
    this.#endAfter(this.#around.idleMs, "disconnected: no key was pressed for a while");
  }

  #endAfter(ms: number, reason: string): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.end(reason), ms);
  }

  /** A failure in an event of one connection must not reach the process. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#around.failed(error);
      this.#connection.end();
    }
  }
}

function problemOf(admit: () => void): AppError | undefined {
  try {
    admit();
    return undefined;
  } catch (error) {
    return error instanceof AppError ? error : new AppError("internal", "unexpected failure");
  }
}

function requireScreen(pty: PtyInfo | undefined): void {
  if (!pty) throw new AppError("forbidden", "this needs a terminal; connect with ssh -t");
  if (pty.term === "dumb")
    throw new AppError("forbidden", "the terminal (TERM=dumb) cannot show a full screen");
}
