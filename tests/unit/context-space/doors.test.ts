// Goal: a space in a folder and a space of a server give the same answers and the same refusals.

import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SpaceDoor } from "../../../src/context/space/door.ts";
import { validate } from "../../../src/context/space/validation.ts";
import type { Expected } from "../../../src/context/versioned-store/engine.ts";
import { utcDay } from "../../../src/kit/clock.ts";
import { bytes } from "../../kit/store/file-engine.ts";
import { refusal } from "../../kit/http/refusal.ts";
import { doors } from "../../kit/context/space-doors.ts";

const HOSTILE = "näme with #% and spaces/a [b] (c).md";
const text = (content: Uint8Array) => new TextDecoder().decode(content);

for (const [kind, open] of Object.entries(doors))
  describe(kind, () => {
    test("keeps every version of a file from its first write to its end", async () => {
      await using door = await open();
      const { space } = door;
      expect(await space.list()).toEqual([]);
      const first = await space.write(HOSTILE, bytes("one\n"), null);
      expect(first).toMatchObject({ path: HOSTILE, version: 1, size: 4, created: true });
      expect(await space.write(HOSTILE, bytes("two\n"), 1)).toMatchObject({ version: 2, created: false });
      expect(await space.read(HOSTILE)).toMatchObject({ path: HOSTILE, version: 2, state: "live" });
      expect(text((await space.read(HOSTILE, 1)).bytes)).toBe("one\n");
      expect(await space.diff(HOSTILE)).toMatchObject({ from: 1, to: 2, added: 1, removed: 1 });
      expect(await space.remove(HOSTILE, 2)).toMatchObject({ path: HOSTILE, version: 2 });
      expect(await space.list()).toEqual([]);
      expect(await space.list({ deleted: true })).toMatchObject([{ path: HOSTILE, state: "deleted" }]);
      expect(await space.undelete(HOSTILE)).toMatchObject({ version: 2 });
      await space.destroy(HOSTILE, 1);
      const { versions } = await space.history(HOSTILE);
      expect(versions.map(({ version, destroyed }) => [version, destroyed])).toEqual([
        [2, false],
        [1, true],
      ]);
      expect(await space.record()).toMatchObject({ name: "main", files: 1, bytes: 4, versions: 1 });
    });

    test("shows files edited by hand, and records them on request", async () => {
      await using door = await open();
      const { space, tree } = door;
      await space.write("a.md", bytes("a"), null);
      expect(readFileSync(join(tree, "a.md"), "utf8")).toBe("a");
      writeFileSync(join(tree, "a.md"), "edited");
      mkdirSync(join(tree, "new"));
      writeFileSync(join(tree, "new", "b.md"), "b");
      const states = async () => (await space.list()).map(({ path, state }) => [path, state]);
      expect(await states()).toEqual([
        ["a.md", "modified"],
        ["new/b.md", "untracked"],
      ]);
      expect(await space.read("a.md")).toMatchObject({ version: null, state: "modified" });
      expect(await space.history("new/b.md")).toMatchObject({ tracked: false, versions: [] });
      expect(await space.adopt()).toMatchObject({ adopted: ["a.md", "new/b.md"], refused: [] });
      expect(await states()).toEqual([
        ["a.md", "live"],
        ["new/b.md", "live"],
      ]);
      expect(await space.list({ prefix: "new" })).toMatchObject([{ path: "new/b.md", version: 1 }]);
    });

    test("shows the links between documents, also those edited by hand", async () => {
      await using door = await open();
      const { space, tree } = door;
      await space.write("a.md", bytes("[[b]]"), null);
      writeFileSync(join(tree, "b.md"), "[[a]] [[none]]");
      expect(await space.graph()).toMatchObject({
        totals: { documents: 2, links: 3, broken: 1, orphans: 0 },
      });
      const { links } = await space.graph({ path: "a.md" });
      expect(links!.map(({ from, to }) => [from, to])).toEqual([
        ["a.md", "b.md"],
        ["b.md", "a.md"],
      ]);
      expect(await space.graph({ only: "orphans" })).toMatchObject({ orphans: [] });
      await refusal(space.graph({ path: "none.md" }), "not_found", "file none.md: not found");
    });

    test("says which documents are stale, and validates them without losing an edit", async () => {
      await using door = await open();
      const { space, tree } = door;
      const now = Date.now();
      const today = utcDay(now);
      const old = "---\nlast-validated: 2020-01-01 # ann\nstale-after: 90d\n---\n";
      await space.write("a.md", bytes(`${old}recorded`), null);
      const states = async () => (await space.freshness()).documents.map(({ path, state }) => [path, state]);
      writeFileSync(join(tree, "a.md"), `${old}edited`);
      writeFileSync(join(tree, "b.md"), `${old}new`);
      writeFileSync(join(tree, "c.md"), "---\nstale-after: 1d\nno end");
      expect(await states()).toEqual([
        ["a.md", "stale"],
        ["b.md", "stale"],
        ["c.md", "unknown"],
      ]);
      // An edit by hand is recorded first, as a version of its own.
      expect(await validate(space, "a.md", now)).toEqual({
        path: "a.md",
        last_validated: today,
        version: 3,
        changed: true,
      });
      expect(text((await space.read("a.md", 2)).bytes)).toBe(`${old}edited`);
      expect(text((await space.read("a.md")).bytes)).toBe(`${old.replace("2020-01-01", today)}edited`);
      expect(await validate(space, "b.md", now)).toMatchObject({ version: 2, changed: true });
      expect(await validate(space, "b.md", now)).toMatchObject({ version: 2, changed: false });
      expect(await states()).toEqual([
        ["a.md", "fresh"],
        ["b.md", "fresh"],
        ["c.md", "unknown"],
      ]);
      await refusal(validate(space, "c.md", now), "invalid", /^c\.md: the front matter has no /, {
        path: "c.md",
      });
      await refusal(validate(space, "none.md", now), "not_found", "file none.md: not found");
      await refusal(validate(space, "x.png", now), "invalid", /^x\.png: only \.md, /, { path: "x.png" });
    });

    test("validates what an editor saves in the meantime", async () => {
      await using door = await open();
      const { space, tree } = door;
      await space.write("a.md", bytes("one"), null);
      writeFileSync(join(tree, "a.md"), "two");
      const meanwhile: SpaceDoor = Object.create(space, {
        write: {
          value: (path: string, content: Uint8Array, expected: Expected) => {
            if (text(content).endsWith("two")) writeFileSync(join(tree, "a.md"), "three");
            return space.write(path, content, expected);
          },
        },
        read: { value: (path: string, version?: number) => space.read(path, version) },
        history: { value: (path: string) => space.history(path) },
      }) as SpaceDoor;
      expect(await validate(meanwhile, "a.md", Date.now())).toMatchObject({ changed: true });
      expect(text((await space.read("a.md")).bytes)).toEndWith("---\nthree");
    });

    test("keeps who wrote a version for the caller, and what they said about it", async () => {
      await using door = await open();
      const { space } = door;
      const signature = { agent: "scöut", message: "turn 12 of research (draft)" };
      await space.write("a.md", bytes("one"), null, signature);
      await space.write("a.md", bytes("two"), 1);
      const [second, first] = (await space.history("a.md")).versions;
      expect(first).toMatchObject({
        author: expect.stringMatching(/^(.+ \(scöut\)|scöut)$/),
        message: signature.message,
      });
      expect(second).not.toHaveProperty("message");
      expect(second!.author).not.toContain("scöut");
    });

    test("reads many documents at once, and says of each that cannot be read why", async () => {
      await using door = await open();
      const { space, tree } = door;
      const a = await space.write("a.md", bytes("a"), null);
      await space.write("team/b.md", bytes("b"), null);
      await space.write("team/c.bin", new Uint8Array([0xff, 0xfe]), null);
      await space.write("else.md", bytes("e"), null);
      mkdirSync(join(tree, "team"), { recursive: true });
      writeFileSync(join(tree, "team", "d.md"), "by hand");
      const query = { paths: ["a.md", "none.md", "a.md"], prefixes: ["team", "nothing/here"] };
      const answer = await space.documents(query);
      expect(answer).toMatchObject({
        head: (await space.record()).head,
        documents: [
          { path: "a.md", version: 1, hash: a.hash, text: "a" },
          { path: "team/b.md", version: 1, text: "b" },
          { path: "team/d.md", version: null, text: "by hand" },
        ],
        unread: [
          { path: "none.md", problem: { code: "not_found" } },
          { path: "team/c.bin", problem: { code: "not_text" } },
        ],
        omitted: 0,
      });
      const known = Object.fromEntries(answer.documents.map(({ path, hash }) => [path, hash]));
      await space.write("a.md", bytes("changed"), 1);
      const again = await space.documents({ ...query, known });
      expect(again.documents.map((one) => [one.path, one.text])).toEqual([
        ["a.md", "changed"],
        ["team/b.md", undefined],
        ["team/d.md", undefined],
      ]);
    });

    test("restores snapshots and keeps sync rules", async () => {
      await using door = await open();
      const { space } = door;
      await space.write("a.md", bytes("one"), null);
      const { id } = await space.snapshot(" before ");
      await space.write("a.md", bytes("two"), undefined);
      expect(await space.snapshots()).toMatchObject([{ id, name: "before" }]);
      expect(await space.restore(id)).toMatchObject({ files: ["a.md"] });
      expect(text((await space.read("a.md")).bytes)).toBe("one");
      expect(await space.setSyncRule("private/", "never")).toEqual({
        "identity/": "init-only",
        "private/": "never",
      });
      expect((await space.list())[0]).toMatchObject({ mode: "always" });
      expect(await space.syncRules()).toHaveProperty("private/", "never");
    });

    test("refuses in the same words, and changes nothing", async () => {
      await using door = await open();
      const { space } = door;
      const { version, hash } = await space.write("a.md", bytes("a"), null);
      const current = { current: { version, hash } };
      const live = "cannot destroy current live version — soft-delete first";
      await refusal(space.write("a.md", bytes("b"), 7), "stale", /^a\.md: /, { path: "a.md", ...current });
      await refusal(space.write("a.md", bytes("b"), null), "stale");
      await refusal(space.remove("a.md", 7), "stale");
      await refusal(space.read("none.md"), "not_found", "file none.md: not found");
      await refusal(space.read("a.md", 9), "not_found", "file a.md v9: not found");
      await refusal(space.history("none.md"), "not_found", "file none.md: not found");
      await refusal(space.write(".git/config", bytes("x"), undefined), "invalid");
      await refusal(space.destroy("a.md", 1), "invalid", new RegExp(live));
      await refusal(space.write("k.md", bytes("AKIAQWERTYUIOPASDFGH"), undefined), "secret_found");
      await refusal(space.restore(99), "not_found", "snapshot 99: not found");
      await refusal(space.list({ at: "soon" }), "invalid", /^at: /);
      expect(await space.list()).toMatchObject([{ path: "a.md", version: 1 }]);
    });
  });
