// Goal: nothing that one person does in the terminal interface over SSH keeps the others waiting for more than 50 ms.
// Runs late: it judges how long a request waits, in processor time.

import { afterAll, expect, test } from "bun:test";
import { configure, contextClient, contextServer } from "../../kit/context/context-server.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { measuredServer } from "../../kit/service/measured-server.ts";
import { ENTER } from "../../kit/terminal/on-screen.ts";
import { newKey, openSsh, SSH, type Connected } from "../../kit/context/ssh.ts";
import { expectNobodyWaits } from "./nobody-waits.ts";

const FILES = 2_000;
const FILES_PER_PUSH = 1_000;
/** As many as there may be. */
const KEYS = 1_000;
const RSA_BYTES = 513;
/** More than a page shows. */
const BYTES = 1_100_000;
const LIMIT_MS = 60_000;
const SIZE = { columns: 500, rows: 200 };
const filled = (text: string, bytes: number) => text.repeat(Math.floor(bytes / Buffer.byteLength(text)));

const DOCUMENTS = {
  "marks.md": `a${filled("\u0301", BYTES)}`,
  "wide.md": filled("日本語 👩‍👩‍👧‍👦 ", BYTES),
  "short.md": filled("é\n", BYTES),
};

async function furnished() {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const key = await newKey(folder, "root.key");
  const ssh = { enabled: true, port: 0, keys: [{ user: "root", key: key.public }] };
  const directory = `${folder.path}/server`;
  const made = await contextServer({ directory, config: { tui: { ssh } } });
  for (let push = 0; push < FILES / FILES_PER_PUSH; push++) {
    const ops = Array.from({ length: FILES_PER_PUSH }, (_, index) => ({
      op: "put" as const,
      path: `many/${push}-${index} 日本語.md`,
      content_b64: "eA==",
    }));
    await made.admin.post("/spaces/team/push", { ops });
  }
  for (const [name, text] of Object.entries(DOCUMENTS)) {
    await made.admin.write(name, text);
  }
  await made.stop();
  const measured = stack.use(await measuredServer("context", directory));
  const admin = contextClient(measured.url, made.bootstrap);
  // Makes the index. The terminal interface waits for ten seconds, and then asks a person to press r.
  expect((await admin.get("/spaces/team/search?q=日本語")).results).not.toBeEmpty();
  const kept = stack.move();
  const person = () => openSsh({ folder, port: measured.sshPort!, user: "root", key, ...SIZE });
  return { measured, admin, person, directory, ssh, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** The public half of a key that nobody has. */
function rsaKey(): string {
  const part = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const modulus = crypto.getRandomValues(Buffer.alloc(RSA_BYTES));
  const parts = [Buffer.from("ssh-rsa"), Buffer.from([1, 0, 1]), modulus].map(part);
  return `ssh-rsa ${Buffer.concat(parts).toString("base64")}`;
}

const server = SSH === undefined ? undefined : await furnished();
afterAll(() => server?.[Symbol.asyncDispose]());

/** Each begins at the files of the space. */
const ACTS: Readonly<Record<string, (person: Connected) => Promise<unknown>>> = {
  "a folder of many files, filtered letter by letter": async ({ press }) => {
    await press(ENTER, "2000 rows");
    await press(`/${"日本語.md".repeat(20)}`, "0 of 2000 rows");
    await press("\u007f".repeat(200), "2000 rows");
  },
  "a text with thousands of marks on a letter": ({ press }) => reading(press, "marks.md"),
  "a text of wide characters in one line": ({ press }) => reading(press, "wide.md"),
  "a text of very many lines": ({ press }) => reading(press, "short.md"),
  "a flood of keys": async ({ press }) => {
    await press(`${"jk".repeat(700)}?`, "Everywhere");
    await press(`x${"12".repeat(700)}3`, "[3 Search]");
  },
  "what an admin looks through": async ({ press }) => {
    await press("D", "no deleted files");
    await press(`3日本語${ENTER}`, "team/wide.md");
    await press("4", "› root");
    await press(ENTER, "Tokens (1)");
    await press("5", "m shows older records");
    await press("m", "400 rows");
    await press("6", "no open conflicts");
  },
  "a long list of keys that changes": async () => {
    const keys = Array.from({ length: KEYS - 1 }, (_, index) => ({ user: `user-${index}`, key: rsaKey() }));
    configure(server!.directory, { tui: { ssh: { ...server!.ssh, keys: [...server!.ssh.keys, ...keys] } } });
    await using other = await server!.person();
    await other.terminal.shows("root (admin)");
  },
  "a window that changes its size all the time": async ({ resize, terminal }) => {
    for (let step = 0; step < 100; step++) resize(100 + step, 40 + step);
    await terminal.shows("marks.md");
  },
};

async function reading(press: Connected["press"], name: string): Promise<void> {
  await press("/", "filter");
  await press(`${name}${ENTER}`, "1 of");
  await press(ENTER, `team/${name}\n`);
  await press("", "line 1 of");
  await press("G", "end");
  await press("g", "line 1 of");
  await press("\u001b[6~".repeat(200), "line");
}

test.skipIf(server === undefined).each(Object.entries(ACTS))(
  "%s keeps nobody waiting",
  async (_, act) => {
    const { measured, person } = server!;
    await expectNobodyWaits(measured, async () => {
      await using one = await person();
      await one.terminal.shows(/Conflicts {2}/);
      await one.press("2", "› team");
      await one.press(ENTER, "› many/");
      await act(one);
    });
  },
  LIMIT_MS,
);

test.skipIf(server === undefined)("signing in keeps nobody waiting", async () => {
  await expectNobodyWaits(server!.measured, async () => {
    await using one = await server!.person();
    await one.terminal.shows("root (admin)");
  });
  expect((await server!.admin.get("/auth/whoami")).name).toBe("root");
});
