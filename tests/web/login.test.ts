// Goal: a person signs in only to the page's own server and returns to where they were; a session that ends loses no input; on the
// server's own machine no one becomes admin after signing out without asking for it.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { BrowserContext, Page } from "playwright-core";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { holdRequest } from "../kit/browser/hold.ts";
import { hasBrowser, startBrowser, type TestBrowser } from "../kit/browser/browser.ts";
import { type Client, createClient } from "../kit/http/client.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { createPerson, type Person } from "../kit/service/person.ts";
import { runService, type RunningService } from "../kit/service/running.ts";

setDefaultTimeout(90_000);
/** The server counts the attempts of this time. */
const COUNTED_S = 60;
/** Longer than that. */
const PAGE_IS_OPEN_MS = 600_000;

describe.if(hasBrowser)("the login", () => {
  const stack = new AsyncDisposableStack();
  /** A server that requires signing in. */
  let service: RunningService;
  /** A server that trusts its own machine. */
  let open: RunningService;
  let browser: TestBrowser;
  let admin: Client;
  let ada: Person;
  let workspaceId: number;

  const strict = async () => {
    const folder = stack.use(await temporaryFolder());
    await folder.write("data/config.yaml", "loopback_admin: false\n");
    return stack.use(await runService({ data: `${folder.path}/data` }));
  };
  beforeAll(async () => {
    service = await strict();
    open = stack.use(await runService());
    browser = stack.use(await startBrowser());
    admin = createClient(service.url, service.token);
    const nowhere = { name: "nobody", type: "anthropic", base_url: "http://127.0.0.1:9" };
    const provider = await admin.post("/providers", nowhere);
    const model = await admin.post("/models", { provider_id: provider.id, model_name: "boss" });
    const lab = await admin.post("/workspaces", { name: "lab", orchestrator_model_id: model.id });
    workspaceId = lab.id;
    ada = await createPerson(admin, "Ada", "admin");
  });
  afterAll(() => stack.disposeAsync());

  const heading = (page: Page) => page.getByRole("heading", { name: "Sign in" });
  const fill = async (page: Page, name: string, password: string) => {
    await page.getByRole("textbox", { name: "User" }).fill(name);
    await page.getByRole("textbox", { name: "Password" }).fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
  };
  const refused = (status: number) => browser.expected(new RegExp(`status of ${status}`));
  const signedIn = async (path: string, person = ada, on = service): Promise<Page> => {
    const page = await browser.open(on.url, path);
    await heading(page).waitFor();
    await fill(page, person.name, person.password);
    await heading(page).waitFor({ state: "detached" });
    refused(401);
    return page;
  };
  /** Expires the session, as after a month. */
  const endSessions = async () => {
    await admin.delete(`/users/${ada.id}/tokens`);
  };
  const cookieOf = async (context: BrowserContext) =>
    (await context.cookies()).find(({ name }) => name === "cairn_session")?.value;

  test("labels three fields for password managers and focuses the first empty one", async () => {
    await using page = await browser.open(service.url, "/library");
    await heading(page).waitFor();
    await eventually(() => page.getByRole("heading").allInnerTexts(), ["Sign in"]);
    await eventually(() => page.title(), "Sign in · Cairn");
    await eventually(() => page.getByRole("textbox", { name: "Server" }).inputValue(), service.url);
    const fields = await page.locator("input").evaluateAll((inputs) =>
      (inputs as unknown as { type: string; autocomplete: string }[]).map(({ type, autocomplete }) => ({
        type,
        autocomplete,
      })),
    );
    expect(fields).toEqual([
      { type: "url", autocomplete: "url" },
      { type: "text", autocomplete: "username" },
      { type: "password", autocomplete: "current-password" },
    ]);
    await eventually(() => page.evaluate("document.activeElement.name"), "username");
    expect(await problemsInBothThemes(page)).toEqual([]);
    refused(401);
  });

  test("reports a wrong password and keeps the name; the right one returns to the page", async () => {
    await using page = await browser.open(service.url, `/workspaces/${workspaceId}/files?x=1`);
    await heading(page).waitFor();
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Enter your username.").waitFor();
    await fill(page, "Ada", "not it");
    await page.getByRole("alert").getByText("invalid username or password").waitFor();
    await eventually(() => page.getByRole("textbox", { name: "User" }).inputValue(), "Ada");
    refused(401);
    await page.getByRole("textbox", { name: "Password" }).fill(ada.password);
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Files" }).waitFor();
    expect(page.url()).toBe(`${service.url}/workspaces/${workspaceId}/files?x=1`);
    expect(await page.evaluate("document.cookie")).toBe("");
  });

  test("signs in and out by keyboard, and shows nothing of the session afterwards", async () => {
    await using page = await browser.open(service.url, "/settings");
    await heading(page).waitFor();
    refused(401);
    await page.keyboard.type("Ada");
    await page.keyboard.press("Tab");
    await page.keyboard.type(ada.password);
    await page.keyboard.press("Enter");
    await page.getByText("You signed in with a password.").waitFor();
    const before = await cookieOf(page.context());
    await page.getByRole("main").getByRole("button", { name: "Sign out" }).click();
    await heading(page).waitFor();
    refused(401);
    expect(await page.getByText("You signed in with a password.").count()).toBe(0);
    expect(await cookieOf(page.context())).toBeUndefined();
    const replay = await fetch(`${service.url}/api/v1/whoami`, {
      headers: { Cookie: `cairn_session=${before}` },
    });
    expect(replay.status).toBe(401);
  });

  test("shows the login over the page when the session ends, and keeps the input; asks before signing out loses it", async () => {
    await using page = await signedIn("/models?open=new-provider");
    await page.getByRole("textbox", { name: "Name" }).fill("Half written");
    const signOut = async (answer: "Cancel" | "Discard changes") => {
      await page.getByRole("button", { name: "Sign out" }).click();
      const question = page.getByRole("dialog", { name: "Discard changes?" });
      await question.getByRole("button", { name: answer }).click();
      await question.waitFor({ state: "detached" });
    };
    await signOut("Cancel");
    await eventually(() => page.getByRole("textbox", { name: "Name" }).inputValue(), "Half written");
    await endSessions();
    await page.getByRole("textbox", { name: "Key" }).fill("a-key");
    await page.getByRole("complementary").getByRole("button", { name: "Add provider" }).click();
    await heading(page).waitFor();
    await page.getByText("The session of Ada has ended.").waitFor();
    await eventually(() => page.getByRole("textbox", { name: "User" }).inputValue(), "Ada");
    await eventually(() => page.evaluate("document.activeElement.name"), "password");
    expect(
      await page.getByRole("complementary").getByRole("button", { name: "Add provider" }).isVisible(),
    ).toBe(false);
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await heading(page).waitFor();
    refused(401);
    await fill(page, "Ada", ada.password);
    await heading(page).waitFor({ state: "detached" });
    expect(page.url()).toBe(`${service.url}/models?open=new-provider`);
    await eventually(() => page.getByRole("textbox", { name: "Name" }).inputValue(), "Half written");
    await page
      .getByText(
        "Your session had ended, so nothing was changed. After signing in, try again; your input is kept.",
      )
      .waitFor();
    await page.getByRole("complementary").getByRole("button", { name: "Add provider" }).click();
    await page.getByRole("complementary").getByRole("heading", { name: "Half written" }).waitFor();
    await page.getByRole("textbox", { name: "New key" }).fill("another-key");
    await signOut("Discard changes");
    await heading(page).waitFor();
    refused(401);
  });

  test("shows the login over a dialog; another person starts fresh", async () => {
    const berta = await createPerson(admin, "Berta");
    await using page = await signedIn("/workspaces?new=1");
    await page
      .getByRole("dialog")
      .getByRole("textbox", { name: "Description" })
      .fill("what only Ada may know");
    await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("Her own");
    await page.getByRole("combobox", { name: "Model of the orchestrator" }).fill("boss");
    await page.getByRole("option", { name: /boss/ }).click();
    await endSessions();
    await page.getByRole("button", { name: "Create" }).click();
    await heading(page).waitFor();
    await page.keyboard.type("typed at once");
    await eventually(() => page.getByRole("textbox", { name: "Password" }).inputValue(), "typed at once");
    await fill(page, "Berta", berta.password);
    await heading(page).waitFor({ state: "detached" });
    refused(401);
    await page.getByText("Berta", { exact: true }).waitFor();
    expect(await page.content()).not.toContain("what only Ada may know");
    const values = await page
      .locator("textarea")
      .evaluateAll((fields) => (fields as unknown as { value: string }[]).map(({ value }) => value));
    expect(values.filter(Boolean)).toEqual([]);
  });

  test("resumes an open workspace after signing in again", async () => {
    await using page = await signedIn(`/workspaces/${workspaceId}/blueprint`);
    await page.getByRole("link", { name: "Blueprint" }).waitFor();
    await endSessions();
    await heading(page).waitFor();
    refused(401);
    await fill(page, "Ada", ada.password);
    await heading(page).waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: /orchestrator/ }).waitFor();
    await admin.post(`/workspaces/${workspaceId}/agents`, { name: "newcomer", role: "", model_id: 1 });
    await page.getByRole("option", { name: /newcomer/ }).waitFor();
  });

  test("stays signed in when an answer from before the login arrives after it", async () => {
    // A server of its own: attempts are counted for a minute, and the other tests use nearly as many as it takes.
    const own = await strict();
    const client = createClient(own.url, own.token);
    const person = await createPerson(client, "Ada", "member");
    await using page = await signedIn("/gears", person, own);
    const late = await holdRequest(page, /\/gears\?late$/, { what: "answer" });
    await client.delete(`/users/${person.id}/tokens`);
    const asked = page.evaluate("fetch('/api/v1/gears?late').then((answer) => answer.text())");
    await late.held;
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await heading(page).waitFor();
    await fill(page, "Ada", person.password);
    await heading(page).waitFor({ state: "detached" });
    await late.letGo();
    expect(await asked).toContain("unauthenticated");
    await page.reload();
    await page.getByRole("heading", { name: "No gears yet" }).waitFor();
    refused(401);
  });

  test("shows a role that an admin changed at the next look at the page, or at the first refusal", async () => {
    const eve = await createPerson(admin, "Eve", "member");
    await using page = await signedIn("/settings", eve);
    const people = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "People" });
    await page.getByText("member · signed in").waitFor();
    expect(await people.count()).toBe(0);
    await admin.patch(`/users/${eve.id}`, { role: "admin" });
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await people.click();
    await page.getByRole("button", { name: "Add person" }).waitFor();
    await admin.patch(`/users/${eve.id}`, { role: "member" });
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Audit" }).click();
    await people.waitFor({ state: "detached" });
    refused(403);
  });

  test("opens another server only on request, without sending input to it", async () => {
    await using page = await browser.open(service.url, "/");
    await heading(page).waitFor();
    refused(401);
    const posts: string[] = [];
    page.on("request", (request) => request.method() === "POST" && posts.push(request.url()));
    await page.getByRole("textbox", { name: "User" }).fill("Ada");
    await page.getByRole("textbox", { name: "Password" }).fill(ada.password);
    const server = page.getByRole("textbox", { name: "Server" });
    for (const wrong of ["javascript:alert(1)", "ftp://example.org", "http://Ada:x@example.org", ""]) {
      await server.fill(wrong);
      await eventually(() => page.getByRole("button", { name: "Sign in" }).isDisabled(), true);
    }
    await server.fill(open.url);
    await page.getByText("nothing you type here is sent to it").waitFor();
    await server.press("Enter");
    await eventually(() => page.getByRole("textbox", { name: "Password" }).isDisabled(), true);
    expect(page.url()).toStartWith(service.url);
    await page.getByRole("button", { name: `Open ${new URL(open.url).host}` }).click();
    await page.waitForURL(`${open.url}/**`);
    await page.getByText("this machine").waitFor();
    expect(posts).toEqual([]);
    expect(page.url()).not.toContain("Ada");
  });

  test("counts down after too many attempts, says so twice, and then takes another", async () => {
    const crowded = await strict();
    await using page = await browser.open(crowded.url, "/");
    await page.clock.install();
    await heading(page).waitFor();
    await page.clock.runFor(PAGE_IS_OPEN_MS);
    // All at once: on a slow machine, eleven attempts by hand may take longer than the minute that is counted.
    const body = { user: "nobody", password: "nothing at all" };
    const refusals = Array.from({ length: 10 }, () => crowded.admin.raw("POST", "/login", { body }));
    expect((await Promise.all(refusals)).map(({ status }) => status)).toEqual(Array(10).fill(401));
    await fill(page, "nobody", "nothing at all");
    const button = page.getByRole("button", { name: "Sign in" });
    const left = page.locator(".notice");
    const said = page.getByRole("status");
    await left.getByText(/^Too many attempts. Try again in \d+ s.$/).waitFor();
    const start = Number(/\d+/.exec(await left.innerText())![0]);
    expect([await button.isDisabled(), await page.getByRole("alert").count()]).toEqual([true, 0]);
    const announced = await said.innerText();
    expect(announced).toMatch(/^Too many attempts. Try again in \d+ seconds.$/);
    // Counted from now, not from when the page was opened.
    expect(Number(/\d+/.exec(announced)![0])).toBeLessThanOrEqual(COUNTED_S);
    expect(await problemsInBothThemes(page)).toEqual([]);
    let sent = 0;
    page.on("request", () => (sent += 1));
    await page.getByRole("textbox", { name: "Password" }).press("Enter");
    await page.clock.runFor(5_000);
    const after = Number(/\d+/.exec(await left.innerText())![0]);
    expect([after <= start - 5, await said.innerText(), sent]).toEqual([true, announced, 0]);
    await page.clock.runFor(60_000);
    await left.waitFor({ state: "detached" });
    expect([await button.isEnabled(), await said.innerText()]).toEqual([true, "You can try again now."]);
    refused(401);
    refused(429);
  });

  test("asks before continuing as admin on the server's own machine", async () => {
    const carl = await createPerson(open.admin, "Carl");
    await using page = await browser.open(open.url, "/settings");
    await page.getByRole("button", { name: "Switch user" }).click();
    await heading(page).waitFor();
    await fill(page, "Carl", carl.password);
    await page.getByText("You signed in with a password.").waitFor();
    await open.admin.delete(`/users/${carl.id}/tokens`);
    await page.getByRole("link", { name: "Library" }).click();
    await heading(page).waitFor();
    refused(401);
    await page.getByText("The session of Carl has ended.").waitFor();
    await page.getByRole("button", { name: "Continue as admin" }).click();
    await page.getByText("this machine").waitFor();
    expect(new URL(page.url()).pathname).toBe("/library");
  });

  test("ignores a stale cookie at the start", async () => {
    await using context = await browser.newContext({ reducedMotion: "reduce" });
    await context.addCookies([
      { name: "cairn_session", value: "cairn_stale", url: open.url, httpOnly: true, sameSite: "Strict" },
    ]);
    const page = await browser.open(open.url, "/gears", { context });
    await heading(page).waitFor();
    await page.getByRole("button", { name: "Continue as admin" }).click();
    await page.getByText("this machine").waitFor();
    refused(401);
  });
});
