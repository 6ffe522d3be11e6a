// Goal: a copy takes no path from a server, or from a proxy before it, that cannot be the path of a file, no content that it did not ask for, and no
// rules that it does not know; nothing of such an answer is recorded, and the next honest answer goes on.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import type { Transport } from "../../src/context/client/client.ts";
import { openReplicaState } from "../../src/context/replica/state.ts";
import { contentsStream } from "../../src/context/sync/contents.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { replica } from "../kit/context/replica.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { refusal } from "../kit/http/refusal.ts";
import { bytes } from "../kit/store/file-engine.ts";

/** Rewrites the answers of one route. */
type Rewrite = readonly [route: RegExp, rewritten: (answer: Response) => Response | Promise<Response>];

async function behindProxy() {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const server = stack.use(await contextServer());
  await server.admin.write("a.md", "one");
  const { token } = await server.user("ann", "contributor");
  const directory = join(folder.path, "deep", "ann");
  const proxy: { rewrite: Rewrite | undefined } = { rewrite: undefined };
  const through = (network: Transport): Transport => ({
    ...network,
    async send(...request) {
      const answer = await network.send(...request);
      const isMeant = proxy.rewrite?.[0].test(request[1]) === true;
      return isMeant ? proxy.rewrite![1](answer) : answer;
    },
  });
  const copy = replica({ directory, url: server.url, token, through });
  const known = async () => {
    using state = await openReplicaState(directory);
    return { head: state.head, files: state.files().map(({ path }) => path), held: state.held() };
  };
  const kept = stack.move();
  const dispose = () => kept.disposeAsync();
  return { server, directory, copy, proxy, known, [Symbol.asyncDispose]: dispose };
}

const CHANGES = /\/changes\?/;
const FILES = /\/files\?/;
const PULL = /\/pull$/;

/** Adds a file of this path to a list of the server. */
function withPath(path: unknown) {
  const extra = { path, change: "written", version: 1, size: 3, hash: "0".repeat(64), author: "eve" };
  return async (answer: Response) => {
    const body = (await answer.json()) as { changes: unknown[] } | unknown[];
    if (Array.isArray(body)) return Response.json([...body, extra]);
    return Response.json({ ...body, changes: [...body.changes, extra] });
  };
}

const BAD: [unknown, string, string][] = [
  ["../zzz.md", '"../zzz.md"', 'must not contain the segment ".."'],
  ["/etc/zzz.md", '"/etc/zzz.md"', "must be relative, without a slash at the start"],
  ["a\\zzz.md", '"a\\\\zzz.md"', "segments are separated by /, and \\ is not allowed"],
  ["zzz\n.md", '"zzz\\n.md"', "must not contain control or invisible characters"],
  ["e\u0301.md", '"e\u0301.md"', "not in the Unicode form NFC"],
  ["z".repeat(5_000), `"${"z".repeat(100)}"`, "at most 1024 bytes"],
  [7, '"7"', "not text"],
];

for (const [path, shown, problem] of BAD)
  test(`refuses an answer with the path ${shown.slice(0, 20)}, and records nothing of it`, async () => {
    await using lab = await behindProxy();
    const { copy, proxy, server, directory } = lab;
    const sent = `${server.url} sent ${shown}, which cannot be the path of a file: ${problem}; nothing of its answer was recorded; update cairn if the server is newer, otherwise ask its admin what changes its answers`;
    proxy.rewrite = [FILES, withPath(path)];
    await refusal(copy.join(), "unavailable", sent);
    expect(await lab.known()).toEqual({ head: null, files: [], held: [] });
    proxy.rewrite = undefined;
    await copy.join();
    const before = await lab.known();
    await server.admin.write("b.md", "two");
    proxy.rewrite = [CHANGES, withPath(path)];
    await refusal(copy.sync(), "unavailable", sent);
    expect([await lab.known(), copy.tree()]).toEqual([before, { "a.md": "one" }]);
    proxy.rewrite = undefined;
    await copy.sync();
    expect(copy.tree()).toEqual({ "a.md": "one", "b.md": "two" });
    expect(existsSync(join(directory, "..", "zzz.md"))).toBe(false);
  });

const one = (path: string, text: string) => ({
  path,
  version: 1,
  size: text.length,
  stored: async () => ({ coding: "raw" as const, content: bytes(text) }),
});

for (const [name, contents, problem] of [
  ["another path", [one("../zzz.md", "x"), one("b.md", "two")], "it has content that was not requested"],
  ["one path twice", [one("b.md", "two"), one("b.md", "x")], "it has content that was not requested"],
  [
    "a path in place of another",
    [one("b.md", "two"), one("a.md", "x")],
    "it has content that was not requested",
  ],
  ["too few paths", [one("b.md", "two")], "the contents are incomplete"],
] as const)
  test(`refuses contents with ${name}`, async () => {
    await using lab = await behindProxy();
    const { copy, proxy, server } = lab;
    await copy.join();
    await server.admin.write("b.md", "two");
    await server.admin.write("c.md", "three");
    proxy.rewrite = [PULL, () => new Response(contentsStream(contents, () => {}))];
    await refusal(copy.sync(), "unavailable", `the connection to ${server.url} was interrupted: ${problem}`);
    expect(copy.tree()).toEqual({ "a.md": "one" });
    proxy.rewrite = undefined;
    await copy.sync();
    expect(copy.tree()).toEqual({ "a.md": "one", "b.md": "two", "c.md": "three" });
  });

const RECORD = /\/spaces\/team$/;

/** Replaces a field of an answer. */
function withField(name: string, value: unknown) {
  return async (answer: Response) => Response.json({ ...((await answer.json()) as object), [name]: value });
}

test.each([
  ["rules with an unknown mode", { "identity/": "sometimes" }],
  ["rules that are none", null],
  ["no rules", undefined],
])("refuses an answer with %s, and sends nothing that stays here", async (_, rules) => {
  await using lab = await behindProxy();
  const { copy, proxy, server, directory } = lab;
  const odd = (what: string) =>
    `${server.url} sent ${what}; nothing of its answer was recorded; update cairn if the server is newer, otherwise ask its admin what changes its answers`;
  const unknown = odd("sync rules that this version does not know");
  proxy.rewrite = [RECORD, withField("sync", rules)];
  await refusal(copy.join(), "unavailable", unknown);
  proxy.rewrite = undefined;
  await copy.join();
  const before = await lab.known();
  mkdirSync(join(directory, "identity"));
  writeFileSync(join(directory, "identity", "me.md"), "private");
  proxy.rewrite = [CHANGES, withField("sync", rules)];
  await refusal(copy.sync(), "unavailable", unknown);
  expect(await lab.known()).toEqual(before);
  proxy.rewrite = [CHANGES, withField("changes", undefined)];
  await refusal(copy.sync(), "unavailable", odd("no list of files"));
});
