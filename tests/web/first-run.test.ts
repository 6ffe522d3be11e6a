// Goal: an admin gets from an empty service to the first chat in three steps that can be interrupted; provider errors are shown verbatim;
// no one can create a workspace without a model.

import { afterAll, afterEach, beforeAll, describe, expect, test, setDefaultTimeout } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityProblems, problemsInBothThemes } from "../kit/browser/axe.ts";
import { hasBrowser, startBrowser, type TestBrowser } from "../kit/browser/browser.ts";
import { eventually } from "../kit/eventually.ts";
import { type ScriptedModel, startModel } from "../kit/model/index.ts";
import { createPerson } from "../kit/service/person.ts";
import { runService, type RunningService } from "../kit/service/running.ts";
import { edgesOf } from "../kit/browser/edges.ts";

const TEST_MS = 90_000;
setDefaultTimeout(TEST_MS);
const KEY = "the-right-key-4f8a";

interface Stage {
  readonly model: ScriptedModel;
  readonly service: RunningService;
  /** A page that closes before the service ends; without a path it shows nothing yet. */
  open(path: string): Promise<Page>;
}

describe.if(hasBrowser)("the first run", () => {
  let browser: TestBrowser;
  beforeAll(async () => void (browser = await startBrowser()));
  afterAll(() => browser[Symbol.asyncDispose]());
  let stack = new AsyncDisposableStack();
  afterEach(async () => {
    const used = stack;
    stack = new AsyncDisposableStack();
    await used.disposeAsync();
  });

  /** Each test gets its own empty service. */
  const stage = async (): Promise<Stage> => {
    const model = stack.use(await startModel({ key: KEY }));
    for (const name of ["swift-1", "swift-2", "thorough-1"]) model.script(name, []);
    const service = stack.use(await runService());
    const open = async (path: string) => {
      const page = await browser.open(path === "" ? "about:blank" : service.url, path);
      stack.defer(() => page.close());
      return page;
    };
    return { model, service, open };
  };
  const models = async ({ service }: Stage) =>
    (await service.admin.get("/models")).map(({ model_name: name }) => name);

  test("leads to the chat in three steps that survive a reload", async () => {
    const at = await stage();
    const page = await at.open("/workspaces");
    await page.getByRole("heading", { name: "Set up Cairn" }).waitFor();
    expect(await page.getByRole("button", { name: "Create workspace" }).count()).toBe(0);
    // All three are visible at the size of a small laptop.
    const last = page.getByRole("listitem").filter({ hasText: "Create a workspace" });
    await eventually(async () => (await edgesOf(last)).bottom < page.viewportSize()!.height, true);

    await page.getByRole("radio", { name: "OpenAI-compatible" }).check();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("alert").getByText("Enter the server's address").waitFor();
    await page.getByRole("textbox", { name: "Address" }).fill(at.model.openaiUrl);
    await page.getByRole("textbox", { name: "Key" }).fill(KEY);
    await eventually(() => page.getByRole("textbox", { name: "Key" }).getAttribute("type"), "password");
    await eventually(
      () => page.getByRole("textbox", { name: "Name" }).inputValue(),
      new URL(at.model.url).host,
    );
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("responded: 3 models").waitFor();
    expect(await page.content()).not.toContain(KEY);

    await page.reload();
    await page.getByText("responded: 3 models").waitFor();
    // A model is suggested, and can be taken out again.
    await page.getByText("Suggested because of its name.").waitFor();
    await page.getByRole("button", { name: "Add 1 model" }).waitFor();
    await page.getByRole("button", { name: "Remove swift-2" }).click();
    await page.getByRole("textbox", { name: "Search or type a name" }).fill("swift");
    await eventually(() => page.getByRole("checkbox", { name: "thorough-1" }).count(), 0);
    await page.getByRole("checkbox", { name: "swift-1" }).check();
    await page.getByRole("textbox", { name: "Search or type a name" }).fill("my-own");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Add 2 models" }).click();
    await page.getByRole("button", { name: "Create workspace" }).waitFor();
    await eventually(() => models(at), ["my-own", "swift-1"]);

    await page.reload();
    await page.getByRole("textbox", { name: "Name" }).fill("Release desk");
    await page.getByRole("combobox", { name: "Model of the orchestrator" }).fill("swift");
    await page.getByRole("option", { name: /swift-1/ }).click();
    await page.getByRole("button", { name: "Create workspace" }).click();
    await page.waitForURL(/\/workspaces\/1$/);
    await page.getByRole("link", { name: "Chat" }).waitFor();
  });

  test("shows a provider's refusal verbatim, and lets the admin correct it in place", async () => {
    const at = await stage();
    const page = await at.open("/workspaces");
    await page.getByRole("textbox", { name: "Address" }).fill(at.model.anthropicUrl);
    await page.getByRole("textbox", { name: "Key" }).fill("wrong");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Cannot use").waitFor();
    await page.getByText(/^The provider answered 401: .*api-key/s).waitFor();
    await page.getByText("The key was rejected. Enter another one.").waitFor();
    // The refusal covers nothing of the form, also on a phone.
    await page.setViewportSize({ width: 360, height: 740 });
    const [refused, field] = [page.locator(".notice.bad"), page.getByRole("textbox", { name: "Model name" })];
    await eventually(async () => (await edgesOf(refused)).bottom <= (await edgesOf(field)).top, true);
    await eventually(() => page.evaluate<number>("document.documentElement.scrollWidth"), 360);
    await page.setViewportSize({ width: 1280, height: 860 });

    // Replacing only the key, even by another wrong one, asks the provider again.
    await page.getByRole("button", { name: "Edit provider" }).click();
    await eventually(() => page.getByRole("button", { name: "Save" }).isDisabled(), true);
    await page.getByRole("textbox", { name: "New key" }).fill("wrong-too");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The key was rejected. Enter another one.").waitFor();
    await page.getByRole("button", { name: "Edit provider" }).click();
    await page.getByRole("textbox", { name: "New key" }).fill(KEY);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("responded: 3 models").waitFor();

    await page.getByRole("button", { name: "Edit in step 1" }).click();
    await page.getByRole("textbox", { name: "Address" }).fill(`${at.model.anthropicUrl}/elsewhere`);
    await page.getByText("never sent to another address").waitFor();
    await page.getByRole("textbox", { name: "Key for the new address" }).fill(KEY);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Cannot use").waitFor();
    await page.getByText("Include the path before /v1/messages, if there is one.").waitFor();
    await page.getByRole("button", { name: "Edit provider" }).click();
    await page.getByRole("textbox", { name: "Address" }).fill(at.model.anthropicUrl);
    await page.getByRole("textbox", { name: "Key for the new address" }).fill(KEY);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("responded: 3 models").waitFor();
    expect(await at.service.admin.get("/providers")).toHaveLength(1);
  });

  test("shows the example without a key, never as a model, and leads on to a real one", async () => {
    const at = await stage();
    const page = await at.open("/workspaces");
    await page.getByText("It is a script in this server, not a language model").waitFor();
    await page.getByRole("button", { name: "Try the example" }).click();
    await page.waitForURL(/\/workspaces\/1$/);
    const box = page.getByRole("textbox", { name: "Message the orchestrator" });
    await eventually(() => box.inputValue(), "Show me what a turn looks like.");
    await page
      .getByRole("button", { name: "Model of the orchestrator: Built-in example (not a model)" })
      .waitFor();
    await box.press("Enter");
    await page.getByText("That was a turn.").waitFor();
    const answers = await page.getByRole("article", { name: /answered$/ }).all();
    for (const answer of answers)
      await answer.getByText("Built-in example: a script, not a language model.").first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.goto(`${at.service.url}/workspaces`);
    await page.getByText("So far there is only the built-in example").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.getByRole("link", { name: "Add provider" }).click();
    await page.getByRole("heading", { name: "Add provider" }).waitFor();
    await page.goto(`${at.service.url}/models?open=provider-1`);
    await page.getByText("It is not a language model").waitFor();
    expect(await page.getByRole("textbox", { name: "New key" }).count()).toBe(0);
    expect(await problemsInBothThemes(page)).toEqual([]);
  });

  test("requires a key for Anthropic; continues with the provider that was added last", async () => {
    const at = await stage();
    const page = await at.open("/workspaces");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("alert").getByText("requires a key").waitFor();
    expect(await at.service.admin.get("/providers")).toEqual([]);
    const add = (name: string, base_url: string) =>
      at.service.admin.post("/providers", { name, type: "openai-compatible", base_url, api_key: KEY });
    await add("Zeroth", "http://127.0.0.1:9/v1");
    await add("Another", at.model.openaiUrl);
    await page.reload();
    await page.getByText("Another responded: 3 models").waitFor();
    await page.getByLabel("Provider").selectOption("Zeroth");
    await page.getByText("Connection refused: http://127.0.0.1:9/v1").waitFor();
  });

  test("keeps what is typed while another tab sets up the server, says so and leads on", async () => {
    const at = await stage();
    const { admin } = at.service;
    const page = await at.open("/workspaces");
    const key = page.getByRole("textbox", { name: "Key" });
    const sees = (text: string) =>
      eventually(async () => {
        // As when the person comes back to this tab.
        await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
        return page.getByText(text).count();
      }, 1);
    await page.getByRole("radio", { name: "OpenAI-compatible" }).check();
    await page.getByRole("textbox", { name: "Address" }).fill(at.model.openaiUrl);
    await key.fill(KEY);
    const provider = await admin.post("/providers", {
      name: "Elsewhere",
      type: "openai-compatible",
      base_url: at.model.openaiUrl,
      api_key: KEY,
    });
    await sees("Elsewhere was added in the meantime");
    expect(await key.inputValue()).toBe(KEY);
    const model = { provider_id: provider.id, model_name: "swift-1", label: "Swift" };
    const { id } = await admin.post("/models", model);
    await admin.post("/workspaces", { name: "Theirs", description: "", orchestrator_model_id: id });
    await sees("This server is set up");
    expect(await key.inputValue()).toBe(KEY);
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.getByRole("button", { name: "Show workspaces" }).click();
    await page.getByRole("button", { name: "Discard changes" }).click();
    await page.getByRole("link", { name: "Theirs" }).waitFor();
  });

  test("works by keyboard and passes axe in both themes", async () => {
    const at = await stage();
    const page = await at.open("/workspaces");
    await page.getByRole("heading", { name: "Set up Cairn" }).waitFor();
    const clean = async () => expect(await problemsInBothThemes(page)).toEqual([]);
    const focused = () => page.evaluate("document.activeElement.textContent");
    await clean();
    await page.getByRole("radio", { name: "Anthropic", exact: false }).first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    await page.keyboard.type(at.model.openaiUrl);
    await page.keyboard.press("Tab");
    await page.keyboard.type(KEY);
    await page.keyboard.press("Enter");
    await page.getByText("responded: 3 models").waitFor();
    await eventually(() => focused(), "Step 2: Add models");
    await clean();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.type("thor");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Add 2 models" }).waitFor();
    await page.getByRole("button", { name: "Add 2 models" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Create workspace" }).waitFor();
    await clean();
    await eventually(() => models(at), ["swift-2", "thorough-1"]);
    await eventually(focused, "Step 3: Create a workspace");
    await page.keyboard.press("Tab");
    await page.keyboard.type("By keys");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/workspaces\/1$/);
  });

  test("blocks creating a workspace without a model, and tells a member to ask an admin", async () => {
    const at = await stage();
    const member = await createPerson(at.service.admin, "Mia");
    const page = await at.open("");
    await page.setExtraHTTPHeaders({ Authorization: `Bearer ${member.token}` });
    await page.goto(`${at.service.url}/workspaces`);
    await page.getByRole("heading", { name: "No workspaces yet" }).waitFor();
    await eventually(() => page.getByRole("button", { name: "Create workspace" }).isDisabled(), true);
    await page.getByText("No models yet; ask an admin to add one.").waitFor();
    expect(await page.getByRole("heading", { name: "Set up Cairn" }).count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.goto(`${at.service.url}/workspaces?new=1`);
    await page.getByRole("heading", { name: "No workspaces yet" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.getByRole("main").getByRole("link", { name: "Models" }).click();
    await page.getByText("Ask an admin to add one.").waitFor();
  });
});
