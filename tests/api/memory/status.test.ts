// Goal: the service works without a space and says why there is none; one that appears, goes away or comes back is noticed without a restart.

import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLocalSpace } from "../../../src/context/space/local.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { memoryWorld } from "../../kit/service/memory-world.ts";
import { call, say } from "../../kit/model/index.ts";
import { frontOf, never } from "../../kit/http/front.ts";
import { refusal } from "../../kit/http/refusal.ts";
import { localDeps } from "../../kit/context/space-doors.ts";
import { world } from "../../kit/service/world.ts";

const NONE = "no context space initialized — run: cairn init solo";
const toolNames = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name);
const ofMemory = (names: readonly string[]) => names.filter((name) => /^(memory|context)_/.test(name));

test("without a space everything else works, and a space that appears is used at once", async () => {
  await using at = await world({ model: true });
  expect(await at.admin.get("/context/status")).toEqual({
    available: false,
    error: NONE,
    kind: "none",
    reason: "no_space",
  });
  await refusal(at.admin.get("/context/files"), "unavailable", NONE, { reason: "no_space" });
  await refusal(at.admin.get(`${at.own}/memory`), "unavailable", NONE, { reason: "no_space" });
  await at.admin.post(`${at.own}/context`, { path: "team/style.md" });
  at.model.script("boss", [say("Hello.")]);
  expect((await at.chat("Hello.")).turn.status).toBe("done");
  const [request] = at.model.requests;
  expect(ofMemory(toolNames(request!.tools))).toEqual([]);
  expect(request!.system).toContain(`team/style.md is bound here and cannot be read now: ${NONE}`);
  // `~/.cairn/space` of the service's own home.
  const directory = join(at.data, ".cairn", "space");
  const space = await createLocalSpace({ directory, name: "notes", template: "blank" }, localDeps);
  await space.write("team/style.md", new TextEncoder().encode("Be brief."), null);
  await space.close();
  expect(await at.admin.get("/context/status")).toEqual({
    available: true,
    kind: "folder",
    space: "notes",
    place: directory,
  });
  at.model.script("boss", [say("Hello.")]);
  await at.chat("Again.");
  expect(at.model.requests.at(-1)!.system).toContain("Be brief.");
  expect(ofMemory(toolNames(at.model.requests.at(-1)!.tools))).toEqual([
    "memory_list",
    "memory_read",
    "memory_write",
    "memory_search",
    "context_bind",
    "context_unbind",
  ]);
  rmSync(join(directory, ".cairn"), { recursive: true });
  expect(await at.admin.get("/context/status")).toMatchObject({ available: false, error: NONE });
});

test("names what is wrong with a server, and works again when it is mended", async () => {
  await using memory = await memoryWorld("server", { model: true, people: { ann: "member" } });
  const { at, server, tokenFile } = memory;
  const status = () => at.admin.get("/context/status");
  expect(await status()).toEqual({ available: true, kind: "server", space: "team", place: server!.url });
  writeFileSync(tokenFile, "cairn_wrong");
  expect(await status()).toMatchObject({
    available: false,
    kind: "server",
    reason: "token_refused",
    error: expect.stringContaining(`refused the token in ${tokenFile}`),
  });
  expect(await at.people["ann"]!.get("/context/status")).toEqual({
    available: false,
    kind: "server",
    space: "team",
    reason: "token_refused",
    error: "the context space does not answer; ask an admin",
  });
  rmSync(tokenFile);
  expect(await status()).toMatchObject({
    reason: "no_token",
    error: `memory.server.token_file ${tokenFile}: no such file`,
  });
  // The file of a person who saved the output of a command with a sentence in it.
  writeFileSync(tokenFile, `${server!.bootstrap}\nit does not expire\n`);
  expect(await status()).toMatchObject({
    reason: "no_token",
    error: `memory.server.token_file ${tokenFile}: expected one access token and nothing else, as cairn auth token create prints it on stdout`,
  });
  writeFileSync(tokenFile, `${server!.bootstrap}\n`);
  expect(await status()).toMatchObject({ available: true });
  await server!.stop();
  expect(await status()).toMatchObject({
    reason: "unreachable",
    error: expect.stringContaining("does not answer: connection refused"),
  });
  at.model.script("boss", [say("Hello.")]);
  expect((await at.chat("Without memory.")).turn.status).toBe("done");
  expect(ofMemory(toolNames(at.model.requests.at(-1)!.tools))).toEqual([]);
});

test("an agent's write whose answer was lost does not count as undone", async () => {
  await using folder = await temporaryFolder();
  await using memory = await memoryWorld("server", { model: "silent" });
  const { server, tokenFile } = memory;
  await using front = frontOf(() => server!.url);
  const place = { url: front.url, space: "team", token_file: tokenFile };
  const config = await folder.write("config.yaml", Bun.YAML.stringify({ memory: { server: place } }));
  await using at = await world({ model: true, flags: { config } });
  expect(await at.admin.get("/context/status")).toMatchObject({ available: true });
  // The server does its work, and the connection breaks before its answer.
  const workThenBreak = async (path: string, request: Request) => {
    const headers = { ...Object.fromEntries(request.headers), host: new URL(server!.url).host };
    const body = await request.arrayBuffer();
    expect((await fetch(server!.url + path, { method: "PUT", headers, body })).status).toBe(201);
    await front[Symbol.asyncDispose]();
    return never();
  };
  front.answer = (path, request) => (request.method === "PUT" ? workThenBreak(path, request) : undefined);
  at.model.script("boss", [
    call("memory_write", { name: "shared/facts.md", content: "Cold.", version: 0 }),
    say("I will look."),
  ]);
  const { events } = await at.chat("Note it.");
  const result = events.find(({ type }) => type === "tool.result")!.data.data;
  expect(result).toMatchObject({
    outcome: "unknown",
    text: expect.stringContaining(
      "It is not known whether this call took effect; check before you repeat it.",
    ),
  } as never);
  expect((await memory.space((space) => space.list())).map(({ path }) => path)).toEqual([
    expect.stringMatching(/shared\/facts\.md$/),
  ]);
});

test("names a space that the server does not have", async () => {
  await using folder = await temporaryFolder();
  await using memory = await memoryWorld("server", { model: "silent" });
  const { server, tokenFile } = memory;
  const config = await folder.write(
    "config.yaml",
    Bun.YAML.stringify({ memory: { server: { url: server!.url, space: "other", token_file: tokenFile } } }),
  );
  await using at = await world({ model: "silent", flags: { config } });
  expect(await at.admin.get("/context/status")).toMatchObject({
    reason: "space_missing",
    error: `${server!.url} has no space other, or the token may not see it`,
  });
});

test("a space that cannot be opened is reported, and nothing else fails", async () => {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "space");
  // A folder that says that it is a space, with something else in place of its database.
  mkdirSync(join(directory, ".cairn", "space.db"), { recursive: true });
  const config = await folder.write("config.yaml", Bun.YAML.stringify({ memory: { space: directory } }));
  await using at = await world({ model: true, flags: { config } });
  expect(await at.admin.get("/context/status")).toMatchObject({
    available: false,
    kind: "folder",
    reason: "cannot_open",
    error: expect.stringContaining(`cannot open the context space in ${directory}: `),
  });
  at.model.script("boss", [say("Hello.")]);
  expect((await at.chat("Hello.")).turn.status).toBe("done");
});
