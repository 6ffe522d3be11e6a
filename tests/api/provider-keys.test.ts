// Goal: a stored provider key is nowhere in the clear, is used as it was entered, and is missed politely when its key file is not there.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../kit/folder.ts";
import { say } from "../kit/model/index.ts";
import { KEY, type World, world } from "../kit/world.ts";
import { refusalOf } from "../kit/refusal.ts";

/** Names of files directly in the folder that hold the text. */
function filesWith(folder: string, text: string): string[] {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return names.map(({ name }) => name).filter((name) => readFileSync(join(folder, name)).includes(text));
}

const errorsIn = (at: World) =>
  at.program.log
    .map((line) => JSON.parse(line) as { message: string; level: string; error?: string; providers?: string })
    .filter(
      ({ level, message }) => level === "error" && message === "cannot decrypt the stored provider keys",
    );

test("a key is in no file of the data directory, the log of the database included, and reaches its provider", async () => {
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

test("the key file is made with the first secret, where the settings say", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "elsewhere", "my.key");
  await using at = await world({ environment: { SERVICE_SECRETS_KEY: path } });
  await at.admin.post("/providers", { name: "a", type: "anthropic" });
  expect(existsSync(path)).toBe(false);
  await at.admin.patch("/providers/1", { api_key: KEY });
  expect(readdirSync(at.data)).not.toContain("secrets.key");
  expect(Buffer.from(readFileSync(path, "utf8").trim(), "base64url")).toHaveLength(32);
});

test("without its key file, or with another, the service starts and says so; calls fail with that; entering the key again mends it", async () => {
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
  try {
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
      expect(turn).toMatchObject({ status: "failed", error: expect.stringContaining(missing) });
      expect(existsSync(keyFile)).toBe(false);
      // The right file put back is enough.
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
    // What may be somebody's other file is not overwritten.
    expect((await refusalOf(at.admin.patch("/providers/1", { api_key: KEY }))).message).toContain(
      "not a key file",
    );
    expect(readFileSync(keyFile, "utf8")).toBe("not a key");
  } finally {
    await model.stop(true);
  }
});
