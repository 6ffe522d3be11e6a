// Goal: a name that someone chose can neither act on the terminal of a person who lists it nor pass for another; programs get it as it is.

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileRecord } from "../../src/context/versioned-store/schema.ts";
import { runContext } from "../kit/context/running-context.ts";

const OVERRIDE = "invoice\u202efdp.exe";
const SEQUENCE = "a\u001b[2Jb.md";
const UNSAFE = /(?!\n)[\p{Cc}\p{Bidi_Control}]/u;

test.skipIf(process.platform === "win32")(
  "lists and errors replace what a terminal would act on; JSON keeps it",
  async () => {
    await using server = await runContext();
    const space = join(server.directory, "spaces/team");
    for (const name of [OVERRIDE, SEQUENCE]) writeFileSync(join(space, name), "x");

    const listed = await server.printed("file", "list");
    expect(listed).not.toMatch(UNSAFE);
    expect(listed).toContain("invoice\ufffdfdp.exe");
    expect(listed).toContain("a\ufffd[2Jb.md");

    const exact = await server.data<FileRecord[]>("file", "list");
    expect(exact.map(({ path }) => path).sort()).toEqual([SEQUENCE, OVERRIDE]);

    const mistyped = await server.cairn(`${SEQUENCE}list`);
    expect(mistyped.stderr).toStartWith("Error: unknown command: a\ufffd[2Jb.mdlist");
    expect(mistyped.stderr).not.toMatch(UNSAFE);
  },
);
