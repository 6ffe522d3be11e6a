// Goal: a snapshot for other nodes holds nobody up, and has every space, whatever happens to the spaces meanwhile.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { nodes } from "../kit/context/nodes.ts";
import { SPACE } from "../kit/context/context-server.ts";
import { until } from "../kit/eventually.ts";
import type { AskedOfStorage } from "../kit/object-storage.ts";

const isManifest = (key: string) => key.endsWith("manifest.json");

test("a space is removed while a snapshot uploads it, and the node that joins with the snapshot does not have it", async () => {
  await using all = await nodes();
  const uploads: string[] = [];
  const release = all.storage.hold({
    on: ({ key, method }: AskedOfStorage) => {
      const isUpload = method === "PUT" && key.includes("/files/");
      if (isUpload) uploads.push(key);
      return isUpload;
    },
  });
  const a = await all.start("a");
  await a.leads();
  // The first snapshot begins at once, so the spaces are from before.
  await until(() => uploads.length > 0);
  await a.admin.delete(`/spaces/${SPACE}?confirm=${SPACE}`);
  expect(existsSync(join(a.directory, "spaces", SPACE))).toBe(false);
  await a.admin.post("/spaces", { name: "other", template: "blank" });
  release();
  await until(() => [...all.storage.objects.keys()].some(isManifest));
  expect(a.log.filter(({ level }) => level !== "info")).toEqual([]);
  const b = await all.start("b");
  await until(() => b.log.some(({ message }) => message === "caught up with the leader"));
  await a.stop();
  await b.leads();
  expect((await b.admin.get("/spaces")).map(({ name }) => name)).toEqual(["other"]);
  expect(await b.admin.get("/audit/verify")).toMatchObject({ ok: true });
});
