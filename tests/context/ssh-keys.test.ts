// Goal: the keys that sign in are those that `server.yaml` lists now: a change counts without a restart, a key that is gone ends its sessions, and a
// file with a mistake changes nothing and says where it is. The host key is made whole, and only its owner may read it.

import { describe, expect, test } from "bun:test";
import { chmod, mkdir, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { hostKeyAt } from "../../src/context/ssh/host-key.ts";
import { configure } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { refusal } from "../kit/http/refusal.ts";
import { SSH, newKey, sshOffice, type KeyFile, type SshOffice } from "../kit/context/ssh.ts";

/** As an operator who edits the file. */
function list({ server }: SshOffice, keys: readonly { user: string; key: string }[], enabled = true): void {
  configure(server.directory, { tui: { ssh: { enabled, port: 0, keys } } });
}

/** In one step, so that no look finds a part. */
async function replace(path: string, text: string): Promise<void> {
  await Bun.write(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

const entryOf = (user: string, { public: key }: KeyFile) => ({ user, key });

describe.skipIf(SSH === undefined)("the list of keys", () => {
  test("a key that is added signs in, and one that is removed ends its sessions, without a restart", async () => {
    await using at = await sshOffice(["ben"], { sshLimits: { lookMs: 50 } });
    await at.server.user("ben", "viewer");
    await at.server.user("mia", "viewer");
    const [bens, mias] = [at.keys["ben"]!, await newKey(at.folder, "mia.key")];
    await using ben = await at.connect("ben");
    await ben.terminal.shows("ben (viewer)");
    // Another spelling of the same person changes nothing.
    list(at, [entryOf("BEN", bens), entryOf("mia", mias)]);
    await using mia = await at.connect("mia", { key: mias });
    await mia.terminal.shows("mia (viewer)");
    await ben.press("2", "[2 Spaces]");
    // The same key for another user is another person.
    list(at, [entryOf("ben", mias)]);
    await ben.terminal.shows("the key of this session was removed from the server");
    await mia.terminal.shows("the key of this session was removed from the server");
    expect((await at.run("ben", "-T", "127.0.0.1")).stderr).toContain("Permission denied (publickey)");
    list(at, [entryOf("ben", mias)], false);
    await using late = await at.connect("ben", { key: mias });
    await late.terminal.shows("Permission denied (publickey)");
    const changes = (await at.server.audit("limit=100")).filter(({ action }) =>
      action.startsWith("ssh.key."),
    );
    expect(changes.map(({ action, target }) => `${action} ${target?.split(" ")[0]}`).toReversed()).toEqual([
      "ssh.key.add mia",
      "ssh.key.add ben",
      "ssh.key.remove BEN",
      "ssh.key.remove mia",
      "ssh.key.remove ben",
    ]);
  });

  test("a file with a mistake keeps the list, says in the log where it is, and its correction counts", async () => {
    await using at = await sshOffice(["ben"], { sshLimits: { lookMs: 50 } });
    await at.server.user("ben", "viewer");
    const path = join(at.server.directory, "server.yaml");
    const good = await Bun.file(path).text();
    const problems = () =>
      at.server.log
        .filter(({ message }) => message.startsWith("cannot apply the changed server.yaml"))
        .map(({ error }) => error);
    await replace(path, good.replace(/ssh-ed25519 \S+/, "ssh-ed25519 AAAA"));
    await using ben = await at.connect("ben");
    await ben.terminal.shows("ben (viewer)");
    const line = good.split("\n").findIndex((one) => one.includes("ssh-ed25519")) + 1;
    expect(problems()).toEqual([
      expect.stringContaining(`tui.ssh.keys[0].key (line ${line}): incomplete, or its content`),
    ]);
    await replace(path, `${good}\n  - [`);
    await eventually(() => String(problems().at(-1)).includes("near line"), true);
    await replace(path, "");
    await eventually(() => String(problems().at(-1)).includes("missing or empty"), true);
    await rm(path);
    await ben.press("2", "[2 Spaces]");
    await replace(path, good);
    list(at, []);
    await ben.terminal.shows("the key of this session was removed");
  });
});

describe("the host key", () => {
  test("is made once, also where a link leads", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "key");
    const made = hostKeyAt(path);
    await symlink(path, join(folder.path, "link"));
    const again = hostKeyAt(join(folder.path, "link"));
    expect([made.isNew, again.isNew, again.fingerprint]).toEqual([true, false, made.fingerprint]);
  });

  test.each([
    ["a folder", (path: string) => mkdir(path), "refused", /is not a file$/],
    [
      "garbage",
      (path: string) => Bun.write(path, "key"),
      "invalid",
      /is not a private key without a passphrase$/,
    ],
    ["empty", (path: string) => Bun.write(path, ""), "invalid", /is not a private key without a passphrase$/],
    ["a link to nothing", (path: string) => symlink("/nowhere/at/all", path), "refused", /cannot read/],
  ] as const)("is refused if it is %s", async (_, make, code, sentence) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "key");
    await make(path);
    await chmod(path, 0o600).catch(() => {});
    await refusal(
      Promise.try(() => hostKeyAt(path)),
      code,
      sentence,
    );
  });
});
