// Goal: help, version and a refused flag load no more than they need; the service itself is loaded when it is started.

import { expect, test } from "bun:test";
import { codeFiles, importsOf } from "./source.ts";

/** Everything that is loaded together with a file, packages included. */
async function loadedWith(entry: string): Promise<Set<string>> {
  const files = new Map((await codeFiles()).map((file) => [file.path, file]));
  const seen = new Set<string>();
  const queue = [entry];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const file = files.get(path);
    if (file)
      queue.push(
        ...importsOf(file)
          .filter(({ kind }) => kind === "static")
          .map(({ target }) => target),
      );
  }
  return seen;
}

test("the commands are light", async () => {
  for (const entry of ["bin/service.ts", "src/service/serve-command.ts", "src/service/version-command.ts"]) {
    const loaded = [...(await loadedWith(entry))];
    const heavy = loaded.filter((path) =>
      /^(elysia|ajv|@|bun:sqlite)|src\/service\/(main|server|parts)\.ts$/.test(path),
    );
    expect({ entry, heavy }).toEqual({ entry, heavy: [] });
  }
});

test("cairn starts with the table of its commands and the kit, and help for an AI tool's server loads no protocol", async () => {
  const start = [...(await loadedWith("bin/cairn.ts"))];
  const own = /^(?:node:|src\/kit\/|src\/cli\/(?:main|topics|examples|connection-args)\.ts$|bin\/cairn\.ts$)/;
  expect(start.filter((path) => !own.test(path) || path.startsWith("src/kit/http/"))).toEqual([]);
  const mcp = [...(await loadedWith("src/cli/groups/mcp.ts"))];
  expect(mcp.filter((path) => /^(?:@|elysia|bun:sqlite)/.test(path))).toEqual([]);
});

test("the search would find them", async () => {
  const loaded = await loadedWith("src/service/main.ts");
  expect(["elysia", "bun:sqlite", "src/service/server.ts"].filter((path) => !loaded.has(path))).toEqual([]);
});

test("the modules of a first model call are not loaded at the start", async () => {
  const loaded = await loadedWith("src/service/main.ts");
  expect([...loaded].filter((path) => /^(@ai-sdk|gpt-tokenizer)/.test(path))).toEqual([]);
});
