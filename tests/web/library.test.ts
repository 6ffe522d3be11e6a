// Goal: people create, edit, compare, bind and delete instructions; an edit by someone else is never overwritten unseen.

import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { hasBrowser, startBrowser } from "../kit/browser/browser.ts";
import { eventually, until } from "../kit/eventually.ts";
import { shared } from "../kit/group-resource.ts";
import { runService } from "../kit/service/running.ts";
import { canShow, showcase } from "../kit/browser/showcase.ts";
import { refusal } from "../kit/http/refusal.ts";
import { edgesOf } from "../kit/browser/edges.ts";

describe.if(hasBrowser && canShow)("the library screen", () => {
  const browser = shared(startBrowser);
  const [busy, empty] = [shared(showcase), shared(runService)];

  const side = (page: Page) => page.getByRole("complementary", { name: "Instruction" });
  const rows = (page: Page) => page.getByRole("table", { name: "Instructions" }).locator("tbody tr");
  const make = (name: string, text: string) => busy.admin.post("/instructions", { name, text });
  const read = (id: number) => busy.admin.get(`/instructions/${id}`);
  const open = (path = "/library", options = {}) => browser.open(busy.url, path, options);

  test("explains instructions when there are none, creates the first one, and shows refusals beside the field", async () => {
    await using page = await browser.open(empty.url, "/library");
    await page.getByRole("heading", { name: "No instructions yet" }).waitFor();
    await page.getByRole("button", { name: "Create instruction" }).click();
    await side(page).getByLabel("Name").fill("Manners");
    await side(page).getByLabel("Text").fill("   ");
    await side(page).getByRole("button", { name: "Create instruction" }).click();
    await side(page).getByText("must not be empty").waitFor();
    await side(page).getByLabel("Text").fill("Say please.");
    // The draft survives a reload.
    await page.reload();
    await page.getByRole("button", { name: "Create instruction" }).click();
    await eventually(() => side(page).getByLabel("Name").inputValue(), "Manners");
    await side(page).getByRole("button", { name: "Create instruction" }).click();
    await side(page).getByLabel("Text of the instruction").getByText("Say please.").waitFor();
    expect(await empty.admin.get("/instructions")).toMatchObject([{ name: "Manners", version: 1 }]);
    browser.expected(/status of 400/);
  });

  test("finds an instruction; shows its text, author, version and bindings; names pending proposals", async () => {
    await using page = await open();
    await page.getByText("1 pending proposal by agents", { exact: false }).waitFor();
    await page.getByRole("searchbox", { name: "Search instructions" }).fill("tone");
    await eventually(() => rows(page).count(), 1);
    await rows(page).first().click();
    await side(page).getByText("scribe proposes a change", { exact: false }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/library/${busy.instructionId}`);
    const { text } = await read(busy.instructionId);
    await side(page).getByRole("button", { name: "Source" }).click();
    expect((await side(page).getByLabel("Text of the instruction").textContent())!.trim()).toBe(text.trim());
    const use = side(page).getByRole("listitem").filter({ hasText: "Release desk" });
    await use.getByText("scribe").waitFor();
    await side(page).getByRole("link", { name: "Review" }).click();
    await page.waitForURL("**/approvals");
  });

  test("saves a new version and compares two versions", async () => {
    const { id } = await make("greeting", "Say hello.\n");
    await using page = await open(`/library/${id}`);
    await side(page).getByRole("button", { name: "Edit" }).click();
    await side(page).getByLabel("Text").fill("Say good morning.\n");
    await page.keyboard.press("ControlOrMeta+s");
    await side(page).getByLabel("Text of the instruction").getByText("Say good morning.").waitFor();
    await side(page).getByText("v2", { exact: true }).first().waitFor();
    expect(await read(id)).toMatchObject({ version: 2, text: "Say good morning.\n" });
    const difference = side(page).getByRole("region", { name: "Difference" });
    await difference.getByText("Say hello.").waitFor();
    await difference.getByText("Say good morning.").waitFor();
  });

  test("asks before an edited text is discarded", async () => {
    const { id } = await make("kept", "Say hello.\n");
    await using page = await open(`/library/${id}`);
    await side(page).getByRole("button", { name: "Edit" }).click();
    await side(page).getByLabel("Text").fill("Say nothing.\n");
    await side(page).getByRole("button", { name: "Cancel" }).click();
    const question = page.getByRole("dialog", { name: "Discard changes?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await eventually(() => side(page).getByLabel("Text").inputValue(), "Say nothing.\n");
    await side(page).getByRole("button", { name: "Cancel" }).click();
    await question.getByRole("button", { name: "Discard changes" }).click();
    await side(page).getByLabel("Text of the instruction").getByText("Say hello.").waitFor();
  });

  test("asks before the close button discards a new instruction", async () => {
    await using page = await open("/library");
    await page.getByRole("button", { name: "Create instruction" }).click();
    await side(page).getByLabel("Text").fill("Say something.\n");
    await side(page).getByRole("button", { name: "Close" }).click();
    const question = page.getByRole("dialog", { name: "Discard changes?" });
    await question.getByRole("button", { name: "Discard changes" }).click();
    await side(page).waitFor({ state: "detached" });
  });

  test("shows both texts when someone else saved meanwhile", async () => {
    const { id } = await make("shared", "First.");
    await using page = await open(`/library/${id}`);
    const edit = async (text: string) => {
      await side(page).getByRole("button", { name: "Edit" }).click();
      await side(page).getByLabel("Text").fill(text);
    };
    await edit("Mine.");
    await busy.admin.put(`/instructions/${id}`, { text: "Theirs." });
    await side(page).getByRole("button", { name: "Save new version" }).click();
    const dialog = page.getByRole("dialog", { name: "Changed by someone else" });
    await dialog.getByRole("region", { name: "Saved version 2" }).getByText("Theirs.").waitFor();
    await dialog.getByRole("region", { name: "Your version" }).getByText("Mine.").waitFor();
    await page.keyboard.press("Escape");
    await eventually(() => side(page).getByLabel("Text").inputValue(), "Mine.");
    await side(page).getByRole("button", { name: "Save new version" }).click();
    await dialog.getByRole("button", { name: "Save mine as version 3" }).click();
    await side(page).getByLabel("Text of the instruction").getByText("Mine.").waitFor();
    expect(await read(id)).toMatchObject({ version: 3, text: "Mine." });
    await edit("Mine again.");
    await busy.admin.put(`/instructions/${id}`, { text: "Theirs again." });
    await side(page).getByRole("button", { name: "Save new version" }).click();
    await dialog.getByRole("button", { name: "Discard mine" }).click();
    await side(page).getByLabel("Text of the instruction").getByText("Theirs again.").waitFor();
    expect(await read(id)).toMatchObject({ version: 4, text: "Theirs again." });
    browser.expected(/status of 412/);
  });

  test("binds to all agents and to one, refuses a duplicate in place, and unbinds", async () => {
    const { id } = await make("binding", "Bind me.");
    const bindings = async () =>
      (await busy.admin.get(`/workspaces/${busy.workspaceId}/instructions`)).flatMap((one) =>
        one.instruction_id === id ? [one.agent_id] : [],
      );
    await using page = await open(`/library/${id}`);
    await side(page).getByText("No bindings yet.").waitFor();
    await side(page).getByLabel("Workspace").selectOption("Release desk");
    await side(page).getByRole("button", { name: "Bind", exact: true }).click();
    await side(page).getByRole("listitem").getByText("all agents").waitFor();
    await side(page).getByRole("button", { name: "Bind", exact: true }).click();
    await side(page).getByText("is already bound to this workspace", { exact: false }).waitFor();
    await side(page).getByLabel("Agent", { exact: true }).selectOption("checker");
    await side(page).getByRole("button", { name: "Bind", exact: true }).click();
    await side(page).getByRole("listitem").getByText("checker").waitFor();
    expect(await bindings()).toEqual([null, busy.agents.checker]);
    await side(page).getByRole("button", { name: "Unbind from Release desk, all agents" }).click();
    await eventually(bindings, [busy.agents.checker]);
    browser.expected(/status of 409/);
  });

  test("names the losses before deleting", async () => {
    const { id } = await make("short-lived", "Soon gone.");
    await busy.admin.post(`/workspaces/${busy.workspaceId}/instructions`, { instruction_id: id });
    await using page = await open(`/library/${id}`);
    await side(page).getByRole("listitem").getByText("all agents").waitFor();
    await side(page).getByRole("button", { name: "Delete instruction" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete short-lived?" });
    await dialog.getByText("1 binding in Release desk", { exact: false }).waitFor();
    await dialog.getByRole("button", { name: "Delete instruction" }).click();
    await page.waitForURL("**/library");
    await eventually(() => rows(page).filter({ hasText: "short-lived" }).count(), 0);
    await refusal(busy.admin.get(`/instructions/${id}`), "not_found");
  });

  test("says that an instruction was deleted meanwhile, and keeps an edit of it", async () => {
    const { id } = await make("gone meanwhile", "Be brief.");
    await using page = await open(`/library/${id}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByLabel("Text").fill("Be kind.");
    await busy.admin.delete(`/instructions/${id}`);
    const notice = page.getByRole("alert").filter({ hasText: "gone meanwhile was deleted." });
    // The person comes back to the tab, and the record is old enough to be read again.
    await until(async () => {
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      return notice.isVisible();
    });
    await eventually(() => page.getByLabel("Text").inputValue(), "Be kind.");
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard changes" }).click();
    await page.getByRole("button", { name: "Copy text" }).waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Delete instruction" }).waitFor({ state: "detached" });
    browser.expected(/status of 404/);
  });

  test("creates an instruction with Ctrl S", async () => {
    await using page = await open("/library");
    await page.getByRole("button", { name: "Create instruction" }).click();
    await side(page).getByLabel("Name").fill("By keyboard");
    await side(page).getByLabel("Text").fill("Say it short.");
    await page.keyboard.press("Control+s");
    await page.waitForURL(/\/library\/\d+$/);
    const made = (await busy.admin.get("/instructions")).find(({ name }) => name === "By keyboard");
    expect(await read(made!.id)).toMatchObject({ text: "Say it short.", version: 1 });
  });

  test("tells readers who can edit it, and reports a missing instruction", async () => {
    await using page = await browser.open("about:blank", "");
    await page.setExtraHTTPHeaders({ Authorization: `Bearer ${busy.tokens.member}` });
    await page.goto(`${busy.url}/library/${busy.instructionId}`);
    await side(page).getByText("Only its author and admins can edit it.", { exact: false }).waitFor();
    expect(
      await side(page)
        .getByRole("button", { name: /Edit|Delete/ })
        .count(),
    ).toBe(0);
    await page.goto(`${busy.url}/library/9999`);
    await side(page).getByRole("heading", { name: "Instruction not found" }).waitFor();
    expect(await page.title()).toEndWith("Not found · Cairn");
    await side(page).getByRole("button", { name: "Close", exact: true }).click();
    await page.waitForURL(`${busy.url}/library`);
    browser.expected(/status of 404/);
  });

  test("keeps the buttons visible beside the longest name on a narrow screen", async () => {
    const { id } = await busy.admin.post("/instructions", { name: "W".repeat(100), text: "." });
    await using page = await browser.open(busy.url, `/library/${id}`, { width: 360 });
    const close = side(page).getByRole("button", { name: "Close", exact: true });
    await close.waitFor();
    await eventually(async () => (await edgesOf(close)).right <= 360, true);
    await close.click();
    await page.waitForURL(`${busy.url}/library`);
    await busy.admin.delete(`/instructions/${id}`);
  });

  test("moves from the table into the text and back by keyboard", async () => {
    const { id } = await make("keys only", "One.");
    await using page = await open();
    await rows(page).first().waitFor();
    await page.getByRole("searchbox", { name: "Search instructions" }).focus();
    await page.keyboard.type("keys only");
    await eventually(() => rows(page).count(), 1);
    await rows(page).first().focus();
    await page.keyboard.press("Enter");
    await side(page).getByRole("button", { name: "Edit" }).focus();
    await page.keyboard.press("Enter");
    await side(page).locator("textarea:focus").waitFor();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("Two.");
    await page.keyboard.press("ControlOrMeta+s");
    await eventually(async () => (await read(id)).text, "Two.");
  });

  test("passes axe in both themes", async () => {
    await using page = await open(`/library/${busy.instructionId}`);
    await side(page).getByRole("heading", { name: "Versions" }).waitFor();
    await side(page).getByText("v1", { exact: true }).waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await side(page).getByRole("button", { name: "Edit" }).click();
    await side(page).getByLabel("Text").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
  });
});
