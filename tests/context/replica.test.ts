// Goal: two copies of a server's space exchange edits, deletes and renames; nothing is overwritten; an unchanged space costs one request.

import { mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "bun:test";
import type { Transport } from "../../src/context/client/client.ts";
import { AppError } from "../../src/kit/error.ts";
import { FILE_BYTES_CEILING } from "../../src/context/versioned-store/schema.ts";
import { LocalCopy } from "../../src/context/replica/local-copy.ts";
import { at, bytes } from "../kit/store/file-engine.ts";
import { manualClock } from "../kit/manual-clock.ts";
import { deny } from "../kit/context/context-server.ts";
import { changesOf, replica } from "../kit/context/replica.ts";
import { refusal } from "../kit/http/refusal.ts";
import { backUpSpace } from "../kit/context/space-backup.ts";
import { team } from "../kit/context/team.ts";

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
  expect(changesOf(await lab.ann.sync())).toEqual({ pushed: ["a.md", "new/d.md"], withdrawn: ["b.md"] });
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
  const events = await lab.server.admin.events("/events?spaces=team&after=0");
  const opened = await events.until(({ type }) => type === "conflict.open");
  await events[Symbol.asyncDispose]();
  expect(opened.data).toMatchObject({ actor: "bob", path: copy, version: 1, data: { file: "a.md" } });
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
  expect((await lab.ann.sync({ dryRun: true })).withdrawn).toHaveLength(12);
  expect((await lab.ann.sync({ confirmed: true })).withdrawn).toHaveLength(12);
  await refusal(lab.bob.sync(), "refused", /^this sync would delete 12 of 12 files here;/, {
    ...details,
    deletes_here: 12,
    deletes_on_server: 0,
  });
  expect((await lab.bob.sync({ confirmed: true })).removed).toHaveLength(12);
});

test("a directory that moves with many files needs no consent, on either side", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`docs/${index}.md`, `${index}`]),
  );
  await using lab = await team(files);
  for (const [path, text] of Object.entries(files)) lab.ann.write(path.replace("docs", "pages"), text);
  lab.ann.remove("docs");
  expect((await lab.ann.sync()).withdrawn).toHaveLength(12);
  expect((await lab.bob.sync()).removed).toHaveLength(12);
  expect(lab.bob.tree()).toEqual(lab.ann.tree());
});

test("a move of more files than one push holds looks like a move to those who hear of it in parts", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 600 }, (_, index) => [`docs/${index}.md`, `${index}`]),
  );
  await using lab = await team(files);
  for (const [path, text] of Object.entries(files)) lab.ann.write(path.replace("docs", "pages"), text);
  lab.ann.remove("docs");
  let pushes = 0;
  const cut = (path: string) => {
    if (path.includes("/push") && ++pushes === 2) throw new AppError("unavailable", "cut");
  };
  await refusal(lab.ann.sync({}, cut), "unavailable", "cut");
  const { pulled, removed } = await lab.bob.sync();
  expect([pulled.length, removed.length]).toEqual([250, 250]);
  await lab.ann.sync();
  await lab.bob.sync();
  expect(lab.bob.tree()).toEqual(lab.ann.tree());
});

test("a delete that is under way counts when it has ended, so that consent is asked for all of it", async () => {
  const files = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${index}.md`, `${index}`]));
  await using lab = await team(files);
  const remove = (from: number, to: number) => {
    for (let index = from; index < to; index += 1) lab.ann.remove(`${index}.md`);
  };
  remove(0, 15);
  const paths = new Set(Array.from({ length: 15 }, (_, index) => `${index}.md`));
  const vanishing = await lab.ann.sync({ paths, deleteGrace: async () => remove(15, 30) });
  expect([vanishing.withdrawn, vanishing.waiting.length]).toEqual([[], 30]);
  const question = /^this sync would delete 30 of 100 files on the server; nothing was changed;/;
  await refusal(lab.ann.sync({ deleteGrace: async () => {} }), "refused", question, {
    needs_consent: true,
    deletes_here: 0,
    deletes_on_server: 30,
    files: 100,
  });
});

test("awkward names travel: percent signs, hashes, spaces, right-to-left text, combining characters, long paths", async () => {
  const combining = "cafe\u0301.md";
  const names = ["100%.md", "a#b.md", "a b/c  d.md", "שלום עולם.txt", "%41.md", `${"long".repeat(60)}.md`];
  const deep = `${"directory/".repeat(40)}file.md`;
  await using lab = await team();
  for (const name of [...names, combining, deep]) lab.ann.write(name, `text of ${name}`);
  const { pushed } = await lab.ann.sync();
  expect(pushed).toHaveLength(names.length + 2);
  await lab.bob.sync();
  expect(lab.bob.tree()).toEqual(lab.ann.tree());
  expect(lab.bob.read("caf\u00e9.md")).toBe(`text of ${combining}`);
  expect(changesOf(await lab.ann.sync())).toEqual({});
});

test("a rename in letter case only is a rename on every copy", async () => {
  await using lab = await team({ "Notes.md": "one" });
  lab.ann.remove("Notes.md");
  lab.ann.write("NOTES.md", "one");
  expect(changesOf(await lab.ann.sync())).toEqual({ pushed: ["NOTES.md"], withdrawn: ["Notes.md"] });
  expect(changesOf(await lab.bob.sync())).toEqual({ pulled: ["NOTES.md"], removed: ["Notes.md"] });
  expect(lab.bob.tree()).toEqual({ "NOTES.md": "one" });
});

test("a directory that may have changed stands for the files that are or were in it", async () => {
  await using lab = await team({ "docs/a.md": "one", "docs/deep/b.md": "two", "other.md": "three" });
  const sync = async (...paths: string[]) => changesOf(await lab.ann.sync({ paths: new Set(paths) }));
  lab.ann.write("pages/a.md", "one");
  lab.ann.remove("docs/a.md");
  lab.ann.remove("docs/deep");
  expect(await sync("docs", "pages")).toEqual({
    pushed: ["pages/a.md"],
    withdrawn: ["docs/a.md", "docs/deep/b.md"],
  });
  expect(await sync("pages")).toEqual({});
  expect(lab.ann.requests).toEqual(["GET /changes"]);
});

test("a directory takes the place of a file, and a file that of a directory", async () => {
  await using lab = await team({ a: "file", "b/one.md": "1", "b/two.md": "2" });
  lab.ann.remove("a");
  lab.ann.write("a/inside.md", "in");
  lab.ann.remove("b");
  lab.ann.write("b", "now a file");
  await lab.ann.sync();
  await lab.bob.sync();
  expect(lab.bob.tree()).toEqual({ "a/inside.md": "in", b: "now a file" });
});

test("two people use one name for a file and for a directory: both contents stay", async () => {
  await using lab = await team();
  lab.ann.write("plan", "ann's file");
  lab.bob.write("plan/draft.md", "bob's draft");
  await lab.ann.sync();
  const { conflicts } = await lab.bob.sync();
  const copy = expect.stringMatching(/^plan\.conflict-bob-\d{8}T\d{6}Z\/draft\.md$/);
  expect(conflicts).toEqual([{ path: "plan/draft.md", copy }]);
  await lab.ann.sync();
  expect(lab.ann.tree()).toEqual({ plan: "ann's file", [conflicts[0]!.copy]: "bob's draft" });
  expect(lab.bob.tree()).toEqual(lab.ann.tree());
});

test("a conflict file takes no name of a directory, in the same second too", async () => {
  await using lab = await team({}, manualClock());
  lab.ann.write("plan", "ann's file");
  lab.bob.write("plan/draft.md", "bob's draft");
  await lab.ann.sync();
  const aside = (await lab.bob.sync()).conflicts[0]!.copy;
  await lab.ann.sync();
  for (const [name, person] of Object.entries({ ann: lab.ann, bob: lab.bob })) {
    person.write("plan", `${name}'s second file`);
    person.write(aside, `${name}'s second draft`);
  }
  await lab.ann.sync();
  const { conflicts, held } = await lab.bob.sync();
  const directory = aside.replace("/draft.md", "");
  const copy = `${directory}/draft.conflict-bob-${directory.slice(-16)}.md`;
  expect(conflicts).toEqual([
    { path: "plan", copy: `${directory}-2` },
    { path: aside, copy },
  ]);
  expect(held).toEqual([]);
  await lab.ann.sync();
  expect(lab.ann.tree()).toEqual({
    plan: "ann's second file",
    [`${directory}-2`]: "bob's second file",
    [aside]: "ann's second draft",
    [copy]: "bob's second draft",
  });
  expect(lab.bob.tree()).toEqual(lab.ann.tree());
});

test("a link is never followed, in or out", async () => {
  await using lab = await team({ "a.md": "one", "d/b.md": "two" });
  const outside = join(lab.ann.directory, "..", "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "b.md"), "private");
  lab.ann.remove("d");
  symlinkSync(outside, join(lab.ann.directory, "d"));
  symlinkSync(join(outside, "b.md"), join(lab.ann.directory, "link.md"));
  const first = await lab.ann.sync();
  expect(first.refused.map(({ path, code }) => `${path} ${code}`)).toEqual(["d symlink", "link.md symlink"]);
  expect([first.pushed, first.withdrawn]).toEqual([[], ["d/b.md"]]);
  await lab.server.admin.write("d/b.md", "two, again");
  const second = await lab.ann.sync();
  expect(second.held.map(({ path, direction }) => [path, direction])).toEqual([["d/b.md", "down"]]);
  expect(readFileSync(join(outside, "b.md"), "utf8")).toBe("private");
  expect(readdirSync(outside)).toEqual(["b.md"]);
});

test("a document that grew too large is said to be too large, with the limit, and others are pushed", async () => {
  await using lab = await team({ "a.md": "one", "b.md": "two" });
  truncateSync(join(lab.ann.directory, "a.md"), FILE_BYTES_CEILING + 1);
  lab.ann.write("b.md", "two, edited");
  const { refused, pushed } = await lab.ann.sync();
  const reason = "the file in the working tree is larger than 64.0 MiB; move it away";
  expect([refused, pushed]).toEqual([[{ path: "a.md", code: "too_large", reason }], ["b.md"]]);
});

test("an edit made while the server's version is on its way is kept, and merged or put beside it", async () => {
  await using lab = await team({ "a.md": "1\n2\n3\n", "b.md": "one\n" });
  lab.ann.write("a.md", "1 ann\n2\n3\n");
  lab.ann.write("b.md", "ann\n");
  await lab.ann.sync();
  const edit = () => {
    lab.bob.write("a.md", "1\n2\n3 bob\n");
    lab.bob.write("b.md", "bob\n");
  };
  const report = await lab.bob.sync({}, (path) => void (path.endsWith("/pull") && edit()));
  expect([report.merged, report.conflicts.map(({ path }) => path)]).toEqual([["a.md"], ["b.md"]]);
  const { copy } = report.conflicts[0]!;
  expect(lab.bob.tree()).toEqual({ "a.md": "1 ann\n2\n3 bob\n", "b.md": "ann\n", [copy]: "bob\n" });
});

test("rules mean the same in both directions, and a changed rule deletes nothing", async () => {
  await using lab = await team({ "r/a.md": "one", "r/b.md": "two", "identity/me.md": "template" });
  const rule = (mode: string) =>
    lab.server.admin.put("/spaces/team/sync", { "r/": mode, "identity/": "init-only" });
  expect(lab.ann.read("identity/me.md")).toBe("template");
  lab.ann.write("identity/me.md", "I am ann");
  await rule("never");
  lab.ann.write("r/a.md", "one, ann, private");
  lab.ann.remove("r/b.md");
  await lab.server.admin.write("r/b.md", "two, server");
  expect(changesOf(await lab.ann.sync())).toEqual({});
  expect(await lab.server.admin.read("r/a.md")).toBe("one");
  await rule("always");
  // A file that is missing on one side comes back; one that differs is merged or kept twice.
  const report = await lab.ann.sync();
  expect(report).toMatchObject({ pulled: ["r/b.md"], pushed: ["r/a.md"], withdrawn: [], removed: [] });
  expect(lab.ann.tree()).toEqual({
    "identity/me.md": "I am ann",
    "r/a.md": "one, ann, private",
    "r/b.md": "two, server",
  });
  expect(await lab.server.admin.read("identity/me.md")).toBe("template");
});

test("a sync stops and asks if the server has another history, then keeps both sides", async () => {
  await using lab = await team({ "a.md": "one", "b.md": "two" });
  const restore = await backUpSpace(lab.server, join(lab.ann.directory, "..", "backup"));
  lab.ann.write("a.md", "one, newer");
  lab.ann.write("c.md", "three");
  await lab.ann.sync();
  await restore();
  const before = lab.ann.tree();
  // A dry run that a person agreed to leaves the question open.
  const planned = await lab.ann.sync({ confirmed: true, dryRun: true });
  expect([planned.dry_run, changesOf(planned)]).toEqual([true, { pushed: ["a.md", "c.md"] }]);
  await refusal(lab.ann.sync(), "epoch_changed", /another history now; nothing was changed here/, {
    needs_consent: true,
  });
  expect(lab.ann.tree()).toEqual(before);
  expect(changesOf(await lab.ann.sync({ confirmed: true }))).toEqual({ pushed: ["a.md", "c.md"] });
  await lab.bob.sync({ confirmed: true });
  expect(lab.bob.tree()).toEqual(before);
});

test("a line that the backup lacks is not taken away by a merge after the restore", async () => {
  await using lab = await team({ "a.md": "1\n2\n3\n" });
  const restore = await backUpSpace(lab.server, join(lab.ann.directory, "..", "backup"));
  lab.ann.write("a.md", "1 ann\n2\n3\n");
  await lab.ann.sync();
  await restore();
  await lab.server.admin.write("a.md", "1\n2\n3 server\n");
  const { merged, conflicts } = await lab.ann.sync({ confirmed: true });
  expect(merged).toEqual([]);
  expect(lab.ann.tree()).toEqual({ "a.md": "1\n2\n3 server\n", [conflicts[0]!.copy]: "1 ann\n2\n3\n" });
});

test("a text that a killed sync recorded and never showed is kept beside the person's own after a restore", async () => {
  await using lab = await team();
  const { ann, bob } = lab;
  bob.write("a.md", "bob");
  await bob.sync();
  const restore = await backUpSpace(lab.server, join(ann.directory, "..", "backup"));
  // As the kill left it: bob's text is a version here, neither on the disk nor agreed with the server.
  const killed = new LocalCopy(ann.directory);
  const operation = { op: "put", path: at("a.md"), content: bytes("bob"), expected: null } as const;
  await killed.use((engine) => engine.apply({ operations: [operation], author: "bob" }));
  ann.write("a.md", "ann");
  await restore();
  const { conflicts } = await ann.sync({ confirmed: true });
  expect(ann.tree()).toEqual({ "a.md": "bob", [conflicts[0]!.copy]: "ann" });
});

test("a person who may only read gets everything and learns that nothing was sent", async () => {
  await using lab = await team({ "a.md": "one", "secret/b.md": "two" });
  const { token } = await lab.server.admin.post("/users", { name: "eve", role: "viewer" });
  await lab.server.rules("eve", deny("secret/**", "read"));
  const eve = replica({ directory: join(lab.ann.directory, "..", "eve"), url: lab.server.url, token });
  const joined = await eve.join();
  expect(joined.held.map(({ path, direction, code }) => `${path} ${direction} ${code}`)).toEqual([
    "secret/b.md down forbidden",
  ]);
  expect(eve.tree()).toEqual({ "a.md": "one" });
  eve.write("a.md", "one, eve");
  const { held } = await eve.sync({ retryHeld: true });
  expect(held.map(({ path, direction, reason }) => [path, direction, reason])).toEqual([
    ["secret/b.md", "down", expect.any(String)],
    ["a.md", "up", "eve (viewer) may not change team"],
  ]);
  // Until the content changes, or a person asks again, nothing is repeated.
  expect(changesOf(await eve.sync())).toEqual({});
  expect(eve.requests).toEqual(["GET /changes"]);
  expect(eve.read("a.md")).toBe("one, eve");
});

test("a dry run tells that a file may not be read, where it would have to be merged", async () => {
  await using lab = await team({ "a.md": "one", "b.md": "two" });
  lab.bob.write("a.md", "bob");
  await lab.bob.sync();
  lab.ann.write("a.md", "ann");
  lab.ann.write("b.md", "two, ann");
  await lab.server.rules("ann", deny("a.md", "read"));
  const { held, pushed, merged, conflicts } = await lab.ann.sync({ dryRun: true });
  expect(held.map(({ path, direction, code }) => `${path} ${direction} ${code}`)).toEqual([
    "a.md down forbidden",
  ]);
  expect([pushed, merged, conflicts]).toEqual([["b.md"], [], []]);
});

test("a join keeps the files that a folder had, and is continued after an interruption", async () => {
  await using lab = await team({ "a.md": "server", "b.md": "same" });
  const { token } = await lab.server.user("eve", "contributor");
  const directory = join(lab.ann.directory, "..", "eve");
  let pulls = 0;
  const through = (network: Transport): Transport => ({
    ...network,
    send: (method, path, ...rest) => {
      if (path.endsWith("/pull") && pulls++ === 0) throw new AppError("unavailable", "the network is gone");
      return network.send(method, path, ...rest);
    },
  });
  const eve = replica({ directory, url: lab.server.url, token, through });
  eve.write("a.md", "mine");
  eve.write("b.md", "same");
  eve.write("c.md", "new");
  await refusal(eve.join(), "unavailable", "the network is gone");
  const { conflicts, waiting } = await eve.join();
  expect(conflicts).toEqual([{ path: "a.md", copy: expect.stringMatching(/^a\.conflict-eve-/) }]);
  expect(waiting).toEqual(["c.md"]);
  const { copy } = conflicts[0]!;
  expect((await eve.sync()).pushed.toSorted()).toEqual([copy, "c.md"].toSorted());
  expect(eve.tree()).toEqual({ "a.md": "server", [copy]: "mine", "b.md": "same", "c.md": "new" });
});
