// Goal: every save of a file has its record, also when rights or the disk fail between the rename and the record.

import { expect, spyOn, test } from "bun:test";
import { sha256Hex } from "../../../src/kit/crypto.ts";
import { Place } from "../../../src/kit/disk/paths-disk.ts";
import { StorageError } from "../../../src/kit/storage-error.ts";
import { lookAtCopy } from "../../kit/service/database-copy.ts";
import { world } from "../../kit/service/world.ts";
import { fileClient } from "./file-client.ts";

test("records a save whose writer loses their token between the rename and the record", async () => {
  await using lab = await world({ model: true, people: { ann: "member" } });
  const { ann } = lab.people;
  await lab.admin.put(`${lab.own}/teams/${await lab.team("hers", ann)}`);
  const files = fileClient(lab, lab.workspaceId, ann.token);
  const { replace } = Place.prototype;
  using _ = spyOn(Place.prototype, "replace").mockImplementation(async function (this: Place, ...given) {
    await replace.apply(this, given);
    await lab.admin.delete(`/users/${ann.id}`);
  });

  await files.put("a.md", "one");
  const records = await lab.admin.get("/audit?action=file.save");
  expect(records.map(({ actor, role, auth, detail }) => ({ actor, role, auth, detail }))).toEqual([
    {
      actor: "ann",
      role: "member",
      auth: "token",
      detail: { path: "a.md", version: sha256Hex("one"), created: true },
    },
  ]);
});

test("settles a save that failed after the rename, and forgets one that failed before", async () => {
  await using lab = await world({ model: true });
  const files = fileClient(lab, lab.workspaceId);
  const { replace } = Place.prototype;
  const failing = async (when: "before" | "after", text: string) => {
    using _ = spyOn(Place.prototype, "replace").mockImplementation(async function (this: Place, ...given) {
      const [, , steps] = given;
      await (when === "after" ? replace.apply(this, given) : steps!.meanwhile!());
      throw new StorageError("failed", "EIO");
    });
    expect((await files.put("a.md", text)).status).toBe(503);
  };
  await failing("before", "one");
  await failing("after", "two");
  await failing("before", "three");
  const records = await lab.admin.get("/audit?action=file.save");
  expect(records.map(({ detail }) => detail)).toEqual([
    { path: "a.md", version: sha256Hex("two"), created: true, recovered: true },
  ]);
  expect(await lookAtCopy(lab.data, (db) => db.query("SELECT * FROM begun_saves").all())).toEqual([]);
});
