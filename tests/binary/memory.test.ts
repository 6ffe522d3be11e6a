// Goal: the compiled service writes and finds documents that are too long for the serving thread, so it carries the worker of the context side.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { createLocalSpace } from "../../src/context/space/local.ts";
import { MEMORY_DOCUMENT_BYTES_MAX } from "../../src/service/memory/schema.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { runService } from "../kit/service/running.ts";
import { localDeps } from "../kit/context/space-doors.ts";

test("a document as long as it may be is saved, found, and restored", async () => {
  await using folder = await temporaryFolder();
  const directory = join(folder.path, "space");
  await (await createLocalSpace({ directory, name: "notes", template: "blank" }, localDeps)).close();
  const config = await folder.write("config.yaml", Bun.YAML.stringify({ memory: { space: directory } }));
  await using service = await runService({ args: ["--config", config] });
  const { admin } = service;
  const body = `harbour\n${"word ".repeat(MEMORY_DOCUMENT_BYTES_MAX)}`.slice(0, MEMORY_DOCUMENT_BYTES_MAX);
  const path = "/context/file?path=team/long.md";
  expect(await (await admin.raw("PUT", path, { body })).json()).toMatchObject({ version: 1 });
  expect((await admin.get("/context/search?q=harbour")).results).toMatchObject([
    { path: "team/long.md", words: ["harbour"] },
  ]);
  expect(await admin.post("/context/restore", { path: "team/long.md", version: 1 })).toMatchObject({
    version: 2,
  });
});
