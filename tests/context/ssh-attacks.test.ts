// Goal: a client that does not behave gets nothing over SSH: not with a stolen public key, not before it signs in, not with absurd sizes or many
// channels.

import { expect, test } from "bun:test";
import ssh2 from "ssh2";
import { readFileSync } from "node:fs";
import type { EventEmitter } from "node:events";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Emulator } from "../kit/terminal/emulator.ts";
import { eventually } from "../kit/eventually.ts";
import { sshOffice, type KeyFile, type SshOffice } from "../kit/context/ssh.ts";
import { within } from "../kit/within.ts";

type Answer = (error: Error | undefined, channel: Duplex) => void;

interface RawClient extends EventEmitter {
  connect(options: Record<string, unknown>): void;
  end(): void;
  shell(pty: object | false, answer: Answer): void;
  shell(pty: object | false, options: object, answer: Answer): void;
  exec(command: string, options: object, answer: Answer): void;
  sftp(answer: Answer): void;
  subsys(name: string, answer: Answer): void;
  forwardOut(from: string, fromPort: number, to: string, port: number, answer: Answer): void;
  forwardIn(address: string, port: number, answer: Answer): void;
  openssh_forwardOutStreamLocal(path: string, answer: Answer): void;
}

const { Client, BaseAgent } = ssh2 as unknown as {
  Client: new () => RawClient;
  BaseAgent: new () => object;
};

/** Has the public key of one person and the private key of another. */
class LyingAgent extends BaseAgent {
  constructor(
    readonly shown: KeyFile,
    readonly held: KeyFile,
  ) {
    super();
  }
  getIdentities(answer: (error: undefined, keys: unknown[]) => void): void {
    answer(undefined, [ssh2.utils.parseKey(this.shown.public)]);
  }
  sign(_: unknown, data: Buffer, __: unknown, answer: (error: undefined, signature: Buffer) => void): void {
    const key = ssh2.utils.parseKey(readFileSync(this.held.path)) as unknown as {
      sign(data: Buffer): Buffer;
    };
    answer(undefined, key.sign(data));
  }
}

interface Raw extends Disposable {
  readonly client: RawClient;
  /** "ready", or why not. */
  readonly outcome: Promise<string>;
}

function connect({ port }: SshOffice, options: Record<string, unknown>): Raw {
  const client = new Client();
  const outcome = Promise.withResolvers<string>();
  client.on("ready", () => outcome.resolve("ready"));
  client.on("error", (error: Error) => outcome.resolve(error.message));
  client.on("close", () => outcome.resolve("closed"));
  client.connect({ host: "127.0.0.1", port, strictVendor: false, ...options });
  return {
    client,
    get outcome() {
      return within("the client is signed in or refused", outcome.promise);
    },
    [Symbol.dispose]: () => client.end(),
  };
}

/** The text of the refusal; "taken" if there was none. */
function refusalOf(act: (answer: Answer) => void): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  act((error) => resolve(error ? error.message : "taken"));
  return within("the server answers the request", promise);
}

const signedIn = (at: SshOffice) =>
  connect(at, { username: "ben", privateKey: readFileSync(at.keys["ben"]!.path) });

async function office(): Promise<SshOffice> {
  const at = await sshOffice(["ben", "mia"]);
  await at.server.user("ben", "viewer");
  await at.server.user("mia", "viewer");
  return at;
}

test("a public key without its private key signs nobody in", async () => {
  await using at = await office();
  using thief = connect(at, { username: "ben", agent: new LyingAgent(at.keys["ben"]!, at.strange) });
  expect(await thief.outcome).toBe("All configured authentication methods failed");
  using other = connect(at, { username: "mia", privateKey: readFileSync(at.keys["ben"]!.path) });
  expect(await other.outcome).toBe("All configured authentication methods failed");
  using guess = connect(at, { username: "ben", password: "secret", tryKeyboard: true });
  expect(await guess.outcome).toBe("All configured authentication methods failed");
  await eventually(async () => {
    const tries = await at.server.audit("action=auth.login");
    return tries
      .map(({ actor, result, error }) => [
        actor.name,
        result,
        /wrong signature|of another user|password/.exec(error!)?.[0],
      ])
      .toReversed();
  }, [
    ["ben", "denied", "wrong signature"],
    ["mia", "denied", "of another user"],
    ["ben", "denied", "password"],
  ]);
});

test("a signed-in person gets no command, file transfer, forwarding or second session", async () => {
  await using at = await office();
  using ben = signedIn(at);
  expect(await ben.outcome).toBe("ready");
  const { client } = ben;
  const first = await new Promise<Duplex>((resolve, reject) =>
    client.shell({ cols: 2_000_000_000, rows: 2_000_000_000, term: "xterm" }, (error, channel) =>
      error ? reject(error) : resolve(channel),
    ),
  );
  const terminal = new Emulator(320, 100);
  first.on("data", (chunk: Buffer) => void terminal.write(chunk));
  await terminal.shows("ben (viewer) · read only");
  const refusals = [
    await refusalOf((answer) => client.shell({}, answer)),
    await refusalOf((answer) => client.exec("id", {}, answer)),
    await refusalOf((answer) => client.sftp(answer)),
    await refusalOf((answer) => client.subsys("netconf", answer)),
    await refusalOf((answer) => client.forwardOut("127.0.0.1", 1, "127.0.0.1", 22, answer)),
    await refusalOf((answer) => client.forwardIn("127.0.0.1", 0, answer)),
    await refusalOf((answer) => client.openssh_forwardOutStreamLocal("/run/docker.sock", answer)),
  ];
  expect(refusals.filter((text) => text === "taken")).toEqual([]);
  await terminal.shows("ben (viewer) · read only");
  const records = await at.server.audit("action=ssh.request");
  expect(records.map(({ result }) => result)).toEqual(records.map(() => "denied"));
  const targets = records.map(({ target }) => target);
  for (const what of [
    "a second session",
    "direct-tcpip 127.0.0.1:22",
    "tcpip-forward",
    "direct-streamlocal /run/docker.sock",
  ])
    expect(targets).toContain(what);
});

test("X11 and the agent of the client are refused, and a shell without a terminal is on record", async () => {
  await using at = await office();
  for (const [options, what] of [
    [{ x11: true }, "x11"],
    [{ agentForward: true }, "auth-agent"],
    [{}, "shell"],
  ] as const) {
    const agent = new LyingAgent(at.keys["ben"]!, at.keys["ben"]!);
    using ben = connect(at, { username: "ben", privateKey: readFileSync(at.keys["ben"]!.path), agent });
    expect(await ben.outcome).toBe("ready");
    ben.client.shell(false, options, () => {});
    await eventually(
      async () => (await at.server.audit("action=ssh.request")).map(({ target }) => target).includes(what),
      true,
    );
  }
});

test("a connection without a terminal ends, and one that the client keeps open is closed", async () => {
  await using at = await sshOffice(["ben"], { sshLimits: { openMs: 1_000 } });
  await at.server.user("ben", "viewer");
  const ended = () => at.server.audit("action=auth.logout");
  using idle = signedIn(at);
  expect(await idle.outcome).toBe("ready");
  await eventually(async () => (await ended()).length, 1);
  const sock = new Socket({ allowHalfOpen: true });
  sock.connect(at.port, "127.0.0.1");
  const privateKey = readFileSync(at.keys["ben"]!.path);
  using deaf = connect(at, { username: "ben", privateKey, sock });
  expect(await deaf.outcome).toBe("ready");
  // Never answers the end of the connection.
  sock.end = () => sock;
  sock.destroy = () => sock;
  await at.server.admin.post("/users/ben/disable");
  await eventually(async () => (await ended()).length, 2);
});

test("connections above the limit are closed at once, on record in the log, and stop no server", async () => {
  await using at = await sshOffice(["ben"], { sshLimits: { strangersMax: 2 } });
  await at.server.user("ben", "viewer");
  const silent = () => {
    const socket = new Socket();
    const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
    socket.on("error", () => {});
    socket.connect(at.port, "127.0.0.1");
    return { closed, answered: new Promise((resolve) => socket.once("data", resolve)) };
  };
  const [one, other] = [silent(), silent()];
  await within("the server answers both", Promise.all([one.answered, other.answered]));
  await within("the connection above the limit closes", silent().closed);
  expect(at.server.log.map(({ message }) => message)).toContain(
    "terminal interface over SSH: too many connections have not signed in; closed one",
  );
  await at.server.restart();
  await within("both connections close", Promise.all([one.closed, other.closed]));
  using ben = signedIn(at);
  expect(await ben.outcome).toBe("ready");
});

test("a terminal that cannot show a full screen gets a sentence", async () => {
  await using at = await office();
  using ben = signedIn(at);
  expect(await ben.outcome).toBe("ready");
  const { promise, resolve } = Promise.withResolvers<string>();
  ben.client.shell({ cols: 80, rows: 24, term: "dumb" }, (_, channel) =>
    (channel as Duplex & { stderr: Duplex }).stderr.on("data", (chunk: Buffer) => resolve(String(chunk))),
  );
  expect(await within("the sentence", promise)).toBe(
    "the terminal (TERM=dumb) cannot show a full screen\r\n",
  );
});

test("a terminal of unknown size gets a usual one, and keeps the size that it has", async () => {
  await using at = await office();
  using ben = signedIn(at);
  expect(await ben.outcome).toBe("ready");
  const channel = await new Promise<Duplex>((resolve, reject) =>
    ben.client.shell({ cols: 0, rows: 0, term: "xterm" }, (error, found) =>
      error ? reject(error) : resolve(found),
    ),
  );
  const terminal = new Emulator(80, 24);
  channel.on("data", (chunk: Buffer) => void terminal.write(chunk));
  await terminal.shows("ben (viewer)");
  const resize = (rows: number, columns: number) =>
    (
      channel as Duplex & { setWindow(rows: number, columns: number, high: number, wide: number): void }
    ).setWindow(rows, columns, 0, 0);
  resize(5, 20);
  await terminal.shows("it has 20×5.");
  resize(0, 0);
  resize(0, 30);
  await terminal.shows("it has 30×5.");
});

test("a client that goes on asking is cut off, and the record stays short", async () => {
  await using at = await office();
  using ben = signedIn(at);
  expect(await ben.outcome).toBe("ready");
  const closed = new Promise((resolve) => ben.client.on("close", resolve));
  for (let count = 0; count < 100; count++) ben.client.forwardIn("127.0.0.1", 0, () => {});
  await within("the client is cut off", closed);
  const records = await at.server.audit("action=ssh.request&limit=200");
  expect(records.length).toBeLessThanOrEqual(20);
});

test("nothing is opened before the sign-in, and garbage does not disturb the others", async () => {
  await using at = await office();
  using ben = signedIn(at);
  expect(await ben.outcome).toBe("ready");
  for (const bytes of [
    "GET / HTTP/1.1\r\n\r\n",
    "SSH-2.0-x\r\n",
    `SSH-2.0-x\r\n${"\0".repeat(40_000)}`,
    "\xff".repeat(70_000),
  ]) {
    const closed = Promise.withResolvers<void>();
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: at.port,
      socket: {
        data() {},
        close: () => closed.resolve(),
        error: () => closed.resolve(),
        end: () => closed.resolve(),
      },
    });
    socket.write(bytes);
    socket.end();
    await within("the connection closes", closed.promise);
  }
  const channel = await new Promise<Duplex>((resolve, reject) =>
    ben.client.shell({ cols: 80, rows: 24, term: "vt100" }, (error, found) =>
      error ? reject(error) : resolve(found),
    ),
  );
  const terminal = new Emulator(80, 24);
  channel.on("data", (chunk: Buffer) => void terminal.write(chunk));
  await terminal.shows("ben (viewer)");
  // oxlint-disable-next-line no-control-regex -- the sequences are the subject
  expect(terminal.sent).not.toMatch(/\u001b\[(?:[0-9]+;)*3[0-9]m/);
});
