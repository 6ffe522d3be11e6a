// Goal: nothing that a person typed into a form is lost: not when the session ended meanwhile, when another one began, when they have to wait, or when
// the text is as large as the editor takes, or larger.

import { describe, expect, test } from "bun:test";
import { EDIT_BYTES_MAX } from "../../src/context/console/editing.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { shared } from "../kit/group-resource.ts";
import {
  PASSWORD,
  signedIn,
  signIn,
  visitor,
  type ConsolePage,
  type Visitor,
} from "../kit/context/console.ts";

const IN = "/console/spaces/team";
/** Line ends at both ends, markup, and characters that a browser sends as they are. */
const TYPED = '\nmy </textarea><b>text</b> & "more"\r\n\r\n';
const SENT = '\nmy </textarea><b>text</b> & "more"\n\n';

const server = shared(() => contextServer({ people: { ada: "contributor" } }));

const editorOf = async (one: Visitor, path: string) => {
  await server.admin.write(path, "one\n");
  return one.get(`${IN}/edit/${path}`);
};
const save = (one: Visitor, page: ConsolePage, path: string, content = TYPED) =>
  one.submit(page, `${IN}/edit/${path}`, { content, action: "save", message: "why & how" });
const formOf = ({ forms }: ConsolePage, action: string) => forms.find((form) => form.action === action)!;

describe("a form that is sent after the session ended", () => {
  test("is taken up again by signing in, also after a wrong password, and saves what was typed", async () => {
    const ada = await signedIn(server, "ada");
    const editor = await editorOf(ada, "late.md");
    ada.cookies.clear();
    const asked = await save(ada, editor, "late.md");
    expect([asked.status, asked.title]).toEqual([401, "Signed out · Cairn"]);
    expect(asked.text).toContain('my </textarea><b>text</b> & "more"');
    // A browser without any cookie gets one with the page.
    const wrong = await ada.submit(asked, "/console/login", { name: "ada", password: "wrong password" });
    expect([wrong.status, wrong.problems]).toEqual([401, { "": "invalid credentials" }]);
    const back = await ada.submit(wrong, "/console/login", { name: "ada", password: PASSWORD });
    expect([back.status, back.title]).toEqual([200, "Signed in · Cairn"]);
    expect(await server.admin.read("late.md")).toBe("one\n");
    const done = await ada.submit(back, `${IN}/edit/late.md`);
    expect([done.path, done.text.includes("Saved late.md as v2.")]).toEqual([`${IN}/files/late.md`, true]);
    expect(await server.admin.read("late.md")).toBe(SENT);
    expect((await ada.get(`${IN}/history/late.md`)).text).toContain("why & how");
  });

  test("meets what someone else saved meanwhile, as any other", async () => {
    const ada = await signedIn(server, "ada");
    const editor = await editorOf(ada, "both.md");
    ada.cookies.clear();
    const asked = await save(ada, editor, "both.md");
    await server.admin.write("both.md", "theirs\n");
    const back = await ada.submit(asked, "/console/login", { name: "ada", password: PASSWORD });
    const conflict = await ada.submit(back, `${IN}/edit/both.md`);
    expect([conflict.status, conflict.text.includes("Saved in the meantime: v2 theirs")]).toEqual([
      412,
      true,
    ]);
  });

  test("keeps rows of rules, and leads nowhere outside the console", async () => {
    const root = await signedIn(server, "root");
    const path = "/console/users/ada/access";
    const page = await root.get(path);
    root.cookies.clear();
    const typed = { "rules.0.space": "team", "rules.0.pattern": "mine/**", do: "save" };
    const asked = await root.submit(page, path, typed);
    const back = await root.submit(asked, "/console/login", { name: "root", password: PASSWORD });
    expect((await root.submit(back, path)).text).toContain("Saved 1 rule.");
    await server.rules("ada");
    for (const again of ["https://evil.example/", "//evil.example", "/api/v1/users", "/console/\nx"]) {
      const one = visitor(server.url);
      const login = await one.get("/console/login");
      const entered = { name: "ada", password: PASSWORD, again, "kept content": "x" };
      const first = await one.submit(login, "/console/login", entered);
      expect([again, first.path, first.title]).toEqual([again, "/console", "Overview · Cairn"]);
    }
  });

  test("that only confirms something is asked for once more", async () => {
    const root = await signedIn(server, "root");
    const ask = await root.get("/console/users/ada/disable");
    root.cookies.clear();
    const page = await root.submit(ask, "/console/users/ada/disable");
    expect([page.status, formOf(page, "/console/login")]).toEqual([401, undefined as never]);
    expect((await server.admin.get("/users/ada")).disabled).toBe(false);
  });
});

test("a form of an earlier session is sent again by a click, never by itself", async () => {
  const ada = await signedIn(server, "ada");
  const editor = await editorOf(ada, "earlier.md");
  ada.cookies.clear();
  await signIn(ada, "ada", PASSWORD);
  const page = await save(ada, editor, "earlier.md");
  expect([page.status, page.title]).toEqual([403, "This form has expired · Cairn"]);
  expect(await server.admin.read("earlier.md")).toBe("one\n");
  expect((await ada.submit(page, `${IN}/edit/earlier.md`)).text).toContain("Saved earlier.md as v2.");
  expect(await server.admin.read("earlier.md")).toBe(SENT);
  const [record] = await server.audit("actor=ada&action=request.refused&limit=1");
  expect(record!.target).toBe(`POST ${IN.replace("team", ":space")}/edit/*`);
});

test("a form that is sent too soon is shown, with how long to wait", async () => {
  const config = { rate_limit: { enabled: true, requests_per_minute: 20 } };
  await using limited = await contextServer({ config });
  const root = await signedIn(limited, "root");
  await limited.admin.write("soon.md", "one\n");
  const editor = await root.get(`${IN}/edit/soon.md`);
  let page = editor;
  for (let count = 0; count < 20 && page.status !== 429; count += 1)
    page = await root.submit(editor, `${IN}/edit/soon.md`, { content: "my text\n", action: "preview" });
  expect([page.status, page.text.includes("my text")]).toEqual([429, true]);
});

describe("a large text", () => {
  test.each([
    ["of line ends only", "\n".repeat(EDIT_BYTES_MAX)],
    ["of characters of three bytes", "語".repeat(Math.floor(EDIT_BYTES_MAX / 3))],
  ])("%s, which the editor takes, is saved", async (_, text) => {
    const ada = await signedIn(server, "ada");
    await server.admin.write("large.md", text);
    const editor = await ada.get(`${IN}/edit/large.md`);
    const done = await ada.submit(editor, `${IN}/edit/large.md`, { action: "save" });
    expect([done.status, done.path]).toEqual([200, `${IN}/files/large.md`]);
    expect((await server.admin.read("large.md")) === text).toBe(true);
  });

  test("that the editor does not take stays on the page, with the reason at its field", async () => {
    const ada = await signedIn(server, "ada");
    const text = "語".repeat(EDIT_BYTES_MAX / 3 + 1);
    const editor = await editorOf(ada, "larger.md");
    for (const action of ["save", "preview"]) {
      const page = await ada.submit(editor, `${IN}/edit/larger.md`, { content: text, action });
      expect([page.status, page.problems]).toEqual([
        413,
        { content: expect.stringContaining("at most 256 KiB in the browser") },
      ]);
      expect(formOf(page, `${IN}/edit/larger.md`).fields["content"] === text).toBe(true);
    }
  });

  test("that someone else saved meanwhile is not shown beside one's own, which stays", async () => {
    const ada = await signedIn(server, "ada");
    const editor = await editorOf(ada, "grown.md");
    await server.admin.write("grown.md", "word\n".repeat(EDIT_BYTES_MAX));
    const page = await save(ada, editor, "grown.md", "mine\n");
    expect([page.status, page.text.includes("too large to show: 1.3 MiB")]).toEqual([412, true]);
    expect(formOf(page, `${IN}/edit/grown.md`).fields).toMatchObject({ content: "mine\r\n", base: "2" });
  });
});
