// Goal: `cairn context`, `cairn export` and `cairn bench context` work on a folder and on a server, for people and for programs, and fail with what to do.

import { describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { BenchReport } from "../../src/context/delivery/bench.ts";
import type { Receipt, Verification } from "../../src/context/delivery/schema.ts";
import { createLocalSpace } from "../../src/context/space/local.ts";
import { sha256Hex } from "../../src/kit/crypto.ts";
import { cairnAt, failure, stoppedContext, type Cairn } from "../kit/cli/cairn.ts";
import { temporaryFolder, type Folder } from "../kit/folder.ts";
import { shared } from "../kit/group-resource.ts";
import { localDeps } from "../kit/context/space-doors.ts";

interface Place extends AsyncDisposable, Cairn {
  readonly folder: Folder;
}

async function inFolder(): Promise<Place> {
  const folder = await temporaryFolder();
  const directory = join(folder.path, "space");
  const space = await createLocalSpace({ directory, name: "main", template: "team" }, localDeps);
  await space.close();
  return {
    ...cairnAt(["--dir", directory]),
    folder,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const TASKS = `tasks:
  - question: Where are decisions kept?
    phrasings: ["What did the team decide, and why?"]
    answers: [decisions.md]
  - question: Where does a new person begin?
    answers: [context-entry.md]
`;

describe.each<[string, () => Promise<Place>]>([
  ["a folder", inFolder],
  ["a server", () => stoppedContext()],
])("%s", (_, make) => {
  const place = shared<Place>(make);

  test("context is delivered with a receipt, which is verified, also after an edit", async () => {
    const receipt = join(place.folder.path, "receipt.json");
    const text = await place.printed("context", "inject", "--receipt", receipt);
    expect(text).toStartWith('# Context from the Cairn space "main"\n');
    expect(text).toMatch(/\nRead a document: \S*cairn file get PATH --/);
    expect(statSync(receipt).mode & 0o111).toBe(0);
    const written = JSON.parse(readFileSync(receipt, "utf8")) as Receipt;
    expect(written.documents.map(({ path }) => path)).toContain("identity/me.md");
    // The text itself can be proven, too.
    expect(written.text_hash).toBe(sha256Hex(text));
    const { receipt: again } = await place.data<{ receipt: Receipt }>("context", "inject");
    expect({ ...again, created_at: "" }).toEqual({ ...written, created_at: "" });
    expect(await place.printed("context", "verify-receipt", receipt)).toBe(
      `the receipt matches: ${written.documents.length} documents verified\n`,
    );
    const edit = await place.folder.write("edit", "# New start\n");
    await place.printed("file", "put", "context-entry.md", "--from", edit);
    expect(await place.printed("context", "verify-receipt", receipt)).toContain(
      "context-entry.md: v1 was delivered; v2 is current",
    );
    const [first, ...others] = written.documents;
    const forged = { ...written, documents: [{ ...first!, version: 2 }, ...others] };
    const file = await place.folder.write("forged.json", JSON.stringify(forged));
    const { exitCode, stdout, stderr } = await place.cairn("context", "verify-receipt", file, "--json");
    const found = JSON.parse(stdout) as Verification;
    const [failed] = found.rows.filter(({ ok }) => !ok);
    expect(failed).toMatchObject({ row: 1, path: first!.path, status: "differs", current: 2 });
    const message = `the receipt does not match the space: row 1, ${first!.path}: ${failed!.problem}`;
    expect([exitCode, JSON.parse(stderr)]).toEqual([1, { error: { code: "refused", message } }]);
  });
});

describe("a folder", () => {
  const place = shared<Place>(inFolder);

  test("delivers a map within a budget, and the JSON of a hook", async () => {
    const map = await place.printed("context", "inject", "--mode", "map", "--budget", "500");
    expect(map).toContain("## Map: every other document");
    const hook = JSON.parse(await place.printed("context", "inject", "--format", "claude-hook")) as object;
    expect(hook).toEqual({
      hookSpecificOutput: {
        hookEventName: "SessionStart",
        additionalContext: expect.stringContaining("# Context"),
      },
    });
  });

  test("writes a receipt over nothing but a receipt", async () => {
    const document = join(place.folder.path, "space", "decisions.md");
    const before = readFileSync(document, "utf8");
    expect(await place.refused("context", "inject", "--receipt", document)).toEqual(
      failure(`--receipt ${document}: not a receipt; choose another file`),
    );
    expect(readFileSync(document, "utf8")).toBe(before);
    expect(await place.refused("context", "inject", "--receipt", "-")).toEqual(
      failure("--receipt: name a file; standard output has the text"),
    );
    const receipt = join(place.folder.path, "r.json");
    await place.printed("context", "inject", "--receipt", receipt);
    await place.printed("context", "inject", "--receipt", receipt, "--mode", "map");
    expect((JSON.parse(readFileSync(receipt, "utf8")) as Receipt).documents).not.toEqual([]);
  });

  test("waits for no pipe and reads no endless device", async () => {
    const pipe = join(place.folder.path, "pipe");
    Bun.spawnSync(["mkfifo", pipe]);
    expect(await place.refused("context", "inject", "--receipt", pipe)).toEqual(
      failure(`--receipt ${pipe}: not a receipt; choose another file`),
    );
    for (const file of [pipe, "/dev/zero"])
      for (const command of [
        ["context", "verify-receipt"],
        ["bench", "context"],
      ])
        expect(await place.refused(...command, file)).toEqual(failure(`${file}: not a regular file`));
  });

  test("exports a whole space, the same each time", async () => {
    const single = await place.printed("export", "--format", "single");
    expect(await place.printed("export")).toBe(single);
    expect(single).toContain("\n**team/principles.md** (v1)\n");
    expect(await place.printed("export", "--format", "chatgpt")).toStartWith(
      '# Context of "main"\n\nThis file is',
    );
    const { documents } = await place.data<{ documents: { path: string }[] }>("export");
    expect(documents.map(({ path }) => path)).toContain("decisions.md");
  });

  test("measures what each arm reaches, and the effect of phrasing", async () => {
    const tasks = await place.folder.write("tasks.yaml", TASKS);
    const report = await place.data<BenchReport>("bench", "context", tasks);
    expect(report.arms.map(({ arm, questions }) => [arm, questions])).toEqual([
      ["nothing", 3],
      ["entry set", 3],
      ["map + search", 3],
    ]);
    const text = await place.printed("bench", "context", tasks);
    expect(text).toMatch(
      /^2 tasks, 3 questions, head [0-9a-f]{12}\.\d+\n\nARM +REACHED +TOKENS UP FRONT +TOKENS FETCHED\n/,
    );
    expect(text).toContain(
      "Phrasing, over the 1 task with several:\n  nothing: 0 by every phrasing, 0 by some, 1 by none\n",
    );
    expect(text).toContain("\nNot in this count: 1 task without a second phrasing.\n");
  });

  test("refuses invalid requests, and says what to do", async () => {
    const { folder } = place;
    const nowhere = join(folder.path, "nowhere");
    const wrong = await folder.write("wrong.json", '{"receipt": 1}');
    const tasks = await folder.write("wrong.yaml", "tasks: [{question: a, answers: [gone.md]}]");
    const cases: [string[], [number, string]][] = [
      [["context", "inject", "--budget", "5"], failure('--budget "5": expected 200 to 1000000 tokens')],
      [["context", "inject", "--mode", "all"], failure("--mode: expected one of: entry-set, map")],
      [
        ["context", "inject", "--format", "claude-hook", "--yaml"],
        [1, expect.stringContaining("use --format claude-hook or --yaml, not both") as unknown as string],
      ],
      [
        ["context", "inject", "--receipt", join(nowhere, "r")],
        failure(`--receipt ${join(nowhere, "r")}: no such file`),
      ],
      [["context", "verify-receipt", nowhere], failure(`${nowhere}: no such file`)],
      [["context", "verify-receipt", folder.path], failure(`${folder.path}: a directory, not a file`)],
      [["context", "verify-receipt", wrong], failure(`${wrong}: space: missing`)],
      [["export", "--format", "pdf"], failure("--format: expected one of: single, chatgpt")],
      [["bench", "context", tasks], failure("the space has no gone.md (task 1); correct the answers")],
    ];
    for (const [command, refusal] of cases)
      expect([command, await place.refused(...command)]).toEqual([command, refusal]);
  });
});
