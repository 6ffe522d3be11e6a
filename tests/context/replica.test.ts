// Goal: two copies of a server's space exchange edits, deletes and renames; nothing is overwritten; an unchanged space costs one request.

import { join } from "node:path";
import { expect, test } from "bun:test";
import { temporaryFolder } from "../kit/folder.ts";
import { contextServer, type ContextServer } from "../kit/context-server.ts";
import { changesOf, replica, type Replica } from "../kit/replica.ts";
import { refusal } from "../kit/refusal.ts";

interface Team extends AsyncDisposable {
  readonly server: ContextServer;
  readonly ann: Replica;
  readonly bob: Replica;
}

async function team(files: Record<string, string> = {}): Promise<Team> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const server = stack.use(await contextServer());
  const [ann, bob] = await Promise.all(
    ["ann", "bob"].map(async (name) => {
      const { token } = await server.user(name, "contributor");
      return replica({ directory: join(folder.path, name), url: () => server.url, token });
    }),
  );
  for (const [path, text] of Object.entries(files)) await server.admin.write(path, text);
  await ann!.join();
  await bob!.join();
  const kept = stack.move();
  return { server, ann: ann!, bob: bob!, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

test("a join brings every file, and an unchanged space costs one request", async () => {
  await using lab = await team({ "a.md": "one", "deep/b c#%.md": "two" });
  expect(lab.ann.tree()).toEqual({ "a.md": "one", "deep/b c#%.md": "two" });
  expect(changesOf(await lab.ann.sync())).toEqual({});
  expect(lab.ann.requests).toEqual(["GET /changes"]);
});

test("edits, new files and deletes travel both ways", async () => {
  await using lab = await team({ "a.md": "one", "b.md": "two", "c.md": "three" });
  lab.ann.write("a.md", "one, edited");
  lab.ann.write("new/d.md", "four");
  lab.ann.remove("b.md");
  expect(changesOf(await lab.ann.sync())).toEqual({
    pushed: ["a.md", "new/d.md"],
    withdrawn: ["b.md"],
  });
  expect(changesOf(await lab.ann.sync())).toEqual({});
  expect(lab.ann.requests).toEqual(["GET /changes"]);
  expect(changesOf(await lab.bob.sync())).toEqual({ pulled: ["a.md", "new/d.md"], removed: ["b.md"] });
  expect(lab.bob.tree()).toEqual({ "a.md": "one, edited", "c.md": "three", "new/d.md": "four" });
  expect(await lab.server.admin.read("a.md")).toBe("one, edited");
});

test("edits of different lines are merged", async () => {
  await using lab = await team({ "a.md": "1\n2\n3\n4\n5\n" });
  lab.ann.write("a.md", "1 ann\n2\n3\n4\n5\n");
  lab.bob.write("a.md", "1\n2\n3\n4\n5 bob\n");
  await lab.ann.sync();
  expect(changesOf(await lab.bob.sync())).toEqual({ merged: ["a.md"], pushed: ["a.md"] });
  await lab.ann.sync();
  expect(lab.ann.tree()).toEqual({ "a.md": "1 ann\n2\n3\n4\n5 bob\n" });
  expect(lab.bob.tree()).toEqual(lab.ann.tree());
});

test("edits of the same line keep both", async () => {
  await using lab = await team({ "a.md": "one\n" });
  lab.ann.write("a.md", "ann\n");
  lab.bob.write("a.md", "bob\n");
  await lab.ann.sync();
  const { conflicts, pushed } = await lab.bob.sync();
  expect(conflicts).toEqual([
    { path: "a.md", copy: expect.stringMatching(/^a\.conflict-bob-\d{8}T\d{6}Z\.md$/) },
  ]);
  const copy = conflicts[0]!.copy;
  expect(pushed).toEqual([copy]);
  await lab.ann.sync();
  expect(lab.ann.tree()).toEqual({ "a.md": "ann\n", [copy]: "bob\n" });
  expect(lab.bob.tree()).toEqual(lab.ann.tree());
});

test("an edit wins over a delete, whoever deletes", async () => {
  await using lab = await team({ "a.md": "one", "b.md": "two" });
  lab.ann.remove("a.md");
  lab.ann.write("b.md", "two, ann");
  lab.bob.write("a.md", "one, bob");
  lab.bob.remove("b.md");
  await lab.ann.sync();
  expect(changesOf(await lab.bob.sync())).toEqual({ pulled: ["b.md"], pushed: ["a.md"] });
  await lab.ann.sync();
  expect(lab.ann.tree()).toEqual({ "a.md": "one, bob", "b.md": "two, ann" });
  expect(lab.bob.tree()).toEqual(lab.ann.tree());
});

test("many deletes need consent, on either side", async () => {
  const files = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`${index}.md`, `${index}`]));
  await using lab = await team(files);
  for (const path of Object.keys(files)) lab.ann.remove(path);
  const question = /^this sync would delete 12 of 12 files on the server; nothing was changed;/;
  const details = { needs_consent: true, deletes_here: 0, deletes_on_server: 12, files: 12 };
  await refusal(lab.ann.sync(), "refused", question, details);
  expect((await lab.ann.sync({ confirmed: true })).withdrawn).toHaveLength(12);
  await refusal(lab.bob.sync(), "refused", /^this sync would delete 12 of 12 files here;/, {
    ...details,
    deletes_here: 12,
    deletes_on_server: 0,
  });
  expect((await lab.bob.sync({ confirmed: true })).removed).toHaveLength(12);
});
