// Goal: a batch publishes its events once, even if it is judged a second time because another batch of the same commit failed.

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import type { Announced } from "../../../src/context/events/events.ts";
import { Files, type FilesDeps } from "../../../src/context/files/files.ts";
import { SecretScan } from "../../../src/context/files/secrets.ts";
import type { Caller } from "../../../src/context/identity/caller.ts";
import { apply, at, bytes, put } from "../../kit/store/file-engine.ts";
import { treeBench } from "../../kit/store/tree-bench.ts";

const LIMIT = 10;
/** All contents are small, so no worker is needed. */
const noWorkers = undefined as never;
const KEY = "AKIAQWERTYUIOPASDFGH";

test("publishes a nearly reached quota and a secret in a manual edit once", async () => {
  await using bench = await treeBench();
  const { engine } = bench;
  await apply(engine, [put("a.md", "1")]);
  engine.settle();
  const told: Announced[] = [];
  const actor = { name: "ann", rights: { may: () => true, has: () => true } } as unknown as Caller;
  const quotas = { max_file_size: 1_000, max_files: 1_000, max_space_size: LIMIT };
  const files = new Files({
    spaces: {
      visible: () => Promise.resolve({ name: "team", engine }),
      quotasOf: () => quotas,
      versionsKept: () => 0,
    },
    audit: { watched: (_: Caller, _deed: object, act: () => unknown) => act() },
    events: { announce: (news: Announced) => void told.push(news) },
    secrets: new SecretScan("block", noWorkers),
  } as unknown as FilesDeps);
  const write = (path: string, content: string) =>
    files.write(actor, "team", at(path), { content: async () => bytes(content), expected: () => undefined });
  await write("b.md", "1");
  const together = async (writes: Promise<unknown>[]) =>
    (await Promise.allSettled(writes)).map(({ status }) => status === "fulfilled");
  /** Fails after it has changed something. */
  const failing = async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    await apply(engine, [put("c.md", "1")], { author: null as never });
  };
  expect(await together([write("b.md", "x".repeat(8)), failing()])).toEqual([true, false]);
  writeFileSync(bench.on("a.md"), KEY);
  expect(await together([write("a.md", "2"), failing()])).toEqual([false, false]);
  expect(told.map(({ type }) => type)).toEqual(["quota.warning", "secret.blocked"]);
});
