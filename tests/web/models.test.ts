// Goal: an admin manages providers and models; keys are never shown; models and providers in use cannot be deleted; members read and add
// models only.

import { beforeAll, describe, expect, test, setDefaultTimeout } from "bun:test";
import type { Page } from "playwright-core";
import type { Provider } from "../../src/service/catalog/schema.ts";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { hasBrowser, startBrowser } from "../kit/browser/browser.ts";
import { eventually, until } from "../kit/eventually.ts";
import { startModel } from "../kit/model/index.ts";
import { createPerson } from "../kit/service/person.ts";
import { shared } from "../kit/group-resource.ts";
import { runService } from "../kit/service/running.ts";

const TEST_MS = 90_000;
setDefaultTimeout(TEST_MS);
const KEY = "canary-key-9Kq2Lw";

describe.if(hasBrowser)("the models screen", () => {
  const browser = shared(startBrowser);
  const service = shared(runService);
  const model = shared(() => startModel({ key: KEY }));
  beforeAll(() => ["swift-1", "swift-2", "thorough-1"].forEach((name) => model.script(name, [])));

  let count = 0;
  const provider = (fields: Record<string, unknown> = {}) =>
    service.admin.post("/providers", {
      name: `Provider ${++count}`,
      type: "anthropic",
      base_url: model.anthropicUrl,
      api_key: KEY,
      ...fields,
    });
  const add = (owner: Provider, fields: Record<string, unknown> = {}) =>
    service.admin.post("/models", { provider_id: owner.id, model_name: `model-${++count}`, ...fields });
  const readProvider = async (id: number) =>
    (await service.admin.get("/providers")).find((one) => one.id === id);
  const readModel = async (id: number) => (await service.admin.get("/models")).find((one) => one.id === id);
  const open = (path = "") => browser.open(service.url, `/models${path}`);
  const side = (page: Page) => page.getByRole("complementary", { name: "Details" });

  test("adds a provider, tests it and adds its models", async () => {
    await using page = await open();
    await page.getByRole("heading", { name: "No providers yet" }).waitFor();
    await page.getByRole("main").getByRole("button", { name: "Add provider" }).last().click();
    await side(page).getByRole("textbox", { name: "Address" }).fill(`${model.anthropicUrl}/?x=1`);
    await side(page).getByRole("textbox", { name: "Key" }).fill(KEY);
    await side(page).getByRole("textbox", { name: "Name" }).fill("Ours");
    await side(page).getByRole("button", { name: "Add provider" }).click();
    await side(page).getByText("must not have a query or fragment").waitFor();
    browser.expected(/status of 400/);
    await eventually(() => side(page).getByRole("textbox", { name: "Key" }).inputValue(), KEY);
    await side(page).getByRole("textbox", { name: "Address" }).fill(model.anthropicUrl);
    await side(page).getByRole("button", { name: "Add provider" }).click();
    await side(page).getByRole("heading", { name: "Ours" }).waitFor();
    await side(page).getByRole("button", { name: "Test", exact: true }).click();
    await side(page).getByText("Ours responded: 3 models.").waitFor();
    await side(page).getByRole("checkbox", { name: "swift-1" }).check();
    await side(page).getByRole("checkbox", { name: "swift-2" }).check();
    await side(page).getByRole("button", { name: "Remove swift-1" }).click();
    await side(page).getByRole("button", { name: "Add 1 model" }).click();
    await page.getByText("swift-2 added.").waitFor();
    await page.getByRole("table", { name: "Models" }).getByText("swift-2").waitFor();
    await eventually(() => side(page).getByRole("checkbox", { name: "swift-2" }).isDisabled(), true);
    expect(await page.content()).not.toContain(KEY);
  });

  test("treats empty prices as unknown and 0 as free; reports invalid ones at their field", async () => {
    const owner = await provider();
    const one = await add(owner, { input_price: 3, context_tokens: 1000 });
    await using page = await open(`?open=model-${one.id}`);
    await side(page).getByRole("textbox", { name: "Label" }).fill("Our best");
    await side(page).getByRole("textbox", { name: "Context size" }).fill("lots");
    await side(page).getByRole("button", { name: "Save" }).click();
    await side(page).getByText("Enter a whole number").waitFor();
    await side(page).getByRole("textbox", { name: "Context size" }).fill("200,000");
    await side(page).getByRole("textbox", { name: "Output limit" }).fill("8192");
    await side(page).getByRole("textbox", { name: "Input", exact: true }).fill("");
    await side(page).getByRole("textbox", { name: "Cached input" }).fill("0");
    await side(page).getByRole("textbox", { name: "Output", exact: true }).fill("9999999");
    await side(page).getByRole("button", { name: "Save" }).click();
    await side(page).getByText("must be from 0 to 1000000").waitFor();
    browser.expected(/status of 400/);
    await side(page).getByRole("textbox", { name: "Output", exact: true }).fill("0.25");
    await side(page).getByRole("button", { name: "Save" }).click();
    await page.getByText("Our best saved.").waitFor();
    expect(await readModel(one.id)).toMatchObject({
      label: "Our best",
      context_tokens: 200_000,
      output_tokens: 8192,
      input_price: null,
      cached_input_price: 0,
      output_price: 0.25,
    });
    const row = page.getByRole("row").filter({ hasText: "Our best" });
    await row.getByRole("cell", { name: "$0.25" }).waitFor();
    expect((await row.getByRole("cell").allInnerTexts()).slice(2)).toEqual([
      "200k",
      expect.stringContaining("unknown"),
      "$0.00",
      "$0.25",
    ]);
  });

  test("saves each tab's own edits and shows those of the other tab", async () => {
    const owner = await provider();
    const one = await add(owner, { label: "Shared by two", input_price: 3 });
    await using first = await open(`?open=model-${one.id}`);
    await using second = await browser.open(service.url, `/models?open=model-${one.id}`, {
      context: first.context(),
    });
    const field = (page: Page, name: string) => side(page).getByRole("textbox", { name, exact: true });
    await field(second, "Label").fill("Renamed by two");
    await field(first, "Output").fill("99");
    const images = side(first).getByRole("combobox", { name: "Reads images" });
    expect(await images.locator("option:checked").innerText()).toMatch(/^Default \((?:yes|no)\)$/);
    await images.selectOption("No");
    await side(first).getByRole("button", { name: "Save" }).click();
    await first.getByText("Shared by two saved.").waitFor();
    await side(second).getByRole("button", { name: "Save" }).click();
    await second.getByText("Renamed by two saved.").waitFor();
    expect(await readModel(one.id)).toMatchObject({
      label: "Renamed by two",
      input_price: 3,
      output_price: 99,
      images: false,
      pdfs: null,
    });
    await eventually(() => field(second, "Output").inputValue(), "99");
  });

  test("keeps what someone typed about a model that another person deletes", async () => {
    const one = await add(await provider(), { label: "Doomed" });
    await using page = await open(`?open=model-${one.id}`);
    const price = side(page).getByRole("textbox", { name: "Input", exact: true });
    await price.fill("1.25");
    await service.admin.delete(`/models/${one.id}`);
    const notice = side(page).getByRole("alert").filter({ hasText: "Doomed was deleted." });
    // The person comes back to the tab, and the list is old enough to be read again.
    await until(async () => {
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      return notice.isVisible();
    });
    await eventually(() => price.inputValue(), "1.25");
    await eventually(() => side(page).getByRole("button", { name: "Save" }).isDisabled(), true);
    expect(await side(page).getByRole("button", { name: "Delete model" }).count()).toBe(0);
    await side(page).getByRole("button", { name: "Close" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard changes" }).click();
    await side(page).waitFor({ state: "detached" });
  });

  test("saves the address of a provider beside the name that someone else gave it meanwhile", async () => {
    const owner = await provider();
    await using page = await open(`?open=provider-${owner.id}`);
    const field = (name: string) => side(page).getByRole("textbox", { name, exact: true });
    await field("Address").fill("https://elsewhere.example.org");
    const name = `${owner.name} renamed`;
    await service.admin.patch(`/providers/${owner.id}`, { name });
    // The person comes back to the tab, and the list is old enough to be read again.
    await until(async () => {
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      return (await side(page).getByRole("heading", { level: 2 }).textContent()) === name;
    });
    await side(page).getByRole("button", { name: "Save" }).click();
    await eventually(async () => (await readProvider(owner.id))?.base_url, "https://elsewhere.example.org");
    expect(await readProvider(owner.id)).toMatchObject({ name });
    expect(await field("Name").inputValue()).toBe(name);
  });

  test("shows sizes and prices below the name in one column", async () => {
    const owner = await provider();
    const prices = { input_price: 0.25, cached_input_price: 0.025, output_price: null };
    await add(owner, { label: "Small screen", context_tokens: 400_000, ...prices });
    await using page = await browser.open(service.url, "/models", { width: 390, height: 844 });
    const row = page.getByRole("row").filter({ hasText: "Small screen" });
    await row.waitFor();
    const read = (what: "dt" | "dd") => row.locator(what).allInnerTexts();
    await eventually(() => read("dt"), ["Context", "Input", "Cached", "Output"]);
    expect(await read("dd")).toEqual(["400k", "$0.25", "$0.025", expect.stringContaining("unknown")]);
    expect(await problemsInBothThemes(page)).toEqual([]);
  });

  test("adds one model with its sizes and prices", async () => {
    const owner = await provider();
    await using page = await open(`?open=provider-${owner.id}`);
    await side(page).getByRole("textbox", { name: "Model name" }).fill("typed-by-hand");
    await page.keyboard.press("Enter");
    await side(page).getByText("Label, sizes and prices").click();
    await side(page).getByRole("textbox", { name: "Label" }).fill("By hand");
    await side(page).getByRole("textbox", { name: "Output", exact: true }).fill("15");
    await side(page).getByRole("button", { name: "Add 1 model" }).click();
    await page.getByText("By hand added.").waitFor();
    const made = (await service.admin.get("/models")).find(({ label }) => label === "By hand");
    expect(made).toMatchObject({ model_name: "typed-by-hand", output_price: 15, input_price: null });
  });

  test("asks for the key when the address changes, but not for a trailing slash", async () => {
    const owner = await provider();
    await using page = await open(`?open=provider-${owner.id}`);
    const address = side(page).getByRole("textbox", { name: "Address", exact: true });
    await address.fill(`${model.anthropicUrl}/`);
    expect(await side(page).getByText("never sent to another address").count()).toBe(0);
    await address.fill("https://elsewhere.example.org");
    await side(page).getByText("never sent to another address").waitFor();
    await side(page).getByRole("textbox", { name: "Key for the new address" }).fill("another-key");
    await side(page).getByRole("button", { name: "Save" }).click();
    await eventually(async () => (await readProvider(owner.id))?.base_url, "https://elsewhere.example.org");
    expect((await readProvider(owner.id))?.has_key).toBe(true);
    await address.fill("https://third.example.org");
    await side(page).getByRole("button", { name: "Save" }).click();
    await eventually(async () => (await readProvider(owner.id))?.has_key, false);
  });

  test("replaces and deletes the key, and never shows it", async () => {
    const owner = await provider();
    await using page = await open(`?open=provider-${owner.id}`);
    await side(page).getByText("A key is stored. No one can read it.").waitFor();
    await side(page).getByRole("textbox", { name: "New key" }).fill("has a space");
    await side(page).getByRole("button", { name: "Replace key" }).click();
    await side(page).getByText("printable ASCII").waitFor();
    browser.expected(/status of 400/);
    await side(page).getByRole("textbox", { name: "New key" }).fill("fresh-key-77");
    await side(page).getByRole("button", { name: "Replace key" }).click();
    await eventually(() => side(page).getByRole("textbox", { name: "New key" }).inputValue(), "");
    await page.getByText("Key saved.", { exact: true }).waitFor();
    await side(page).getByRole("button", { name: "Delete key" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete key" }).click();
    await side(page).getByText("No key is stored.").waitFor();
    expect((await readProvider(owner.id))?.has_key).toBe(false);
    expect(await page.content()).not.toContain("fresh-key-77");
  });

  test("asks before typed input is lost, and keeps the focus in a saved form", async () => {
    const { id } = await add(await provider());
    await using page = await open(`?open=model-${id}`);
    const label = side(page).getByLabel("Label");
    await label.fill("Typed");
    await side(page).getByRole("button", { name: "Close" }).click();
    const question = page.getByRole("dialog", { name: "Discard changes?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await eventually(() => label.inputValue(), "Typed");
    await side(page).getByRole("button", { name: "Save" }).press("Enter");
    await page.getByText("Typed saved.").waitFor();
    expect(await side(page).evaluate((pane) => pane.contains(document.activeElement))).toBe(true);
    await side(page).getByRole("button", { name: "Close" }).click();
    await side(page).waitFor({ state: "detached" });
    await page.getByRole("main").getByRole("button", { name: "Add provider" }).click();
    await side(page).getByRole("textbox", { name: "Key" }).fill(KEY);
    await page.goBack();
    await question.getByRole("button", { name: "Discard changes" }).click();
    await side(page).waitFor({ state: "detached" });
  });

  test("refuses to delete a model or provider in use, in place, and deletes it once unused", async () => {
    const owner = await provider();
    const used = await add(owner, { label: "In use" });
    const workspace = await service.admin.post("/workspaces", {
      name: `uses ${used.id}`,
      orchestrator_model_id: used.id,
    });
    await using page = await open(`?open=model-${used.id}`);
    const remove = async (what: string) => {
      await side(page)
        .getByRole("button", { name: `Delete ${what}` })
        .click();
      await page
        .getByRole("dialog")
        .getByRole("button", { name: `Delete ${what}` })
        .click();
    };
    await remove("model");
    await side(page).getByRole("alert").getByText("1 agent uses the model").waitFor();
    await page.getByRole("table", { name: "Providers" }).getByText(owner.name, { exact: true }).click();
    await remove("provider");
    await side(page).getByRole("alert").getByText("the provider has 1 model").waitFor();
    browser.expected(/status of 409/);
    await service.admin.delete(`/workspaces/${workspace.id}`);
    await page.getByRole("table", { name: "Models" }).getByText("In use").click();
    const answered = Promise.withResolvers<void>();
    await page.route(`**/api/v1/models/${used.id}`, async (route) => {
      const response = await route.fetch();
      await answered.promise;
      await route.fulfill({ response });
    });
    await remove("model");
    await eventually(() => readModel(used.id), undefined);
    // A record that is opened meanwhile stays open.
    await page.getByRole("table", { name: "Providers" }).getByText(owner.name, { exact: true }).click();
    await side(page).getByRole("button", { name: "Delete provider" }).waitFor();
    answered.resolve();
    await page.getByRole("table", { name: "Models" }).getByText("In use").waitFor({ state: "detached" });
    await remove("provider");
    await eventually(() => readProvider(owner.id), undefined);
    await eventually(() => side(page).count(), 0);
  });

  test("shows the error of a provider that is unreachable or refuses", async () => {
    const refusing = await provider({ api_key: "wrong" });
    await using page = await open(`?open=provider-${refusing.id}`);
    await side(page).getByRole("button", { name: "Test", exact: true }).click();
    await side(page).getByText("Cannot use").waitFor();
    await side(page)
      .getByText(/^The provider answered 401: /)
      .waitFor();
    const silent = await provider({ base_url: "http://127.0.0.1:9" });
    await page.goto(`${service.url}/models?open=provider-${silent.id}`);
    await side(page).getByRole("button", { name: "Test", exact: true }).click();
    await side(page).getByText("Cannot use").waitFor();
    await page.goto(`${service.url}/models?open=provider-9999`);
    await side(page).getByRole("heading", { name: "Provider not found" }).waitFor();
    await side(page).getByRole("button", { name: "Close" }).click();
    await eventually(() => side(page).count(), 0);
  });

  test("lets a member read and add models, without the other controls", async () => {
    const owner = await provider();
    const one = await add(owner, { label: "Readable", output_price: 5 });
    const member = await createPerson(service.admin, "Mel");
    await using page = await browser.open("about:blank", "");
    await page.setExtraHTTPHeaders({ Authorization: `Bearer ${member.token}` });
    await page.goto(`${service.url}/models?open=model-${one.id}`);
    await side(page).getByText("$5.00 per million tokens").waitFor();
    await page.getByText("Everyone can add models of these providers.").waitFor();
    const buttons = () => page.getByRole("main").getByRole("button").allInnerTexts();
    expect((await buttons()).filter((text) => /save|delete|add a provider|key|test/i.test(text))).toEqual([]);
    await page.getByRole("button", { name: "Add models" }).click();
    await side(page).getByRole("combobox", { name: "Provider" }).selectOption(owner.name);
    await side(page).getByRole("textbox", { name: "Model name" }).fill("from-a-member");
    await page.keyboard.press("Enter");
    await side(page).getByRole("button", { name: "Add 1 model" }).click();
    await page.getByRole("table", { name: "Models" }).getByText("from-a-member").waitFor();
    await page.goto(`${service.url}/models?open=provider-${owner.id}`);
    await side(page).getByText(owner.base_url).waitFor();
    expect((await buttons()).filter((text) => /save|delete|key|test/i.test(text))).toEqual([]);
  });

  test("opens, reaches and closes a row's pane by keyboard", async () => {
    const owner = await provider();
    await add(owner, { label: "Aaa first" });
    await using page = await open();
    const row = page.getByRole("row").filter({ hasText: "Aaa first" });
    await row.focus();
    await page.keyboard.press("Enter");
    await side(page).getByRole("heading", { name: "Aaa first" }).waitFor();
    await side(page).getByRole("button", { name: "Close" }).focus();
    await page.keyboard.press("Enter");
    await eventually(() => side(page).count(), 0);
  });

  test("shows the pane as a sheet in one column, which takes and restores the focus", async () => {
    const owner = await provider();
    await add(owner, { label: "Aab second" });
    await using page = await browser.open(service.url, "/models", { width: 390, height: 800 });
    const row = page.getByRole("row").filter({ hasText: "Aab second" });
    await row.focus();
    await page.keyboard.press("Enter");
    await side(page).getByRole("heading", { name: "Aab second" }).waitFor();
    const inside = () => page.evaluate("document.activeElement.closest('aside') !== null");
    await eventually(inside, true);
    expect(await problemsInBothThemes(page)).toEqual([]);
    await side(page).getByRole("button", { name: "Close" }).click();
    await eventually(() => row.evaluate((element) => element.matches(":focus")), true);
  });

  test("names the provider where models of one label are chosen", async () => {
    const [here, there] = [await provider(), await provider()];
    for (const owner of [here, there]) await add(owner, { label: "twin" });
    await using page = await browser.open(service.url, "/workspaces?new=1");
    const field = page.getByRole("combobox", { name: "Model of the orchestrator" });
    await field.fill("twin");
    const options = page.getByRole("option");
    await eventually(
      async () => (await options.locator(".ellipsis").allInnerTexts()).toSorted(),
      [`twin (${here.name})`, `twin (${there.name})`].toSorted(),
    );
    // Twice: choosing the chosen one again replaces what was typed, too.
    for (const _ of [1, 2]) {
      await field.fill("twin");
      await options.filter({ hasText: there.name }).click();
      await eventually(() => field.inputValue(), `twin (${there.name})`);
    }
  });

  test("passes axe in both themes", async () => {
    const owner = await provider();
    const one = await add(owner);
    await using page = await open();
    await page.getByRole("table", { name: "Models" }).waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    for (const what of [`provider-${owner.id}`, `model-${one.id}`, "new-provider", "new-models"]) {
      await page.goto(`${service.url}/models?open=${what}`);
      await side(page).getByRole("heading").first().waitFor();
      expect(await problemsInBothThemes(page)).toEqual([]);
    }
  });
});
