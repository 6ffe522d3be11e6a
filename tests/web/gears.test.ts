// Goal: a gear goes from an agent's forge through review, dry run and approval to the approved call; approval covers exactly the reviewed
// content; people who cannot decide see everything but no buttons.

import { expect, test } from "bun:test";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { accessibilityProblems, problemsInBothThemes } from "../kit/browser/axe.ts";
import type { Client } from "../kit/http/client.ts";
import { eventually } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { approvedGear, isolatedSandbox, makeGear } from "../kit/service/gears.ts";
import { call, say } from "../kit/model/index.ts";
import { onScreen, withBrowser } from "../kit/browser/screen.ts";
import { compiledWorld, world } from "../kit/service/world.ts";
import { edgesOf } from "../kit/browser/edges.ts";

const PASSWORD = "a long enough password";
/** After this time a page reads its gear again. */
const READ_AGAIN_MS = 8_000;

/** The compiled program on this machine, where gears really run, without isolation; and a service that reports isolation. */
async function both() {
  const service = await world({ model: true, sandbox: isolatedSandbox() });
  const folder = await temporaryFolder();
  const compiled = await compiledWorld({
    model: service.model,
    under: [folder, service],
  });
  return Object.assign(await withBrowser(compiled), { service, folder });
}

(process.platform === "win32" ? () => {} : onScreen)("gears", both, (at) => {
  const open = (path: string, options = {}) => at.browser.open(at.service.url, path, options);
  const read = (id: number, on: { readonly admin: Client } = at.service) => on.admin.get(`/gears/${id}`);
  const short = (hash: string) => `${hash.slice(0, 4)}…${hash.slice(-4)}`;
  const side = (page: Page) => page.getByRole("complementary", { name: "Run and decide" });

  /** A person who is signed in in a separate browser context. */
  async function signedIn(
    name: string,
    role: string,
    on: { readonly admin: Client; readonly url: string } = at.service,
  ): Promise<BrowserContext> {
    const { user } = await on.admin.post("/users", { name, role });
    await on.admin.put(`/users/${user.id}/password`, { password: PASSWORD });
    const context = await at.browser.newContext({ reducedMotion: "reduce" });
    const answer = await context.request.post(`${on.url}/api/v1/login`, {
      data: { user: name, password: PASSWORD },
    });
    expect(answer.status()).toBe(200);
    return context;
  }

  test("explains gears when there are none, creates the first one, and shows refusals beside their fields", async () => {
    await using page = await at.open("/gears");
    await page.getByRole("heading", { name: "No gears yet" }).waitFor();
    await page.getByRole("link", { name: "Create gear" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Not A Name");
    await page.getByRole("button", { name: "Create gear" }).click();
    await page.getByText("expected 2 to 49 lower-case letters").waitFor();
    await page.getByLabel("Name", { exact: true }).fill("first_gear");
    await page.getByLabel("Runtime").selectOption("Bash");
    await page.getByLabel("Description").fill("Says what it was given.");
    await page.getByLabel("Tags").fill("text, first");
    await page.getByRole("button", { name: "Create gear" }).click();
    await page.waitForURL(/\/gears\/\d+\/review$/);
    await page.getByRole("heading", { name: "first_gear" }).waitFor();
    expect(await at.admin.get("/gears")).toMatchObject([
      { name: "first_gear", runtime: "bash", tags: ["text", "first"], version: 1, status: "pending" },
    ]);
    at.browser.expected(/status of 400/);
  });

  test("takes a forged gear through review, dry run with live output, approval and call", async () => {
    const gate = join(at.folder.path, "gate");
    const code = `echo first\nuntil [ -e ${gate} ]; do sleep 0.05; done\ncat\n`;
    at.model.script("boss", [
      call("gear_forge", {
        name: "slow_echo",
        description: "Repeats what it was given.",
        runtime: "bash",
        code,
        args_schema: JSON.stringify({
          type: "object",
          properties: { text: { type: "string" }, times: { type: "integer", maximum: 3 } },
          required: ["text"],
          additionalProperties: false,
        }),
      }),
      say("It waits."),
      call("slow_echo", { text: "from the agent" }),
      say("Called."),
    ]);
    const chat = (text: string) => at.admin.post(`${at.own}/chat`, { text });
    await chat("Make a gear.");
    const forged = async () => (await at.admin.get("/gears")).find(({ name }) => name === "slow_echo");
    await eventually(async () => (await forged())?.status, "pending");
    await using page = await at.open("/approvals");
    await page.getByRole("link", { name: /^slow_echo/ }).click();
    const card = page.getByRole("region", { name: "orchestrator asks to approve a gear" });
    await card.getByText("slow_echo").first().waitFor();
    await card.getByText("NOT isolated, with the server's own access").waitFor();
    await card.getByRole("link", { name: "slow_echo" }).click();
    await page.getByText("forged by orchestrator in lab").waitFor();
    await page.getByText("version 1 pending approval").waitFor();
    await page.getByText("Once approved, it can be called by orchestrator in lab.").waitFor();

    // Invalid arguments, and those that the server refuses, are reported beside their field; nothing runs.
    await side(page).getByLabel("times").fill("many");
    await side(page).getByRole("button", { name: "Dry run" }).click();
    await side(page).getByText("Not a number.").waitFor();
    await side(page).getByLabel("times").fill("7");
    await side(page).getByRole("button", { name: "Dry run" }).click();
    await side(page).getByRole("alert").filter({ hasText: "3" }).waitFor();
    await side(page).getByLabel("times").fill("");
    await side(page).getByLabel("text").fill("by hand");
    await side(page).getByRole("button", { name: "Dry run" }).click();
    const output = side(page).getByRole("region", { name: "Output" });
    await output.getByText("first").waitFor();
    expect(await side(page).getByText("exit 0").count()).toBe(0);
    await Bun.write(gate, "");
    await output.getByText('{"text":"by hand"}').waitFor();
    await side(page).getByText("exit 0").waitFor();

    const { id, content_hash: hash } = (await forged())!;
    await page.getByRole("button", { name: `Approve ${short(hash)}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Approve without isolation" }).click();
    const line = new RegExp(`^Approved v1 ${short(hash)}, admin \\(this machine\\)`);
    await page.getByRole("status").filter({ hasText: line }).waitFor();
    await page.getByText("version 1 approved").waitFor();
    await side(page).getByText(line).waitFor();
    expect(await read(id, at)).toMatchObject({ status: "approved", approval: { content_hash: hash } });

    await chat("Call it.");
    await page.getByRole("link", { name: "Runs" }).click();
    const runs = page.getByRole("table", { name: "Runs" });
    const called = runs.getByRole("row", { name: /agent call/ });
    await called.getByText("exit 0").waitFor();
    await called.click();
    await page.getByRole("region", { name: "Output" }).getByText("from the agent").waitFor();
    await page.getByRole("region", { name: "Arguments" }).getByText('"text": "from the agent"').waitFor();
    at.browser.expected(/status of 400/);
  });

  test("does not approve a version that was saved during the review, and says so", async () => {
    const gear = await approvedGear(at.service.admin, { name: "changing", code: "cat\necho one\n" });
    await at.service.admin.put(`/gears/${gear.id}`, { code: "cat\necho two\n" });
    await using page = await open(`/gears/${gear.id}/review`);
    const second = await read(gear.id);
    await page.getByText("version 1 (approved) → version 2").first().waitFor();
    await page.getByText("echo one").waitFor();
    await page.getByText("echo two").waitFor();
    await at.service.admin.put(`/gears/${gear.id}`, { code: "curl evil\n" });
    const approve = page.getByRole("button", { name: `Approve ${short(second.content_hash)}` });
    await approve.click();
    await page.getByText("the gear's content has changed").waitFor();
    await page
      .getByText("Version 3 was saved while you were reviewing version 2.", { exact: false })
      .waitFor();
    await page.getByText("echo two").waitFor();
    expect(await page.getByText("curl evil").count()).toBe(0);
    await eventually(() => approve.isDisabled(), true);
    expect(await read(gear.id)).toMatchObject({ status: "pending", approval: null });
    await page.getByRole("button", { name: "Show version 3" }).click();
    await page.getByText("curl evil").waitFor();
    const third = await read(gear.id);
    await page.getByRole("button", { name: `Approve ${short(third.content_hash)}` }).waitFor();
    at.browser.expected(/status of 409/);
  });

  test("shows the decision at once, and highlights Approve only after all content was on the screen", async () => {
    const code = Array.from({ length: 120 }, (_, line) => `echo line ${line}`).join("\n");
    const gear = await makeGear(at.service.admin, { name: "long_gear", code: `cat\n${code}\n` });
    const inView = async (page: Page) => {
      const { top, bottom } = await edgesOf(page.getByRole("group", { name: "Decision on long_gear" }));
      return top > 0 && bottom <= page.viewportSize()!.height;
    };
    for (const width of [1280, 390]) {
      await using page = await open(`/gears/${gear.id}/review`, { width });
      const approve = page.getByRole("button", { name: `Approve ${short(gear.content_hash)}` });
      await approve.waitFor();
      await page.getByText("echo line 0").first().waitFor();
      await eventually(() => inView(page), true);
      const inviting = () => approve.evaluate((button) => button.classList.contains("primary"));
      expect(await inviting()).toBe(false);
      await page.getByText("You have not seen all of the content yet.").waitFor();
      await page.getByRole("button", { name: "Show rest" }).click();
      await page.getByText("echo line 119").waitFor();
      await eventually(inviting, true);
      await eventually(() => inView(page), true);
      expect(await accessibilityProblems(page)).toEqual([]);
    }
  });

  test("places the version list above the diff in one column", async () => {
    const gear = await approvedGear(at.service.admin, { name: "stacked_gear", code: "cat\necho one\n" });
    await at.service.admin.put(`/gears/${gear.id}`, { code: "cat\necho two\n" });
    await using page = await open(`/gears/${gear.id}/versions`, { width: 390 });
    const list = page.getByRole("complementary", { name: "Versions" });
    await list.getByText("version 2").waitFor();
    await list
      .getByRole("listitem")
      .filter({ hasText: "version 1" })
      .getByText(/^Approved, admin \(this machine\), /)
      .waitFor();
    const from = page.getByLabel("From", { exact: true });
    await from.waitFor();
    await eventually(async () => (await edgesOf(from)).top >= (await edgesOf(list)).bottom, true);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test("warns about missing isolation on every page, and asks again before approval", async () => {
    const gear = await makeGear(at.admin, { name: "bare_gear" });
    await using page = await at.open("/gears");
    await page.clock.install();
    await page.getByText("Gears are NOT isolated on this server", { exact: false }).waitFor();
    await page.getByRole("link", { name: "bare_gear" }).click();
    await page.getByText("Gears are not isolated on this server.", { exact: true }).waitFor();
    await side(page).getByLabel("Arguments (JSON)").fill('{"a": 1}');
    await side(page).getByRole("button", { name: "Dry run" }).click();
    await side(page)
      .getByText("This run was not isolated: the program had the server's own access.")
      .waitFor();
    const approve = page.getByRole("button", { name: `Approve ${short(gear.content_hash)}` });
    await approve.click();
    const question = page.getByRole("dialog", { name: "Approve bare_gear without isolation?" });
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    expect((await read(gear.id, at)).status).toBe("pending");
    await approve.click();
    await question.waitFor();
    // A question that is out of date goes away, and nothing is approved.
    await at.admin.patch(`/gears/${gear.id}`, { status: "disabled" });
    await page.clock.fastForward(READ_AGAIN_MS);
    await question.waitFor({ state: "detached" });
    await page.getByText("bare_gear has changed in the meantime. Nothing was approved here.").waitFor();
    expect((await read(gear.id, at)).status).toBe("disabled");
    await approve.click();
    await question.getByRole("button", { name: "Approve without isolation" }).click();
    await page.getByText("version 1 approved").waitFor();
    expect((await read(gear.id, at)).status).toBe("approved");
  });

  test("shows people who cannot decide the code, tests and schema, and who can", async () => {
    const gear = await makeGear(at.service.admin, {
      name: "looked_at",
      tests: [{ name: "echo", args: { a: 1 }, expected: '{"a":1}' }],
    });
    await using context = await signedIn("mira", "member");
    const page = await open(`/gears/${gear.id}/review`, { context });
    await page.getByText("Only admins can approve and disable gears", { exact: false }).waitFor();
    await page.getByRole("region", { name: "Content of main.sh" }).getByText("cat").waitFor();
    expect(await page.getByRole("button", { name: /^(Approve|Disable|Save limit)/ }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "More about this gear" }).count()).toBe(0);
    await page.getByRole("button", { name: "Run tests" }).click();
    await page.getByText("all passed").waitFor();
    await page.getByRole("link", { name: "Code" }).click();
    await page.getByText("Only its author, admin, and admins can save new versions.").waitFor();
    expect(await page.getByRole("button", { name: /^Save/ }).count()).toBe(0);
    await using bareContext = await signedIn("mira", "member", at);
    const { id } = await makeGear(at.admin, { name: "not_for_her" });
    const other = await at.open(`/gears/${id}/review`, { context: bareContext });
    await other.getByText("only admins can run this gear before it is approved", { exact: false }).waitFor();
    expect(await other.getByRole("button", { name: /^(Dry run|Run tests)/ }).count()).toBe(0);
  });

  test("warns that a new version loses the approval; never overwrites someone else's save unseen", async () => {
    const gear = await approvedGear(at.service.admin, { name: "written", code: "cat\n" });
    await using page = await open(`/gears/${gear.id}/code`);
    await page.clock.install();
    const editor = page.getByRole("textbox", { name: "Content of main.sh" });
    await page.getByLabel("Description").fill("Says it again.");
    await page.getByText("until it is approved", { exact: false }).waitFor();
    await page.getByRole("button", { name: "Save version 2" }).click();
    await page.waitForURL(`**/gears/${gear.id}/review`);
    await page.getByText("Says it again.").first().waitFor();
    await eventually(async () => {
      const { description, status, version } = await at.service.admin.get(`/gears/${gear.id}`);
      return [description, status, version];
    }, ["Says it again.", "pending", 2]);
    await at.service.admin.patch(`/gears/${gear.id}`, { status: "approved" });
    await page.getByRole("link", { name: "Code" }).click();
    await page.clock.fastForward(READ_AGAIN_MS);
    await editor.click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText("cat\necho mine\n");
    await page.getByText("until it is approved", { exact: false }).waitFor();
    await at.service.admin.put(`/gears/${gear.id}`, { code: "cat\necho theirs\n" });
    await page.getByRole("button", { name: "Save version" }).click();
    const stale = page.getByRole("dialog", { name: "Someone else saved this gear" });
    await stale.getByText("echo theirs").waitFor();
    await stale.getByText("echo mine").waitFor();
    await stale.getByRole("button", { name: "Save as version 4" }).click();
    await page.waitForURL(`**/gears/${gear.id}/review`);
    await page.getByText("version 4 pending approval").waitFor();
    await page.getByRole("link", { name: "Versions" }).click();
    await page.getByRole("combobox", { name: "From" }).selectOption("version 1");
    await page.getByText("version 1 → version 4").first().waitFor();
    await page.getByText("echo mine").waitFor();
    expect(await page.getByText("echo theirs").count()).toBe(0);
  });

  test("reveals invisible characters in code; shows binary programs by size and hash", async () => {
    const gear = await makeGear(at.service.admin, {
      name: "hidden",
      code: undefined,
      files: [
        { path: "main.sh", content: "cat # \u202eevil\n" },
        { path: "data/table.bin", content: "AAEC/w==", encoding: "base64" },
      ],
    });
    await using page = await open(`/gears/${gear.id}/review`);
    await page.getByText("U+202E").waitFor();
    await page.getByText(/^4 B, SHA-256 [0-9a-f]{4}…[0-9a-f]{4}$/).waitFor();
  });

  test("finds, opens, tries and approves a gear by keyboard", async () => {
    const gear = await makeGear(at.service.admin, { name: "by_keys" });
    await using page = await open("/gears");
    await page.getByRole("searchbox", { name: "Search gears" }).focus();
    await page.keyboard.type("by_keys");
    await eventually(() => page.getByRole("table", { name: "Gears" }).locator("tbody tr").count(), 1);
    const focused = (name: string | RegExp) =>
      tabTo(page, (element) => element.getByRole("button", { name }).or(element.getByRole("link", { name })));
    await tabTo(page, (on) => on.getByRole("row", { name: /by_keys/ }));
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/gears/${gear.id}/review`);
    await page.getByRole("heading", { name: "by_keys" }).waitFor();
    await tabTo(page, (on) => on.getByLabel("Arguments (JSON)"));
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type('{"a":2}');
    await focused("Dry run");
    await page.keyboard.press("Enter");
    await side(page).getByText("exit 0").waitFor();
    await eventually(() => page.evaluate(() => document.activeElement?.textContent), "Dry run");
    await focused(/^Approve/);
    await page.locator(".approval-actions button:not([aria-disabled])").first().waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("version 1 approved").waitFor();
    // The outcome has the focus of the button that it replaced, so the next one is close.
    await eventually(() => page.evaluate(() => document.activeElement?.className), "approval-settled");
    await focused("Disable");
  });

  test("passes axe on every page in both themes", async () => {
    const gear = await approvedGear(at.service.admin, {
      name: "axe_gear",
      description: "A gear",
      tests: [{ name: "one", args: { text: "x" }, expected: "x" }],
      args_schema: JSON.stringify({
        type: "object",
        properties: {
          text: { type: "string" },
          level: { enum: ["low", "high"] },
          words: { type: "array", items: { type: "string" } },
          options: { type: "object", properties: { deep: { type: "boolean" } } },
        },
      }),
    });
    await at.service.admin.put(`/gears/${gear.id}`, { code: "cat\necho more\n" });
    await using page = await open("/gears");
    await page.getByRole("link", { name: gear.name }).waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.getByRole("link", { name: gear.name }).click();
    await side(page).getByRole("button", { name: "Add to words" }).click();
    await side(page).getByRole("button", { name: "Dry run" }).click();
    await side(page).getByText("exit 0").waitFor();
    await page.getByText("echo more").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    for (const [tab, sign] of [
      ["Code", "Separated by commas."],
      ["Runs", "dry run"],
      ["Versions", "version 1 → version 2"],
    ] as const) {
      await page.getByRole("link", { name: tab, exact: true }).click();
      await page.getByText(sign).first().waitFor();
      expect([tab, await problemsInBothThemes(page)]).toEqual([tab, []]);
    }
    await page.goto(`${at.service.url}/gears?new=1`);
    await page.getByRole("heading", { name: "Create gear" }).waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
  });

  test("fits every page into one column", async () => {
    const gear = await makeGear(at.service.admin, {
      name: "narrow_gear",
      code: `echo ${"wide ".repeat(60)}\n`,
    });
    await using page = await open(`/gears/${gear.id}/review`, { width: 360, height: 740 });
    await page.getByRole("heading", { name: "narrow_gear" }).waitFor();
    await page.getByRole("button", { name: /^Approve/ }).waitFor();
    await page.getByText("version 1 pending approval").waitFor();
    expect(await page.locator("main").evaluate((main) => [main.clientWidth, main.scrollWidth])).toEqual([
      360, 360,
    ]);
  });
});

const TABS_MAX = 80;

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, find: (page: Page) => ReturnType<Page["locator"]>): Promise<void> {
  const wanted = find(page).first();
  await wanted.waitFor();
  for (let pressed = 0; pressed < TABS_MAX; pressed++) {
    if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error("the focus never got there");
}
