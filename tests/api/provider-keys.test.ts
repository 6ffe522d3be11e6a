// Goal: a provider key is never stored in the clear, is sent as entered, and fails clearly when its key file is missing.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atEnd } from "../kit/at-end.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { say } from "../kit/model/index.ts";
import { KEY, type World, world } from "../kit/service/world.ts";
import { refusalOf } from "../kit/http/refusal.ts";
import type { LogLine } from "../kit/log-reader.ts";

/** Names of the files in the folder that contain the text. */
function filesWith(folder: string, text: string): string[] {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return names.map(({ name }) => name).filter((name) => readFileSync(join(folder, name)).includes(text));
}

const errorsIn = (at: World) =>
  at.program.log
    .map((line) => JSON.parse(line) as LogLine)
    .filter(
      ({ level, message }) => level === "error" && message === "cannot decrypt the stored provider keys",
    );

test("stores a key in no file of the data directory, including the WAL, and sends it to its provider", async () => {
  await using lab = await world({ model: true });
  lab.model.script("boss", [say("hello")]);
  expect((await lab.chat("hi")).turn.status).toBe("done");
  expect(await lab.admin.post<unknown>("/providers/1/test", undefined)).toMatchObject({ ok: true });
  const { data } = lab;
  expect(existsSync(join(data, "service.db-wal"))).toBe(true);
  expect(filesWith(data, KEY)).toEqual([]);
  expect(filesWith(data, "sealed:1:")).not.toEqual([]);
  expect(statSync(join(data, "secrets.key")).mode & 0o777).toBe(0o600);
});

test("creates the key file with the first secret, at the configured path", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "elsewhere", "my.key");
  await using at = await world({ environment: { SERVICE_SECRETS_KEY: path } });
  await at.admin.post("/providers", { name: "a", type: "anthropic" });
  expect(existsSync(path)).toBe(false);
  await at.admin.patch("/providers/1", { api_key: KEY });
  expect(readdirSync(at.data)).not.toContain("secrets.key");
  expect(Buffer.from(readFileSync(path, "utf8").trim(), "base64url")).toHaveLength(32);
});

test("starts without the right key file and logs it, fails calls without the path of the file, and works once the key is entered again", async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  const keyFile = join(data, "secrets.key");
  const model = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) =>
      request.headers.get("x-api-key") === KEY
        ? Response.json({ data: [{ id: "m" }] })
        : new Response("{}", { status: 401 }),
  });
  await using _ = atEnd(() => model.stop(true));
  {
    await using at = await world({ data });
    const provider = { name: "a", type: "anthropic", base_url: `http://127.0.0.1:${model.port}` };
    await at.admin.post("/providers", { ...provider, api_key: KEY });
    await at.admin.post("/providers", { ...provider, name: "without", api_key: "" });
    await at.admin.post("/models", { provider_id: 1, model_name: "m" });
    await at.admin.post("/workspaces", { name: "w", orchestrator_model_id: 1 });
    expect(await at.admin.post<unknown>("/providers/1/test", undefined)).toMatchObject({ ok: true });
  }
  renameSync(keyFile, `${keyFile}.kept`);
  const missing = `the key file ${keyFile} is missing; restore it, or enter the secret again`;
  {
    await using at = await world({ data });
    expect(errorsIn(at)).toMatchObject([{ error: missing, providers: "1" }]);
    expect(await at.admin.post<unknown>("/providers/1/test", undefined)).toEqual({
      ok: false,
      models: [],
      status: null,
      message: missing,
    });
    const events = await (
      await at.admin.events("/workspaces/1/chat", { method: "POST", body: { text: "hi" } })
    ).all();
    const { turn } = events.findLast(({ type }) => type === "turn.finished")!.data.data as {
      turn: unknown;
    };
    expect(turn).toMatchObject({
      status: "failed",
      error: expect.stringContaining(
        'the stored key of provider "a" cannot be read; an admin sees the reason',
      ),
    });
    expect(JSON.stringify(events)).not.toContain(keyFile);
    expect(existsSync(keyFile)).toBe(false);
    // Restoring the right file is enough.
    renameSync(`${keyFile}.kept`, keyFile);
    expect(await at.admin.post<unknown>("/providers/1/test", undefined)).toMatchObject({ ok: true });
  }
  writeFileSync(keyFile, `${Buffer.alloc(32, 7).toString("base64url")}\n`);
  const wrong = `the key in ${keyFile} cannot decrypt this secret; restore the right key file, or enter the secret again`;
  {
    await using at = await world({ data });
    expect(errorsIn(at)).toMatchObject([{ error: wrong, providers: "1" }]);
    expect(await at.admin.post<unknown>("/providers/1/test", undefined)).toMatchObject({ message: wrong });
    await at.admin.patch("/providers/1", { api_key: KEY });
    expect(await at.admin.post<unknown>("/providers/1/test", undefined)).toMatchObject({ ok: true });
  }
  rmSync(keyFile);
  writeFileSync(keyFile, "not a key");
  await using at = await world({ data });
  expect(errorsIn(at)[0]!.error).toStartWith(`${keyFile} is not a key file`);
  // An existing file of unknown content is not overwritten.
  expect((await refusalOf(at.admin.patch("/providers/1", { api_key: KEY }))).message).toContain(
    "not a key file",
  );
  expect(readFileSync(keyFile, "utf8")).toBe("not a key");
});
