// Goal: `cairn init` makes exactly what it was told: asked for at a terminal one question at a time, or by flags alone; it changes no file that is
// there, and leaves nothing behind if someone cancels or an answer is wrong.

import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { failure } from "../kit/cli/cairn.ts";
import { pictureOf } from "../kit/folder.ts";
import { until } from "../kit/eventually.ts";
import { BACK, CANCEL, CLEAR, DOWN, END, ENTER, initDesk } from "../kit/cli/init-desk.ts";

const SEEDED = [
  "context-entry.md",
  "decisions.md",
  "identity/me.md",
  "projects/example/project.md",
  "space-index.md",
  "team/principles.md",
  "team/skill-map.md",
];

describe("init solo by flags", () => {
  test("seeds every page at v1, where and how the flags say, and says what to do next", async () => {
    await using at = await initDesk();
    const { exitCode, stdout, stderr } = await at.cairn("init", "solo", "--dir", "my notes");
    expect([exitCode, stdout]).toEqual([
      0,
      `created the space my-notes in ${at.at("my notes")} with 7 pages (template solo)\n`,
    ]);
    expect(stderr).toBe(
      [
        "[info] next:",
        `  cairn status --dir '${at.at("my notes")}'`,
        `  cairn activate --dir '${at.at("my notes")}'    # in a project folder: connects its AI tools to the space`,
        "",
      ].join("\n"),
    );
    const quiet = await at.cairn("init", "solo", "--dir", "quiet", "--quiet");
    expect([quiet.exitCode, quiet.stderr]).toEqual([0, ""]);
    const files = await at.data<{ path: string; version: number; state: string }[]>(
      "file",
      "list",
      "--dir",
      "my notes",
    );
    expect(files.map(({ path, version, state }) => [path, version, state])).toEqual(
      SEEDED.map((path) => [path, 1, "live"]),
    );
    const own = await at.data<object>("init", "solo", "--template", "blank", "--name", "me");
    expect(own).toEqual({
      directory: at.at(".cairn", "space"),
      space: "me",
      template: "blank",
      created: true,
      written: [],
      left_out: [],
      adopted: 0,
      refused: [],
      behind: [],
      untracked: 0,
      tools: [],
      daemon: null,
      problems: [],
    });
  });

  test("keeps the files of a folder byte for byte, and records them if it is told to", async () => {
    await using at = await initDesk();
    const mine = {
      "Decisions.md": "# Mine\n",
      "wiki/a b#1?.md": "# A [[b]]\n",
      "wiki/pic.bin": "\u0000\u0001",
    };
    for (const folder of ["plain", "adopted"])
      for (const [path, text] of Object.entries(mine)) await at.folder.write(`${folder}/${path}`, text);
    const said = await at.printed("init", "solo", "--dir", "plain");
    expect(said).toContain(
      "left out, since their names, or those of their folders, are taken: decisions.md\n",
    );
    expect(said).toContain(
      `2 files without a version yet; record them with cairn space adopt --dir ${at.at("plain")}\n`,
    );
    const made = await at.data<object>("init", "solo", "--dir", "adopted", "--adopt");
    expect(made).toMatchObject({ adopted: 2, untracked: 0, left_out: ["decisions.md"] });
    expect(made).toMatchObject({
      refused: [{ path: "wiki/a b#1?.md", code: "bad_name", reason: "must not contain ?" }],
    });
    for (const folder of ["plain", "adopted"])
      for (const [path, text] of Object.entries(mine))
        expect(readFileSync(at.at(folder, path), "utf8")).toBe(text);
    const index = readFileSync(at.at("adopted", "space-index.md"), "utf8");
    expect(index).toContain("- `Decisions.md`: Mine\n");
  });

  test("--force adds the pages that a space never had, and nothing else", async () => {
    await using at = await initDesk();
    const init = (...flags: string[]) => ["init", "solo", "--dir", "notes", ...flags];
    await at.printed(...init("--template", "blank"));
    await at.printed(
      "file",
      "put",
      "decisions.md",
      "--from",
      await at.folder.write("x", "mine"),
      "--dir",
      "notes",
    );
    await at.printed("file", "put", "identity/me.md", "--from", at.at("x"), "--dir", "notes");
    await at.printed("file", "delete", "identity/me.md", "--dir", "notes");
    const again = `${at.at("notes")} already holds a space; change its settings with --reconfigure, or add missing pages of a template with --force`;
    expect(await at.refused(...init())).toEqual(failure(again));
    expect(await at.refused(...init("--force", "--name", "other"))).toEqual(
      failure("--name: the space has a name; change it with --reconfigure"),
    );
    const made = await at.data<{ written: string[]; left_out: string[] }>(
      ...init("--force", "--template", "solo"),
    );
    expect(made.left_out).toEqual(["decisions.md", "identity/me.md"]);
    expect(made.written).toEqual(SEEDED.filter((path) => !made.left_out.includes(path)));
    expect(readFileSync(at.at("notes", "decisions.md"), "utf8")).toBe("mine");
    expect(existsSync(at.at("notes", "identity", "me.md"))).toBe(false);
  });

  test("--force --adopt starts over from the files of a space whose database is lost, as every command says", async () => {
    await using at = await initDesk();
    await at.printed("init", "solo", "--dir", "notes", "--template", "blank");
    await at.folder.write("notes/decisions.md", "mine");
    await at.printed("space", "adopt", "--dir", "notes");
    rmSync(at.at("notes", ".cairn", "space.db"));
    const [exitCode, said] = await at.refused("file", "list", "--dir", "notes");
    const remedy = `cairn init solo --dir ${at.at("notes")} --force --adopt`;
    expect([exitCode, said.endsWith(`without their history, with ${remedy}\n`)]).toEqual([1, true]);
    expect(existsSync(at.at("notes", ".cairn", "space.db"))).toBe(false);
    const made = await at.cairn(...remedy.split(" ").slice(1), "--json");
    expect(made.stderr).toContain("the database is lost; started over from the files");
    expect(JSON.parse(made.stdout)).toMatchObject({
      space: "notes",
      created: false,
      adopted: 1,
      written: [],
      untracked: 0,
    });
    expect(await at.data("file", "list", "--dir", "notes")).toMatchObject([
      { path: "decisions.md", version: 1, state: "live" },
    ]);
  });

  test("names everything that is wrong at once, and writes nothing", async () => {
    await using at = await initDesk();
    await at.folder.write("file", "a file");
    await at.folder.write("server/server.yaml", "");
    await at.printed("init", "solo", "--dir", "space");
    mkdirSync(at.at("space", "inside"));
    const before = pictureOf(at.folder.path);
    const cases: [string, string][] = [
      [".", `${at.folder.path} is your home folder; choose a folder inside it`],
      ["/", "/ is the whole disk; choose a folder"],
      [".cairn", `${at.at(".cairn")} contains your settings; choose another folder`],
      ["file", `${at.at("file")} is not a folder`],
      ["file/below", `${at.at("file")} is not a folder`],
      ["server", `${at.at("server")} holds a server; choose another folder`],
      [
        "space/inside",
        `${at.at("space/inside")} is inside the space in ${at.at("space")}; a space cannot contain another`,
      ],
    ];
    for (const [dir, problem] of cases)
      expect(await at.refused("init", "solo", "--dir", dir)).toEqual(failure(problem));
    const [exitCode, both] = await at.refused("init", "solo", "--dir", "file", "--name", "Not a name");
    expect([exitCode, both]).toEqual(
      failure(
        `${at.at("file")} is not a folder; --name "Not a name": 1 to 63 lower-case letters, digits and hyphens, with a letter or digit at both ends`,
      ),
    );
    expect(pictureOf(at.folder.path)).toEqual(before);
  });
});

test("without a terminal, or with --non-interactive, nothing is asked and all that is missing is named", async () => {
  await using at = await initDesk();
  const choice =
    "say what to create: cairn init solo, cairn init client or cairn init server; cairn init --help lists their flags";
  expect(await at.refused("init")).toEqual(failure(choice));
  expect(await at.refused("init", "server")).toEqual(
    failure(
      "missing flags: --space, --admin; there is no terminal to ask\n" +
        "usage: cairn init server --space <name> --admin <name> [flags]",
    ),
  );
  const typed = await at.typed(["init", "server", "--non-interactive", "--space", "main"], []);
  expect([typed.exitCode, typed.text]).toEqual([
    1,
    "Error: missing flag: --admin\nusage: cairn init server --admin <name> [flags]\n",
  ]);
  expect((await at.typed(["init", "--non-interactive"], [])).exitCode).toBe(1);
  expect(readdirSync(at.folder.path)).toEqual([]);
});

describe.skipIf(process.platform === "win32")("the wizard", () => {
  test("creates a space from answers, goes back to change one, and offers to record the files that are there", async () => {
    await using at = await initDesk();
    await at.folder.write("wiki/a.md", "# A\n");
    const { text, exitCode, unasked } = await at.typed(
      ["init"],
      [
        ["What do you want to create?", DOWN + ENTER],
        ["What is the address of the server?", BACK],
        ["What do you want to create?", "\u001b[A" + ENTER],
        ["Which folder?", `${CLEAR}/${ENTER}`],
        ["is the whole disk", `${CLEAR}~/wiki${ENTER}`],
        ["What is the space called?", `${CLEAR}Bad Name${ENTER}`],
        ["lower-case letters", `${CLEAR}mine${ENTER}`],
        ["Which pages does it start with?", DOWN + ENTER],
        ["The folder has files already (1)", ENTER],
        ["Create the space mine", DOWN + ENTER],
        ["The folder has files already (1)", BACK],
        ["Which pages does it start with?", "\u001b[A" + ENTER],
        ["The folder has files already (1)", ENTER],
        [`Create the space mine in ${at.at("wiki")}, with the pages of the template solo, and record`, ENTER],
      ],
    );
    expect([unasked, exitCode]).toEqual([0, 0]);
    expect(text).toContain("recorded 1 file of yours as v1\n");
    const files = await at.data<{ path: string; version: number }[]>("file", "list", "--dir", "wiki");
    expect(files.map(({ path, version }) => [path, version])).toEqual(
      ["a.md", ...SEEDED].map((path) => [path, path === "space-index.md" ? 2 : 1]),
    );
  });

  test.each([
    ["Ctrl+C at the last question", CANCEL],
    ["Ctrl+D, which ends the input", END],
  ])("leaves nothing behind after %s", async (_, key) => {
    await using at = await initDesk();
    const { text, exitCode, unasked } = await at.typed(
      ["init", "solo"],
      [
        ["Which folder?", `${CLEAR}${at.at("new")}${ENTER}`],
        ["What is the space called?", ENTER],
        ["Which pages does it start with?", ENTER],
        ["Create the space new", key],
      ],
    );
    expect([unasked, exitCode]).toEqual([0, 1]);
    expect(text).toEndWith("Error: cancelled; nothing was changed\n");
    expect(readdirSync(at.folder.path)).toEqual([]);
  });

  test("takes a typed answer in place of a suggested one, and the suggested one by Enter", async () => {
    await using at = await initDesk();
    const wanted = at.at("elsewhere", "notes");
    const { text, exitCode, unasked } = await at.typed(
      ["init", "solo"],
      [
        ["Which folder?", `${wanted}${ENTER}`],
        ["What is the space called?", BACK],
        // The last answer can be edited.
        ["Which folder?", `-2${ENTER}`],
        ["What is the space called?", ENTER],
        ["Which pages does it start with?", ENTER],
        [`Create the space notes-2 in ${wanted}-2, with`, ENTER],
      ],
    );
    expect([unasked, exitCode]).toEqual([0, 0]);
    // It is shown before anything is typed.
    expect(text).toContain(at.at(".cairn", "space"));
    expect(readdirSync(at.at("elsewhere"))).toEqual(["notes-2"]);
  });

  test("--force completes a space that exists", async () => {
    await using at = await initDesk();
    await at.printed("init", "solo", "--dir", "notes", "--template", "blank");
    const { text, exitCode, unasked } = await at.typed(
      ["init", "--force"],
      [
        ["What do you want to create?", ENTER],
        ["Which folder?", `${CLEAR}~/notes${ENTER}`],
        ["Which pages does it start with?", ENTER],
        [`Complete the space in ${at.at("notes")} with the pages of the template solo?`, ENTER],
      ],
    );
    expect([
      unasked,
      exitCode,
      text.includes(`added 7 pages to the space notes in ${at.at("notes")} (template solo)`),
    ]).toEqual([0, 0, true]);
  });

  test("going back from the first question is a cancellation", async () => {
    await using at = await initDesk();
    const { exitCode, text } = await at.typed(["init"], [["What do you want to create?", BACK]]);
    expect([exitCode, text.endsWith("Error: cancelled; nothing was changed\n")]).toEqual([1, true]);
  });

  test("asks for the answers of a server that no flag gives", async () => {
    await using at = await initDesk();
    await at.folder.write("taken/a.md", "x");
    const { text, exitCode, unasked } = await at.typed(
      ["init", "server", "--space", "main", "--template", "blank"],
      [
        ["Which folder keeps the data", `${CLEAR}taken${ENTER}`],
        ["is not empty; choose another folder", `${CLEAR}server${ENTER}`],
        ["What is the first admin called?", ` ${ENTER}`],
        ["What is the first admin called?", `ada${ENTER}`],
        ["Which address does it listen on?", `${CLEAR}203.0.113.9${ENTER}`],
        ["not an address of this machine; use an address of this machine", `${CLEAR}127.0.0.1${ENTER}`],
        ["Which port?", `${CLEAR}70000${ENTER}`],
        ["expected a number from 0 to 65535", `${CLEAR}0${ENTER}`],
        [`Create a server in ${at.at("server")} at 127.0.0.1:0, with the admin ada`, ENTER],
      ],
    );
    expect([unasked, exitCode]).toEqual([0, 0]);
    expect(text).toContain("token of ada, shown once");
    expect(existsSync(at.at("server", "server.yaml"))).toBe(true);
    expect(readFileSync(at.at("taken", "a.md"), "utf8")).toBe("x");
  });
});

test("init server at a terminal starts the server for the setup page, and the code is not stored", async () => {
  await using at = await initDesk();
  const shown = at.typed(["init", "server", "--data-dir", "server", "--port", "0"], []);
  await until(() => existsSync(at.at("server", "run", "server.json")));
  await at.printed("server", "stop", "--server-dir", "server");
  const { text, exitCode } = await shown;
  expect(exitCode).toBe(0);
  const [, code] = /http:\/\/127\.0\.0\.1:\d+\/setup\?code=([\w-]{22})\n/.exec(text)!;
  const files = [...new Bun.Glob("**/*").scanSync({ cwd: at.at("server"), dot: true })];
  expect(files).toContain("server.yaml");
  for (const file of files) expect(readFileSync(at.at("server", file)).includes(code!)).toBe(false);
});

test("init server --force keeps other files, also when it fails, and never replaces a server", async () => {
  await using at = await initDesk();
  await at.folder.write("data/notes.txt", "mine");
  const init = (...flags: string[]) => [
    ..."init server --data-dir data --space main --admin ada --port 0".split(" "),
    ...flags,
  ];
  expect((await at.refused(...init()))[1]).toContain(
    "is not empty; choose another directory, or pass --force",
  );
  const failing = ["init", "server", "--data-dir", "data", "--space", "main", "--admin", "\u202e", "--force"];
  expect((await at.refused(...failing))[1]).toContain("admin: ");
  expect(readdirSync(at.at("data"))).toEqual(["notes.txt"]);
  expect((await at.cairn(...init("--force"))).exitCode).toBe(0);
  expect(readFileSync(at.at("data", "notes.txt"), "utf8")).toBe("mine");
  const [exitCode, said] = await at.refused(...init("--force"));
  expect([exitCode, said]).toEqual([1, expect.stringContaining("already holds files of a server (")]);
});

describe("the AI tools of the user", () => {
  const settings = (folder: string) => readFileSync(join(folder, ".claude", "settings.json"), "utf8");

  test("are told of the new space by --tools; one that cannot be told does not undo the space", async () => {
    await using at = await initDesk();
    expect((await at.refused("init", "solo", "--dir", "a", "--tools", "claude-code,none"))[1]).toContain(
      'Error: --tools "none": expected one of ',
    );
    expect(readdirSync(at.folder.path)).toEqual([]);
    const text = await at.printed("init", "solo", "--dir", "a", "--tools", "claude-code, ");
    expect(text).toContain(`\nconnected Claude Code: ${at.at(".claude", "settings.json")}\n`);
    expect(settings(at.folder.path)).toContain(at.at("a"));
    await at.folder.write(".claude/settings.json", "{ broken");
    const made = await at.data<{ problems: string[]; written: string[] }>(
      ..."init solo --dir b --tools claude-code".split(" "),
    );
    expect(made.written).toEqual(SEEDED);
    expect(made.problems).toEqual([
      expect.stringContaining(`to try again: cairn plugin install claude-code --user --dir ${at.at("b")}`),
    ]);
    expect(settings(at.folder.path)).toBe("{ broken");
  });

  test.skipIf(process.platform === "win32")("are offered by the wizard if they are in use", async () => {
    await using at = await initDesk();
    mkdirSync(at.at(".claude"));
    const { exitCode, unasked } = await at.typed(
      ["init", "solo"],
      [
        ["Which folder?", `${CLEAR}~/notes${ENTER}`],
        ["What is the space called?", ENTER],
        ["Which pages does it start with?", ENTER],
        ["Connect your AI tools to the space? (Claude Code)", ENTER],
        ["Create the space notes", ENTER],
      ],
    );
    expect([exitCode, unasked]).toEqual([0, 0]);
    expect(settings(at.folder.path)).toContain(at.at("notes"));
  });
});
