// Goal: two nodes of a server share its data: one answers, the other follows, takes over within seconds, and nothing that was acknowledged is lost.

import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nodes } from "../kit/context/nodes.ts";
import { eventually, until } from "../kit/eventually.ts";

describe("two nodes", () => {
  test("one leads, the other is on standby and takes over with everything", async () => {
    await using all = await nodes();
    const a = await all.start("a");
    await a.leads();
    await a.admin.write("a.md", "one\n");
    const b = await all.start("b");
    expect(await b.health()).toEqual([503, "standby"]);
    await a.admin.write("a.md", "two\n");
    await a.admin.write("sub/b.md", "b\n");
    await until(() => [...all.storage.objects.keys()].some((key) => key.endsWith("manifest.json")));
    await until(() => existsSync(join(b.directory, "spaces/team/a.md")));
    await a.stop();
    await b.leads();
    expect(await b.health()).toEqual([200, "ok"]);
    expect(await b.admin.read("a.md")).toBe("two\n");
    expect(await b.admin.read("sub/b.md")).toBe("b\n");
    expect(readFileSync(join(b.directory, "spaces/team/sub/b.md"), "utf8")).toBe("b\n");
    expect(await b.admin.get("/audit/verify")).toMatchObject({ ok: true });
    await b.admin.write("c.md", "c\n");
    const a2 = await all.start("a");
    expect(await a2.health()).toEqual([503, "standby"]);
    await eventually(() => existsSync(join(a2.directory, "spaces/team/c.md")), true);
    await b.stop();
    await a2.leads();
    expect(await a2.admin.read("c.md")).toBe("c\n");
    expect(await a2.admin.get("/audit/verify")).toMatchObject({ ok: true });
  });
});
