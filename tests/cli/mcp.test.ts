// Goal: an AI tool reads and, if it may, writes a space through `cairn mcp`, in a folder and of a server alike; it gets errors that it can act on, never
// a broken protocol; and it keeps a folder from no other command.

import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capabilities } from "../../src/context/access/schema.ts";
import { stoppedContext } from "../kit/cli/cairn.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { shared } from "../kit/group-resource.ts";
import { mcpSession } from "../kit/context/mcp.ts";
import { inFolder, onServer, type Place } from "../kit/context/mcp-places.ts";
import { runContext } from "../kit/context/running-context.ts";

const READING = ["status", "list", "read", "search", "neighbours", "map"];

describe.each([
  ["a folder", "main", inFolder],
  ["a server", "team", onServer],
] as const)("%s", (_, name, make) => {
  const place = shared<Place>(make);

  test("answers the handshake, and lists its tools; put is there only with --write", async () => {
    await using reader = await mcpSession(...place.flags);
    expect(reader.client.getServerVersion()).toMatchObject({ name: "cairn" });
    expect(reader.client.getInstructions()).toContain("not instructions");
    const names = async (session: typeof reader) =>
      (await session.client.listTools()).tools.map((tool) => tool.name);
    expect(await names(reader)).toEqual(READING);
    await using writer = await mcpSession("--write", ...place.flags);
    expect(await names(writer)).toEqual([...READING, "put"]);
    expect(await reader.refused("put", { path: "x.md", content: "", expected_version: null })).toBe(
      `invalid: unknown tool "put"; available: ${READING.join(", ")}; start cairn mcp with --write to allow it`,
    );
    expect(await reader.call("status")).toMatch(new RegExp(`^space: ${name}\nplace: .+\ndocuments: \\d+ `));
  });

  test("reads what is on disk, an earlier version, and a long document in parts that add up", async () => {
    await using session = await mcpSession("--write", ...place.flags);
    await session.call("put", { path: "r.md", content: "one\n", expected_version: null });
    expect(await session.call("put", { path: "b.md", content: "b", expected_version: null })).toBe(
      "b.md is at v1 (1 B)",
    );
    expect(await session.call("put", { path: "r.md", content: "two\n", expected_version: 1 })).toBe(
      "r.md is at v2 (4 B)",
    );
    expect(await session.call("read", { path: "r.md" })).toBe("[r.md v2]\ntwo\n");
    expect(await session.call("read", { path: "r.md", version: 1 })).toBe("[r.md v1]\none\n");
    expect(await session.call("read", { path: "r.md", version: "v1" })).toBe("[r.md v1]\none\n");
    expect(await session.refused("read", { path: "r.md", version: "1.5" })).toBe(
      "invalid: version: expected an integer",
    );
    writeFileSync(join(place.tree, "hand.md"), "by hand\n");
    expect(await session.call("read", { path: "hand.md" })).toBe(
      "[hand.md no version, untracked: edited by hand and not recorded]\nby hand\n",
    );

    const long = Array.from(
      { length: 2_000 },
      (__, line) => `line ${line + 1}: ${"👍".repeat(line % 30)}`,
    ).join("\n");
    await session.call("put", { path: "long.md", content: long, expected_version: null });
    let whole = "";
    let offset: number | undefined = 0;
    let parts = 0;
    while (offset !== undefined) {
      const answer: string = await session.call("read", { path: "long.md", offset, limit: 10_000 });
      const [, first] = /^\[long\.md v1; lines (\d+) to \d+ of 2000\]$/.exec(answer.split("\n")[0]!)!;
      expect(Number(first)).toBe(whole.split("\n").length);
      const next = /\n\[cut at character (\d+) of \d+; continue with offset: \1\]$/.exec(answer);
      whole += answer.slice(answer.indexOf("\n") + 1, next?.index);
      offset = next ? Number(next[1]) : undefined;
      parts += 1;
    }
    expect([parts > 4, whole === long]).toEqual([true, true]);
    expect(await session.call("read", { path: "long.md", line: 1_990, limit: 30 })).toStartWith(
      "[long.md v1; lines 1990 to 1990 of 2000]\nline 1990: ",
    );
    expect(await session.call("read", { path: "long.md", line: 5_000 })).toMatch(
      /; nothing there: it ends at line 2000, /,
    );
  });

  test("writes by compare-and-swap: of many that expect one version one wins, and the others get the content", async () => {
    await using session = await mcpSession("--write", ...place.flags);
    await session.call("put", { path: "race.md", content: "base\n", expected_version: null });
    const tries = await Promise.allSettled(
      Array.from({ length: 12 }, (__, one) =>
        session.call("put", { path: "race.md", content: `by ${one}\n`, expected_version: 1 }),
      ),
    );
    expect(tries.filter(({ status }) => status === "fulfilled").length).toBe(1);
    const won = await session.call("read", { path: "race.md" });
    expect(won).toMatch(/^\[race\.md v2\]\nby \d+\n$/);
    const lost = tries.find((one) => one.status === "rejected")!.reason as Error;
    expect(lost.message).toBe(
      `stale: race.md: expected v1, but the current version is v2. Nothing was written.\n\nThe document now:\n${won}`,
    );
    expect(await session.refused("put", { path: "race.md", content: "", expected_version: null })).toContain(
      won,
    );
    const gone = await session.refused("put", { path: "gone.md", content: "", expected_version: 3 });
    expect(gone).toEndWith("The document does not exist now; to create it, put with expected_version null.");
  });

  test("a hand edit is never overwritten: it becomes a version, and the writer learns its number", async () => {
    await using session = await mcpSession("--write", ...place.flags);
    await session.call("put", { path: "edit.md", content: "one\n", expected_version: null });
    writeFileSync(join(place.tree, "edit.md"), "by hand\n");
    const stale = await session.refused("put", { path: "edit.md", content: "two\n", expected_version: 1 });
    expect(stale).toEndWith("The document now:\n[edit.md v2]\nby hand\n");
    expect(await session.call("put", { path: "edit.md", content: "two\n", expected_version: 2 })).toStartWith(
      "edit.md is at v3 ",
    );
  });

  test("offers every document as a resource, page by page, under any name", async () => {
    await using session = await mcpSession("--write", ...place.flags);
    const odd = "notes/ä #1 100% שלום.md";
    await session.call("put", { path: odd, content: "odd\n", expected_version: null });
    const found = new Map<string, string>();
    let cursor: string | undefined;
    do {
      const page = await session.client.listResources(cursor === undefined ? {} : { cursor });
      for (const one of page.resources) found.set(one.name, one.uri);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(found.get("a.md")).toBe(`cairn://${name}/a.md`);
    const { contents } = await session.client.readResource({ uri: found.get(odd)! });
    expect(contents).toEqual([{ uri: found.get(odd)!, mimeType: "text/markdown", text: "odd\n" }]);
    const { resourceTemplates } = await session.client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: "cairn://{space}/{+path}" }]);
    await session.call("put", { path: "big.md", content: "x".repeat(300_000), expected_version: null });
    for (const [uri, code, says] of [
      [`cairn://${name}/none.md`, -32002, "not found"],
      ["cairn://other/a.md", -32602, "begins with"],
      ["file:///etc/passwd", -32602, "begins with"],
      [`cairn://${name}/../../etc/passwd`, -32602, ".."],
      [`cairn://${name}/%zz`, -32602, "encodes nothing"],
      [`cairn://${name}/big.md`, -32602, "read it in parts with the tool read"],
    ] as const) {
      const refusal = await session.client.readResource({ uri }).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ code, message: expect.stringContaining(says) });
    }
    await expect(session.client.listResources({ cursor: "\ud800" })).rejects.toMatchObject({ code: -32602 });
  });

  test("answers hostile arguments with errors of the tool, and goes on", async () => {
    await using session = await mcpSession("--write", ...place.flags);
    if (process.platform !== "win32") {
      symlinkSync("/etc/passwd", join(place.tree, "link.md"));
      symlinkSync("/etc", join(place.tree, "etc"));
    } else mkdirSync(join(place.tree, "etc"));
    const path = "a.md";
    for (const [tool, input, says] of [
      ["read", {}, "invalid: path: missing"],
      ["read", { path: 1 }, "invalid: path: expected a string"],
      ["read", { path, nope: 1 }, "invalid: nope: unknown field"],
      ["read", { path: "../../etc/passwd" }, '".."'],
      ["read", { path: "/etc/passwd" }, "path: must be relative"],
      ["read", { path: ".cairn/space.yaml" }, ".cairn"],
      ["read", { path: "a\u0000.md" }, "must not contain control"],
      ["read", { path: "link.md" }, ""],
      ["read", { path: "etc/passwd" }, ""],
      ["read", { path: "none.md" }, "not_found: file none.md: not found"],
      ["read", { path, version: 99 }, "not_found: "],
      ["read", { path, version: 0 }, "invalid: version: at least 1"],
      ["read", { path, offset: -1 }, "invalid: offset: at least 0"],
      ["read", { path, line: 1, offset: 1 }, "invalid: use line or offset, not both"],
      ["read", { path, limit: 1e9 }, "invalid: limit: at most 100000"],
      ["list", { limit: 0 }, "invalid: limit: at least 1"],
      ["list", { prefix: "../x" }, "invalid: prefix"],
      ["put", { path, content: "x" }, "invalid: expected_version: missing"],
      [
        "put",
        { path, content: "\ud800", expected_version: null },
        "invalid: content: contains half of a character",
      ],
      [
        "put",
        { path, content: "x".repeat(1024 * 1024 + 1), expected_version: 1 },
        "invalid: content: at most",
      ],
      ...(process.platform === "win32"
        ? []
        : [["put", { path: "etc/new.md", content: "x", expected_version: null }, ""] as const]),
      [
        "put",
        { path: "secret.md", content: `key = "AKIA${"QWERTYUIOPASDFGH"}"\n`, expected_version: null },
        "secret_found: ",
      ],
      ["rm", { path }, 'invalid: unknown tool "rm"'],
      ["__proto__", {}, 'invalid: unknown tool "__proto__"'],
    ] as readonly (readonly [string, object, string])[]) {
      const refusal = await session.refused(tool, input);
      expect([tool, input, refusal]).toEqual([tool, input, expect.stringContaining(says)]);
      expect(refusal).not.toContain("root:");
      expect(refusal).not.toMatch(/^internal/);
    }
    expect(await session.call("read", { path })).toContain("one\n");
    expect(session.log()).toBe("");
  });

  test("lists with a bound, and continues where it was cut", async () => {
    await using session = await mcpSession("--write", ...place.flags);
    for (const one of ["l/1.md", "l/2.md", "l/3.md"])
      await session.call("put", { path: one, content: one, expected_version: null });
    expect(await session.call("list", { prefix: "l", limit: 2 })).toBe(
      "l/1.md\tv1\t6\tlive\nl/2.md\tv1\t6\tlive\n[1 to 2 of 3 documents; continue with offset: 2]",
    );
    expect(await session.call("list", { prefix: "l/", offset: 2 })).toBe("l/3.md\tv1\t6\tlive");
    expect(await session.call("list", { prefix: "l", offset: 9 })).toBe("no more documents: there are 3");
    expect(await session.call("list", { prefix: "none" })).toBe("no documents below none");
  });

  test("searches words and patterns, with the lines that read takes", async () => {
    await using session = await mcpSession("--write", ...place.flags);
    await session.call("put", {
      path: "s/sea.md",
      content: "# Sea\n\nThe wide ocean.\n",
      expected_version: null,
    });
    await session.call("put", {
      path: "s/two.md",
      content: "an ocean\nand an ocean\n",
      expected_version: null,
    });
    expect(await session.call("search", { query: "wide ocean" })).toBe("s/sea.md\n  3: The wide ocean.");
    expect(await session.call("search", { query: "oce*", path: "s/**", limit: 1, lines: 1 })).toMatch(
      /^s\/\w+\.md\n {2}\d: .*ocean\.?(\n {2}\[more lines match\])?\n\[more documents match; /,
    );
    expect(await session.call("search", { query: "^THE .*n\\.$", regex: true, ignore_case: true })).toBe(
      "s/sea.md\n  3: The wide ocean.",
    );
    expect(await session.call("search", { query: "zzzz" })).toBe("no document matches");
    expect(await session.refused("search", { query: "(", regex: true })).toStartWith("invalid: query: ");
    expect(await session.refused("search", { query: "" })).toBe("invalid: query: must not be empty");
  });

  test("shows the links of a document, and a map that begins with what matters", async () => {
    await using session = await mcpSession("--write", ...place.flags);
    const texts = {
      "g/hub.md": "the hub\n",
      "g/x.md": "[[hub]]\n[[nowhere]]\n",
      "g/y.md": "see [hub](hub.md)\n",
    };
    for (const [path, content] of Object.entries(texts))
      await session.call("put", { path, content, expected_version: null });
    expect(await session.call("neighbours", { path: "g/x.md" })).toBe(
      "g/x.md links to:\n- line 1: g/hub.md\n- line 2: nowhere (broken)\nlinked from: nothing",
    );
    expect(await session.call("neighbours", { path: "g/hub.md" })).toBe(
      "g/hub.md links to: nothing\nlinked from:\n- g/x.md, line 1\n- g/y.md, line 1",
    );
    expect(await session.refused("neighbours", { path: "none.md" })).toStartWith("not_found: ");
    const [totals, first, ...others] = (await session.call("map", { limit: 3 })).split("\n");
    expect(totals).toMatch(
      /^documents: \d+, links: \d+, broken links: 1, documents without a link to them: \d+$/,
    );
    expect(first).toBe("1. g/hub.md");
    expect(others.at(-1)).toMatch(/^\[\d+ more; raise limit, /);
  });

  test("other commands have their turn while it runs", async () => {
    await using session = await mcpSession("--write", ...place.flags);
    await session.call("status");
    const file = join(place.tree, "..", "from.md");
    writeFileSync(file, "theirs\n");
    await place.cairn("file", "put", "turn.md", "--from", file);
    expect(await session.call("read", { path: "turn.md" })).toBe("[turn.md v1]\ntheirs\n");
    await session.call("put", { path: "turn.md", content: "mine\n", expected_version: 1 });
    expect((await place.cairn("file", "get", "turn.md")).stdout).toBe("mine\n");
  });
});

describe("rights and places", () => {
  test("a viewer reads and writes nothing, and sees only what a rule lets them see", async () => {
    await using server = await runContext();
    await using folder = await temporaryFolder();
    await server.admin.write("a.md", "one\n");
    await server.admin.write("finance/plan.md", "secret [[a]]\n");
    const { token } = await server.admin.post("/users", { name: "eve", role: "viewer" });
    const rules = [{ effect: "deny" as const, path: "team/finance/**", capabilities: [...capabilities] }];
    await server.admin.put("/users/eve/acl", { rules });
    const file = await folder.write("token", token);
    await using session = await mcpSession("--write", "--server", server.url, "--token-file", file);
    expect(await session.call("list")).toBe("a.md\tv1\t4\tlive");
    for (const [tool, input] of [
      ["read", { path: "finance/plan.md" }],
      ["neighbours", { path: "finance/plan.md" }],
    ] as const)
      expect(await session.refused(tool, input)).toBe("not_found: file finance/plan.md: not found");
    expect(await session.call("search", { query: "secret" })).toBe("no document matches");
    expect(await session.call("neighbours", { path: "a.md" })).not.toContain("finance");
    expect((await session.client.listResources()).resources.map(({ name }) => name)).toEqual(["a.md"]);
    const put = await session.refused("put", { path: "a.md", content: "x", expected_version: 1 });
    expect(put).toStartWith("forbidden: ");
    await server.admin.post("/users/eve/disable");
    expect(await session.refused("list")).toMatch(
      /^unauthenticated: .+ run cairn auth login <name> --server /,
    );
  });

  test("the data of a stopped server serves as well, and is free between calls", async () => {
    await using server = await stoppedContext("team");
    await using session = await mcpSession("--write", "--server-dir", server.directory);
    expect(await session.call("map", { limit: 1 })).toContain("1. context-entry.md");
    expect(await session.call("put", { path: "n.md", content: "n\n", expected_version: null })).toStartWith(
      "n.md is at v1",
    );
    expect((await server.cairn("file", "get", "n.md")).stdout).toBe("n\n");
  });

  test("a server that does not answer is an error of each call, and of no handshake", async () => {
    await using session = await mcpSession("--server", "http://127.0.0.1:1", "--space", "main");
    expect(await session.refused("list")).toStartWith("unavailable: http://127.0.0.1:1 does not answer: ");
  });
});
