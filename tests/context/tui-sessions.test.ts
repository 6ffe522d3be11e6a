// Goal: the terminal UI holds what a person types to what they see: keys before the first page, pastes, slow loads, refused queries, sentences that
// are longer than a row, and rights that change while a page is open.

import { expect, test } from "bun:test";
import { AppError } from "../../src/kit/error.ts";
import { Client, networkTransport } from "../../src/context/client/client.ts";
import type { Desk, ReadDoor, ServerDesk } from "../../src/context/tui/desk.ts";
import { serverDesk } from "../../src/context/tui/desks.ts";
import { contextServer, type ContextServer } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { DOWN, ENTER, ESCAPE, onTerminalScreen } from "../kit/terminal/on-screen.ts";
import { within } from "../kit/within.ts";

const NO_EDITOR = { edit: () => Promise.resolve(undefined) };
const deskOf = (server: ContextServer, token = server.bootstrap) =>
  serverDesk(new Client(networkTransport(server.url, token)), NO_EDITOR);
const paste = (text: string) => `\u001b[200~${text}\u001b[201~`;

/** A desk with one space, as far as a test needs one. */
function deskWith(door: Partial<ReadDoor>, rest: Partial<Desk> = {}): Desk {
  const space = { name: "team", files: 1, versions: 1, bytes: 1, created_at: "2026-01-01T00:00:00.000Z" };
  const none = { freshness: () => Promise.resolve({ documents: [] }) } as unknown as ReadDoor;
  return {
    place: "here",
    spaces: () => Promise.resolve({ spaces: [space as never], unopened: [] }),
    look: (_, work) => work({ ...none, ...door }),
    deleted: () => Promise.resolve({ files: [], isMore: false }),
    conflicts: () => Promise.resolve([]),
    compare: () => Promise.resolve(null),
    hands: { transport: "terminal", use: () => Promise.reject(new Error("unused")), ...NO_EDITOR },
    ...rest,
  };
}

test("keys that are typed before the first page is there do no harm, and q still quits", async () => {
  const me = Promise.withResolvers<Awaited<ReturnType<ServerDesk["whoAmI"]>>>();
  const server = { whoAmI: () => me.promise } as ServerDesk;
  const started = onTerminalScreen(deskWith({}, { server }));
  const { App } = await import("../../src/context/tui/app.ts");
  const ended = Promise.withResolvers<unknown>();
  const { Emulator } = await import("../kit/terminal/emulator.ts");
  const app = new App({
    desk: deskWith({}, { server }),
    terminal: new Emulator(80, 24),
    onEnd: ended.resolve,
  });
  const starting = app.start();
  for (const keys of ["2\r/x?\u001b[A\u001b[<0;1;1M", "q"]) app.feed(new TextEncoder().encode(keys));
  expect(await within("the session ends", ended.promise)).toBeUndefined();
  me.resolve({ name: "ben", role: "viewer", spaces: null, auth: "token" });
  await starting;
  using screen = await started;
  await screen.terminal.shows("ben (viewer)");
});

test("a pasted text fills a field, and does nothing as keys", async () => {
  await using server = await contextServer({ files: { "a.md": "first\n" } });
  await server.user("ben", "viewer");
  using screen = await onTerminalScreen(deskOf(server));
  await screen.press("4", "› ben");
  screen.app.feed(new TextEncoder().encode(paste("xyq12\n")));
  await screen.press("x", "Disable ben");
  await screen.press(paste("y"), "Disable ben");
  await screen.press("n", "cancelled");
  await screen.press(`3${paste("two\nwords")}`, "Search: two words_");
  expect((await server.admin.get("/users/ben")).disabled).toBe(false);
});

test("a query that is refused says why in full and can be corrected, and a new one replaces one under way", async () => {
  const slow = Promise.withResolvers<void>();
  const asked: string[] = [];
  const search: ReadDoor["search"] = async ({ text }) => {
    asked.push(text);
    if (text === "slow") await slow.promise;
    if (text === "bad")
      throw new AppError("invalid", `the query cannot be one ${"because ".repeat(12)}of its end`);
    return { results: [{ path: `${text}.md`, score: 1, lines: [], more_lines: false }], more: false };
  };
  using screen = await onTerminalScreen(deskWith({ search }));
  await screen.press("3", "Search: _");
  await screen.press(`bad${ENTER}`, "of its end");
  await screen.press(`s\u007f\u007f\u007fslow${ENTER}`, "searching…");
  await screen.press(`s\u007f\u007f\u007f\u007fnew${ENTER}`, "Search: new\n");
  slow.resolve();
  await screen.terminal.shows("team/new.md");
  expect([asked, screen.terminal.text().includes("slow.md")]).toEqual([["bad", "slow", "new"], false]);
});

test("a page that was still loading when something changed is loaded again before it is shown", async () => {
  const conflict = { path: "a.md", copy: "a.conflict.md", user: "ada", opened_at: "2026-01-01T00:00:00Z" };
  const read = Promise.withResolvers<never>();
  const first = Promise.withResolvers<readonly (typeof conflict)[]>();
  let looks = 0;
  const file = { path: "a.md", state: "live", version: 1, size: 1, updated_at: null, author: "ada" };
  using screen = await onTerminalScreen(
    deskWith(
      { list: async () => [file as never] },
      {
        conflicts: async () => (++looks === 2 ? first.promise : []),
        hands: { transport: "terminal", use: () => read.promise, ...NO_EDITOR },
      },
    ),
  );
  // The overview looks into the conflicts once.
  await screen.press("", "none");
  await screen.press("2", "team");
  await screen.press(ENTER, "› a.md");
  await screen.press("e", "working…");
  await screen.press("4", "loading…");
  await screen.press("2", "› a.md");
  read.resolve({ path: "a.md", bytes: new Uint8Array() } as never);
  await screen.terminal.shows("nothing was written");
  first.resolve([conflict]);
  await eventually(() => looks, 3);
  await screen.press("4", "no open conflicts");
});

test("searches all spaces in the time that there is, and says which are missing", async () => {
  const names = Array.from({ length: 40 }, (_, index) => `space-${index}`);
  const spaces = async () => ({ spaces: names.map((name) => ({ name }) as never), unopened: [] });
  const look: Desk["look"] = (space, work) =>
    work({
      search: async () => {
        if (space === "space-7") throw new AppError("unavailable", "the disk does not answer");
        return { results: [{ path: "a.md", score: 1, lines: [], more_lines: false }], more: false };
      },
      freshness: () => Promise.resolve({ documents: [] }),
    } as unknown as ReadDoor);
  using screen = await onTerminalScreen(deskWith({}, { spaces, look }), { columns: 120 });
  await screen.press("3", "Search: _");
  const shown = await screen.press(`a${ENTER}`, "39 rows");
  expect(shown).toContain("39 of 40 spaces searched: space-7: the disk does not answer");
  await screen.press("G", "space-39/a.md");
});

test("a sentence that is longer than the row is shown in full", async () => {
  const sentence = `cannot be shown ${"for a long reason ".repeat(8)}and this is its end`;
  const list = () => Promise.reject(new AppError("unavailable", sentence));
  using screen = await onTerminalScreen(deskWith({ list }));
  await screen.press("2", "› team");
  await screen.press(ENTER, "and this is its end");
  screen.app.tell(`${sentence}.`);
  await screen.terminal.shows("and this is its end.");
});

test("a clear and a resize wait for a terminal that does not read", async () => {
  using screen = await onTerminalScreen(deskWith({}));
  const { terminal, app } = screen;
  await terminal.shows("Overview");
  let writes = 0;
  const write = terminal.write.bind(terminal);
  terminal.write = () => {
    writes += 1;
    return false;
  };
  for (let times = 0; times < 50; times++) {
    app.feed(new TextEncoder().encode("\u000c\u000c\u000c"));
    app.resized();
  }
  expect(writes).toBe(1);
  terminal.write = write;
  terminal.drain();
  await terminal.shows("Overview");
});

test("shows nothing that was loaded under other rights", async () => {
  let role: "admin" | "viewer" = "admin";
  let mayRead = true;
  const held: (() => void)[] = [];
  const read: ReadDoor["read"] = async () => {
    const bytes = new TextEncoder().encode(mayRead ? "the secret\n" : "");
    if (held.length === 0 && mayRead) return { path: "a.md", version: 1, state: "live", bytes };
    if (mayRead) await new Promise<void>((resolve) => held.push(resolve));
    if (!mayRead && bytes.length === 0) throw new AppError("forbidden", "you may not read a.md");
    return { path: "a.md", version: 1, state: "live", bytes };
  };
  const record = {
    path: "a.md",
    version: 1,
    size: 1,
    state: "live",
    updated_at: "2026-01-01T00:00:00Z",
    author: "root",
  };
  const list = () => Promise.resolve([record] as never);
  const server = {
    whoAmI: async () => ({ name: "ben", role, spaces: null, auth: "ssh" }),
    health: async () => ({ status: "ok", version: "1", problems: [] }),
    users: async () => [],
    audit: async () => [],
  } as unknown as ServerDesk;
  using screen = await onTerminalScreen(deskWith({ list, read }, { server }));
  await screen.press("2", "› team");
  await screen.press(ENTER, "› a.md");
  await screen.press(ENTER, "the secret");
  expect(screen.terminal.text()).toContain("4 Users");
  // A load under way began with the old rights.
  held.push(() => {});
  screen.app.feed(new TextEncoder().encode("r"));
  await eventually(() => held.length, 2);
  [role, mayRead] = ["viewer", false];
  screen.app.renew();
  await screen.terminal.shows("your rights changed");
  expect(screen.terminal.text()).not.toContain("the secret");
  for (const release of held) release();
  const shown = await screen.terminal.shows("you may not read a.md");
  expect(shown).toContain("ben (viewer)");
  expect(shown).not.toContain("4 Users");
  await screen.press(ESCAPE, "› a.md");
  await screen.press(`1${DOWN}`, "Signed in as    ben (viewer)");
});

test("a help that is longer than the screen scrolls, and names what works on the page", async () => {
  await using server = await contextServer();
  using screen = await onTerminalScreen(deskOf(server));
  await screen.press("5", "› ");
  const top = await screen.press("?", "On this page");
  expect(top).toContain("this person only");
  await screen.press("\u001b[F", "q Ctrl+C Ctrl+D");
  await screen.press("\u001b[H", "On this page");
  await screen.press("x", "RESULT");
});

test("no text that anybody wrote reaches the terminal as anything but text", async () => {
  const evil = `\u001b[2J\u001b]52;c;eA==\u0007\u009b1A\u0090q\u009c\r\n\t\b\u0000\u007f\u202e\u2066\u2028\ud800\u{e0041}${"\u0301".repeat(40)}日`;
  const time = "2026-01-01T00:00:00.000Z";
  const user = {
    name: evil,
    role: evil,
    spaces: [evil],
    has_password: true,
    disabled: false,
    locked_until: null,
    tokens: 1,
    created_at: time,
  };
  const file = { path: evil, version: 1, size: 1, state: evil, updated_at: time, author: evil };
  const version = { version: 1, size: 1, created_at: time, author: evil, message: evil };
  const actor = { name: evil, role: evil, auth: evil, address: evil };
  const record = {
    seq: 1,
    time: evil,
    actor,
    action: evil,
    space: evil,
    target: evil,
    version: 1,
    error: evil,
    result: evil,
  };
  const door = {
    list: async () => [file],
    read: async () => ({ path: evil, version: 1, state: "live", bytes: new TextEncoder().encode(evil) }),
    history: async () => ({ current: 1, versions: [version] }),
    diff: async () => ({ added: 1, removed: 1, coarse: false, text: `+${evil}\n-${evil}` }),
    search: async ({ text }: { text: string }) => {
      if (text === "bad") throw new AppError("invalid", evil);
      return { results: [{ path: evil, lines: [{ line: 1, text: evil, ranges: [] }] }], more: false };
    },
    freshness: () => Promise.reject(new AppError("unavailable", evil)),
  };
  const server = {
    whoAmI: async () => ({ name: evil, role: "admin", spaces: null, auth: "ssh" }),
    health: async () => ({ status: evil, version: evil, problems: [] }),
    users: async () => [user],
    user: async () => ({
      user,
      tokens: [{ id: 1, kind: "token", label: evil, created_at: time, last_used_at: null, expires_at: null }],
      rules: [{ effect: "deny", path: evil, capabilities: ["read"] }],
      lastSeen: time,
    }),
    audit: async () => [record],
    verify: async () => ({
      ok: false,
      line: 1,
      problem: evil,
      anchored: true,
      skipped: 0,
      acknowledged: 0,
      breaks: [],
    }),
  };
  const desk = deskWith(door as never, {
    place: evil,
    spaces: async () => ({
      spaces: [{ name: evil, files: 1, versions: 1, bytes: 1, created_at: time } as never],
      unopened: [],
    }),
    server: server as never,
    deleted: async () => ({ files: [file as never], isMore: true }),
    conflicts: async () => [{ path: evil, copy: evil, user: evil, opened_at: time }],
    compare: async () => `+${evil}`,
  });
  using screen = await onTerminalScreen(desk, { columns: 120, rows: 40 });
  const { terminal, press, app } = screen;
  await press("", "Signed in as");
  for (const [keys, wanted] of [
    ["2", "› "],
    [ENTER, "STATE"],
    ["h", "MESSAGE"],
    ["d", "1 line added"],
    ["\u007f", "MESSAGE"],
    [ENTER, "line 1 of"],
    ["?", "On this page"],
    ["x2\u007f\u007f", "STATE"],
    ["D", "m shows more"],
    ["R", "Restore "],
    ["n", "cancelled"],
    [`3bad${ENTER}`, "Search: bad"],
    [`s\u007f\u007f\u007f${paste(evil)}`, "_"],
    [ENTER, "› "],
    ["4", "› "],
    [ENTER, "Tokens (1)"],
    ["x", "Disable "],
    ["n", "cancelled"],
    ["5", "› "],
    ["w", "only "],
    [ENTER, "Audit record"],
    ["\u007fv", "BROKEN"],
    ["6", "› "],
    [ENTER, "The version of"],
  ] as const)
    await press(keys, wanted);
  app.tell(evil);
  await press("", "�");
  // oxlint-disable-next-line no-control-regex -- our own sequences, without their text
  const text = terminal.sent.replaceAll(/\u001b\[(?:\d+;\d+H|K|\d+G|[0-9;]*m|\?\d+[hl]|2J)/g, "");
  expect(text.match(/[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u{e0041}]/u)).toBeNull();
});
