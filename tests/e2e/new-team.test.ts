// Goal: a new admin goes from `cairn init server` in a terminal to a working team space with two users, a rule and a webhook, by what the compiled
// program prints and its pages say and nothing else, with scripts and without.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { startTerminal } from "../../src/kit/processes/process.ts";
import { binaryPath } from "../kit/binaries.ts";
import { hasBrowser, startBrowser, type TestBrowser } from "../kit/browser/browser.ts";
import { eventually, until } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { hookReceiver } from "../kit/context/hook-receiver.ts";

setDefaultTimeout(120_000);

const PASSWORD = "correct horse battery";

/** `cairn init server` as a person runs it, until its window is closed. */
function initServer(directory: string) {
  let printed = "";
  const command = [binaryPath("cairn"), "init", "server", "--data-dir", directory, "--port", "0"];
  const terminal = startTerminal(command, {
    environment: process.env,
    variables: { TERM: "xterm", DISPLAY: "", WAYLAND_DISPLAY: "" },
    columns: 200,
    rows: 40,
    output: (chunk) => void (printed += new TextDecoder().decode(chunk)),
    drained: () => {},
  })!;
  return {
    /** Once all of it is there. Raises with what the program printed instead. */
    address: () =>
      until(() => /http:\/\/127\.0\.0\.1:\d+\/setup\?code=[\w-]+(?=[^\w-])/.exec(printed)?.[0]).catch(() => {
        throw new Error(`no address in ${JSON.stringify(printed)}`);
      }),
    async [Symbol.asyncDispose]() {
      terminal.kill();
      await terminal.ended;
    },
  };
}

describe.if(hasBrowser && process.platform !== "win32")("a new team", () => {
  let web: TestBrowser;
  beforeAll(async () => void (web = await startBrowser()));
  afterAll(() => web[Symbol.asyncDispose]());

  test.each([true, false])("starts from cairn init server, with scripts: %p", async (javaScriptEnabled) => {
    await using folder = await temporaryFolder();
    await using hooks = hookReceiver();
    const directory = join(folder.path, "server");
    // The receiver of this test is on the same machine; the operator allows that before the first start.
    mkdirSync(directory);
    writeFileSync(join(directory, "server.yaml"), "webhooks:\n  allow_private_targets: true\n");
    await using terminal = initServer(directory);
    const address = new URL(await terminal.address());
    const contexts: BrowserContext[] = [];
    const person = async (path: string): Promise<Page> => {
      contexts.push(await web.newContext({ javaScriptEnabled, timezoneId: "UTC" }));
      return web.open(address.origin, path, { context: contexts.at(-1)! });
    };
    try {
      const admin = await person(address.pathname + address.search);
      await setUp(admin);
      await createUser(admin, "Bob", "contributor");
      await admin.getByRole("link", { name: "Access rules" }).click();
      await forbid(admin, "private/**");
      await createUser(admin, "Vic", "viewer");
      await addWebhook(admin, hooks.url().replace("hook.example", "127.0.0.1"));
      await eventually(() => hooks.got.filter(({ body }) => body.includes("webhook.test")).length, 1);
      await write(admin, "private/plan.md", "# Secret plan\n");
      await write(admin, "notes/open.md", "# Open notes\n");

      const bob = await person("/");
      await signIn(bob, "Bob");
      await openSpace(bob);
      await bob.getByRole("link", { name: "notes/" }).waitFor();
      expect(await bob.getByText("private").count()).toBe(0);
      await bob.getByRole("link", { name: "notes/" }).click();
      await bob.getByRole("link", { name: "open.md" }).click();
      await bob.getByRole("link", { name: "Edit" }).click();
      await bob.getByRole("textbox", { name: "Text" }).fill("# Open notes\n\nBob was here.\n");
      await bob.getByRole("button", { name: "Save" }).click();
      await bob.getByText("Saved notes/open.md as v2.").waitFor();

      const vic = await person("/");
      await signIn(vic, "Vic");
      await openSpace(vic);
      await vic.getByRole("link", { name: "private/" }).click();
      await vic.getByRole("link", { name: "plan.md" }).click();
      await vic.getByRole("heading", { name: "Secret plan" }).waitFor();
      expect(await vic.getByRole("link", { name: "Edit" }).count()).toBe(0);

      // The events of all three, as another service gets them.
      await eventually(
        () =>
          hooks.got.filter(({ body }) => body.includes('"actor":"Bob"') && body.includes("open.md")).length,
        1,
      );
      await goTo(admin, "Webhooks");
      await admin.getByRole("link", { name: hooks.url().replace("hook.example", "127.0.0.1") }).click();
      await admin
        .getByRole("row", { name: /file\.write Delivered/ })
        .first()
        .waitFor();
    } finally {
      for (const context of contexts) await context.close();
    }
  });
});

async function setUp(page: Page): Promise<void> {
  const onwards = (name: string) => page.getByRole("button", { name }).click();
  await onwards("Continue");
  await page.getByRole("heading", { name: "Address" }).waitFor();
  await onwards("Continue");
  await page.getByRole("textbox", { name: "Your name" }).fill("Ada");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("The password again").fill(PASSWORD);
  await onwards("Continue");
  await page.getByRole("heading", { name: "First space" }).waitFor();
  await onwards("Continue");
  await page.getByRole("heading", { name: "Review" }).waitFor();
  await onwards("Create the server");
  await page.getByRole("heading", { name: "Next steps" }).waitFor();
}

async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name }).click();
}

async function createUser(page: Page, name: string, role: string): Promise<void> {
  await goTo(page, "Users");
  await page.getByRole("link", { name: "Create a user" }).click();
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Role", { exact: true }).selectOption(role);
  await page.getByLabel("Password (optional)").fill(PASSWORD);
  await page.getByRole("button", { name: "Create the user" }).click();
  await page.getByText(`Created ${name}.`).waitFor();
}

async function forbid(page: Page, pattern: string): Promise<void> {
  await page.getByLabel("Effect of rule 1").selectOption("deny");
  await page.getByLabel("Space of rule 1").fill("team");
  await page.getByLabel("Pattern of rule 1").fill(pattern);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved 1 rule.").waitFor();
}

async function addWebhook(page: Page, url: string): Promise<void> {
  await goTo(page, "Webhooks");
  await page.getByRole("link", { name: "Create a webhook" }).click();
  await page.getByLabel("Address").fill(url);
  await page.getByRole("button", { name: "Create the webhook" }).click();
  await page.getByText("Its secret signs every delivery").waitFor();
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("Queued a test.").waitFor();
}

async function write(page: Page, path: string, text: string): Promise<void> {
  await openSpace(page);
  await page.getByRole("link", { name: "Create a document" }).click();
  await page.getByRole("textbox", { name: "Path" }).fill(path);
  await page.getByRole("textbox", { name: "Text" }).fill(text);
  await page.getByRole("button", { name: "Create the document" }).click();
  await page.getByText(`Created ${path}.`).waitFor();
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
}

async function openSpace(page: Page): Promise<void> {
  await goTo(page, "Spaces");
  await page.getByRole("cell", { name: "team" }).getByRole("link").click();
  await page.getByRole("heading", { name: "team" }).waitFor();
}
