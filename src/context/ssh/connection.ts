// One SSH connection: it signs in, then gets a terminal for one full-screen session. Commands, subsystems, forwarding and agents are refused and
// recorded.

import type { Channel, Connection, PtyInfo, Session } from "ssh2";
import { AppError } from "../../kit/error.ts";
import type { Caller } from "../identity/caller.ts";
import { Shell } from "./shell.ts";
import type { SignIn } from "./sign-in.ts";
import type { Desk } from "../tui/desk.ts";

/** Recorded refusals of one connection; a client that goes on is cut off. */
const REFUSALS_MAX = 20;
/** From the end of a session to the end of its connection. */
const GONE_MS = 1_000;
const DETAIL_CHARACTERS_MAX = 200;
const NO_TERMINAL = "this needs a terminal; connect with ssh -t\r\n";

type Reply = (() => void) | undefined;
type AcceptSession = (() => Session) | undefined;
type AcceptShell = (() => Channel) | undefined;

interface Surroundings {
  readonly idleMs: number;
  readonly signIn: SignIn;
  readonly desk: (caller: Caller) => Desk;
  /** Raises `unavailable` if the user has too many sessions, or all have. */
  readonly admit: (caller: Caller) => void;
  readonly signedIn: (caller: Caller) => void;
  readonly refused: (caller: Caller, what: string, error: AppError) => void;
  readonly failed: (error: unknown) => void;
}

export class SshConnection {
  readonly #connection: Connection;
  readonly #around: Surroundings;
  /** Undefined: not signed in. */
  caller: Caller | undefined;
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
        const goesOn = around.signIn.attempt(context, (caller) => (this.caller = caller));
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
    if (!this.#shell) return this.#connection.end();
    this.#shell.end(reason);
    this.#endSoon();
  }

  /** Called when the connection is closed. */
  over(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#ending);
  }

  /** Ends the connection of a user who may no longer sign in. */
  review(): void {
    try {
      void this.caller?.rights;
    } catch (error) {
      this.end(error instanceof AppError ? error.message : "the session has ended");
    }
  }

  #ready(): void {
    // The library answers `ready` only after a signature was accepted; nothing is offered to anyone else.
    if (!this.caller) return this.#connection.end();
    this.#around.signedIn(this.caller);
    this.#wake();
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
    const problem = this.#pty ? problemOf(() => admit(caller)) : NO_TERMINAL;
    if (problem !== undefined) {
      channel.stderr.write(problem);
      channel.exit(1);
      channel.end();
      return;
    }
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
    this.#ending ??= setTimeout(() => this.#connection.end(), GONE_MS);
  }

  #wake(): void {
    clearTimeout(this.#idle);
    const { idleMs } = this.#around;
    this.#idle = setTimeout(() => this.end("disconnected: no key was pressed for a while"), idleMs);
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

function problemOf(admit: () => void): string | undefined {
  try {
    admit();
    return undefined;
  } catch (error) {
    return `${error instanceof AppError ? error.message : "unexpected failure"}\r\n`;
  }
}
