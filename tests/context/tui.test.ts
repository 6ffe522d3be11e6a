// Goal: the terminal UI does what its keys say, and survives hostile documents, long lists, refusals and a change of the window.

import { describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, networkTransport } from "../../src/context/client/client.ts";
import type { Edited } from "../../src/context/tui/desk.ts";
import { folderDesk, serverDesk } from "../../src/context/tui/desks.ts";
import { LentSpace } from "../../src/context/space/lent.ts";
import { createLocalSpace, openLocalSpace } from "../../src/context/space/local.ts";
import { contextServer, deny, filePath, type ContextServer } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { DOWN, ENTER, ESCAPE, onTerminalScreen, type TerminalScreen } from "../kit/terminal/on-screen.ts";
import { localDeps } from "../kit/context/space-doors.ts";

/** An editor that answers with a text after `meanwhile`. */
function editorWriting(text: string, meanwhile: () => Promise<unknown> = () => Promise.resolve()) {
  const state = { file: "/tmp/kept.md", discarded: false };
  const edit = async (): Promise<Edited> => {
    await meanwhile();
    const discard = async () => void (state.discarded = true);
    return { content: new TextEncoder().encode(text), file: state.file, discard };
  };
  return { edit, state };
}

/** Keys before a page is loaded do nothing there. */
async function toFiles({ press }: TerminalScreen, wanted: string): Promise<string> {
  await press("2", "› ");
  return press(ENTER, wanted);
}

const NOTHING = { edit: () => Promise.resolve(undefined) };

function deskOf(server: ContextServer, token: string, editor: Parameters<typeof serverDesk>[1] = NOTHING) {
  return serverDesk(new Client(networkTransport(server.url, token)), editor);
}

describe("editing", () => {
  test("writes the text of the editor as the next version", async () => {
    await using server = await contextServer({ files: { "a.md": "one\n" } });
    const editor = editorWriting("two\n");
    using screen = await onTerminalScreen(deskOf(server, server.bootstrap, editor));
    await toFiles(screen, "a.md");
    await screen.press("e", "a.md is at v2");
    expect([await server.admin.read("a.md"), editor.state.discarded]).toEqual(["two\n", true]);
  });

  test("keeps both texts if someone changed a manual edit meanwhile, which has no version to compare", async () => {
    await using server = await contextServer();
    await server.admin.write("a.md", "one\n");
    const onDisk = server.inSpace("a.md");
    await Bun.write(onDisk, "by hand\n");
    const recorded = () => server.admin.write("a.md", "theirs\n");
    using screen = await onTerminalScreen(
      deskOf(server, server.bootstrap, editorWriting("mine\n", recorded)),
    );
    await toFiles(screen, "a.md");
    await screen.press("e", /has\s+changed\s+since[^]*?your\s+text\s+is\s+kept/);
    expect(await server.admin.read("a.md")).toBe("theirs\n");
    await Bun.write(onDisk, "by hand\n");
    using again = await onTerminalScreen(deskOf(server, server.bootstrap, editorWriting("mine\n")));
    await toFiles(again, "a.md");
    await again.press("e", "a.md is at v5");
    expect(await server.admin.read("a.md")).toBe("mine\n");
  });

  test("keeps both texts if the file changed meanwhile", async () => {
    await using server = await contextServer({ files: { "a.md": "one\n" } });
    const editor = editorWriting("mine\n", () => server.admin.write("a.md", "theirs\n"));
    using screen = await onTerminalScreen(deskOf(server, server.bootstrap, editor));
    await toFiles(screen, "a.md");
    await screen.press("e", /your text is kept in\s+\/tmp\/kept\.md/);
    expect([await server.admin.read("a.md"), editor.state.discarded]).toEqual(["theirs\n", false]);
  });

  test("restores a version and resolves a conflict only after a yes", async () => {
    await using server = await contextServer({ files: { "a.md": "one\n" } });
    await server.admin.write("a.md", "two\n");
    await server.admin.write("a.conflict-ben-20260101T110000Z.md", "ben's\n");
    using screen = await onTerminalScreen(deskOf(server, server.bootstrap));
    await toFiles(screen, "a.md");
    await screen.press(`${DOWN}h`, "current");
    await screen.press(`${DOWN}R`, "Write v1 of a.md again");
    await screen.press("n", "cancelled");
    expect(await server.admin.read("a.md")).toBe("two\n");
    await screen.press("R", "Write v1");
    await screen.press("y", "is at v3");
    expect(await server.admin.read("a.md")).toBe("one\n");
    await screen.press("6", "› team/a.md");
    await screen.press(ENTER, "The version of ben, opened 2026-01-01 11:00");
    await screen.press("c", "Keep the version of ben");
    await screen.press("y", "no open conflicts");
    expect(await server.admin.read("a.md")).toBe("ben's\n");
  });

  test("lists a deleted file, and restores it after a yes", async () => {
    await using server = await contextServer({ files: { "a.md": "one\n", "b.md": "kept\n" } });
    await server.admin.delete(filePath("a.md"));
    using screen = await onTerminalScreen(deskOf(server, server.bootstrap));
    expect(await toFiles(screen, "› b.md")).not.toContain("a.md");
    expect(await screen.press("D", "› a.md")).not.toContain("b.md");
    await screen.press(ENTER, "team/a.md history");
    await screen.press("\u007fR", "Restore a.md?");
    await screen.press("y", "a.md is live again at v");
    expect(await server.admin.read("a.md")).toBe("one\n");
    await screen.terminal.shows("no deleted files");
  });

  test("disables a user, and says why the last admin stays", async () => {
    await using server = await contextServer();
    const ben = await server.user("ben", "viewer");
    using screen = await onTerminalScreen(deskOf(server, server.bootstrap), { columns: 120 });
    await screen.press("4", "ben");
    await screen.press(ENTER, "Tokens (1)");
    await screen.press("x", "Disable ben and revoke all of their tokens?");
    await screen.press("y", "ben is disabled");
    await screen.terminal.shows(/State +disabled/);
    await screen.press("\u007f", /ben .* disabled/);
    expect((await ben.raw("GET", "/auth/whoami")).status).toBe(401);
    await screen.press(`${DOWN}x`, "Disable root");
    await screen.press("y", "last admin and cannot be disabled");
  });
});

describe("a viewer with a rule", () => {
  test("sees neither the denied file, nor users, nor the audit record", async () => {
    await using server = await contextServer({ files: { "open.md": "seen\n", "closed.md": "secret\n" } });
    const ben = await server.user("ben", "viewer");
    await server.rules("ben", deny("closed.md", "list", "read"));
    using screen = await onTerminalScreen(deskOf(server, ben.token, editorWriting("changed\n")));
    const overview = await screen.terminal.shows("Conflicts  ");
    expect(overview).toContain("[1 Overview]  2 Spaces   3 Search   4 Conflicts");
    expect(await toFiles(screen, "open.md")).not.toContain("closed.md");
    await screen.press("e", "may not");
    expect(await server.admin.read("open.md")).toBe("seen\n");
  });

  test("is sent home when the token is revoked", async () => {
    await using server = await contextServer();
    const ben = await server.user("ben", "viewer");
    using screen = await onTerminalScreen(deskOf(server, ben.token));
    await screen.terminal.shows("Health");
    await server.admin.post("/users/ben/disable");
    screen.app.feed(new TextEncoder().encode("r"));
    expect(await screen.ended).toMatchObject({ code: "unauthenticated" });
    await eventually(() => screen.terminal.isAlternate, false);
  });
});

const HOSTILE = [
  "\u001b[2J\u001b[1;1Hgotcha\u001b]0;owned\u0007\u001b]52;c;b3duZWQ=\u0007",
  "\u009b2J\u0090q\u009c \u202etxet\u202c",
  "日本語👩‍👩‍👧‍👦".repeat(2_000),
  "\u001b[?1049l\u001bc",
].join("\n");

test("shows a hostile document as text, and nothing of it reaches the terminal", async () => {
  await using server = await contextServer({ files: { "bad.md": HOSTILE } });
  await server.admin.write("bad.md", `${HOSTILE}\nmore`);
  await server.admin.raw("POST", "/auth/login", {
    body: JSON.stringify({ name: HOSTILE.slice(0, 80), password: "x" }),
    headers: { "Content-Type": "application/json" },
  });
  using screen = await onTerminalScreen(deskOf(server, server.bootstrap));
  await toFiles(screen, "bad.md");
  const { terminal } = screen;
  const shown = await screen.press(ENTER, "gotcha");
  expect(shown.split("\n").slice(0, 5).join("\n")).toContain("team/bad.md");
  await screen.press("d", "2 lines added, 1 line removed");
  await screen.press("G", "+more");
  await screen.press("3", "Search: _");
  await screen.press(`owned${ENTER}`, "team/bad.md");
  await screen.press("5", /denied +�\[2J/);
  await screen.press(ENTER, "Audit record");
  expect(terminal.isAlternate).toBe(true);
  // oxlint-disable-next-line no-control-regex -- the sequences are the subject
  expect(terminal.sent.match(/\u001b(?!\[)|\u009b|\u0090|\u202e|\u0007/g)).toBeNull();
});

test("filters, pages and reaches the last of many files", async () => {
  await using server = await contextServer();
  const ops = Array.from({ length: 300 }, (_, index) => ({
    op: "put" as const,
    path: `file-${String(index).padStart(3, "0")}.md`,
    content_b64: "eA==",
  }));
  await server.admin.post("/spaces/team/push", { ops });
  using screen = await onTerminalScreen(deskOf(server, server.bootstrap));
  await toFiles(screen, "file-000.md");
  await screen.press("\u001b[6~", "row 19");
  await screen.press("G", "file-299.md");
  await screen.press("/29", "13 of 300 rows");
  await screen.press(ENTER, "file-029.md");
  await screen.press(`${DOWN}${ENTER}`, "file-129.md");
  await screen.press("\u007f", "13 of 300 rows");
  await screen.press(ESCAPE, "300 rows");
  await screen.press("\u001b[<65;5;9M", "row 4");
});

test("answers the mouse, the help, and a window that changes its size", async () => {
  await using server = await contextServer({ files: { "a.md": "first\n", "b.md": "second\n" } });
  using screen = await onTerminalScreen(deskOf(server, server.bootstrap), { colours: false });
  const { terminal, app } = screen;
  await screen.terminal.shows("Health");
  await screen.click(1, 16, "[2 Spaces]");
  await screen.press("", "› team");
  await screen.click(5, 3, "› a.md");
  await screen.click(6, 3, "› b.md");
  await screen.click(6, 3, "second");
  await screen.press("?", "On this page");
  await screen.press("x", "second");
  terminal.resize(60, 20);
  app.resized();
  await terminal.shows("Needs 80×24 cells;");
  terminal.resize(20, 5);
  app.resized();
  await terminal.shows("it has 20×5.");
  terminal.resize(100, 30);
  app.resized();
  await terminal.shows("second");
  // oxlint-disable-next-line no-control-regex -- the sequences are the subject
  expect(terminal.sent).not.toMatch(/\u001b\[(?:[0-9]+;)*3[0-9]m/);
  expect(terminal.isAlternate).toBe(true);
  await screen.press("q", "");
  expect(await screen.ended).toBeUndefined();
  await eventually(() => terminal.isAlternate, false);
});

test("draws only the last of the frames that a slow terminal missed", async () => {
  await using server = await contextServer();
  using screen = await onTerminalScreen(deskOf(server, server.bootstrap));
  const { terminal } = screen;
  await terminal.shows("Health");
  const write = terminal.write.bind(terminal);
  let writes = 0;
  terminal.write = (text) => {
    writes += 1;
    write(text);
    return false;
  };
  await screen.press("2", "[2 Spaces]");
  screen.app.feed(new TextEncoder().encode("1212"));
  screen.app.feed(new TextEncoder().encode("3"));
  expect(writes).toBe(1);
  terminal.write = write;
  terminal.drain();
  await terminal.shows("[3 Search]");
});

test("shows a local space without users or audit, and leaves it to others meanwhile", async () => {
  const directory = join(await mkdtemp(join(tmpdir(), "tui-")), "notes");
  const made = await createLocalSpace({ directory, name: "notes", template: "solo" }, localDeps);
  await made.close();
  const lent = new LentSpace(() => openLocalSpace(directory, localDeps));
  try {
    using screen = await onTerminalScreen(folderDesk(lent, directory, editorWriting("changed\n")));
    const overview = await screen.terminal.shows("notes");
    expect(overview).toContain("[1 Overview]  2 Spaces   3 Search   4 Conflicts");
    await toFiles(screen, "context-entry.md");
    const other = await openLocalSpace(directory, localDeps);
    await other.write("new.md", new TextEncoder().encode("new\n"), null);
    await other.close();
    await screen.press("r", "new.md");
    await screen.press(`G${ENTER}`, "v1");
  } finally {
    await lent.close();
    await rm(join(directory, ".."), { recursive: true, force: true });
  }
});
