// Goal: a copy follows the rights of its person: what becomes visible arrives with all that was missed, and what is hidden stays as it is.

import { expect, test } from "bun:test";
import { deny } from "../kit/context/context-server.ts";
import { changesOf } from "../kit/context/replica.ts";
import { team, type Team } from "../kit/context/team.ts";

const hide = (lab: Team) => lab.server.rules("ann", deny("secret/**", "list", "read"));
const show = (lab: Team) => lab.server.rules("ann");

test("files that become visible arrive; rights that stay the same cost one request", async () => {
  await using lab = await team({ "a.md": "one" });
  await hide(lab);
  await lab.server.admin.write("secret/new.md", "hidden");
  expect(changesOf(await lab.ann.sync())).toEqual({});
  await show(lab);
  expect(changesOf(await lab.ann.sync())).toEqual({ pulled: ["secret/new.md"] });
  expect(changesOf(await lab.ann.sync())).toEqual({});
  expect(lab.ann.requests).toEqual(["GET /changes"]);
});

test("a copy learns what changed while it was hidden, before it sends anything", async () => {
  await using lab = await team({ "a.md": "one", "secret/edited.md": "1\n2\n3\n", "secret/deleted.md": "x" });
  await hide(lab);
  await lab.server.admin.write("secret/edited.md", "1\n2\n3 admin\n");
  await lab.server.admin.delete("/spaces/team/files/secret/deleted.md");
  expect(changesOf(await lab.ann.sync())).toEqual({});
  expect(Object.keys(lab.ann.tree())).toEqual(["a.md", "secret/deleted.md", "secret/edited.md"]);
  lab.ann.write("secret/edited.md", "1 ann\n2\n3\n");
  await show(lab);
  expect(changesOf(await lab.ann.sync())).toEqual({
    removed: ["secret/deleted.md"],
    merged: ["secret/edited.md"],
    pushed: ["secret/edited.md"],
  });
  expect(await lab.server.admin.read("secret/edited.md")).toBe("1 ann\n2\n3 admin\n");
});

test("a refused change is sent once the person may make it", async () => {
  await using lab = await team({ "a.md": "one" });
  await lab.server.admin.patch("/users/ann", { role: "viewer" });
  lab.ann.write("a.md", "two");
  expect(changesOf(await lab.ann.sync())).toMatchObject({ held: [{ path: "a.md", code: "forbidden" }] });
  expect(changesOf(await lab.ann.sync())).toEqual({});
  await lab.server.admin.patch("/users/ann", { role: "contributor" });
  expect(changesOf(await lab.ann.sync())).toEqual({ pushed: ["a.md"] });
});
