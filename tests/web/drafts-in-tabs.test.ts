// Goal: drafts of one person in several tabs do not delete each other, one person never sees another's, and a workspace that is deleted leaves the
// person what they typed.

import { expect, test } from "bun:test";
import { eventually } from "../kit/eventually.ts";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { composer } from "../kit/browser/chat-room.ts";
import { button, editor, filesScreen, stateIs, treeItem, typeAtEnd } from "../kit/browser/files-screen.ts";
import { onScreen } from "../kit/browser/screen.ts";

onScreen("drafts in several tabs", filesScreen, (at) => {
  test("a save in one tab leaves the draft of the other, also after a reload", async () => {
    await at.put("both.md", "start");
    const one = await at.openFile("both.md");
    const two = await at.openFile("both.md", { context: one.context() });
    await typeAtEnd(two, "both.md", " of tab two");
    await stateIs(two, "Not saved");
    const stored = () =>
      one.evaluate(
        () => Object.entries(localStorage).find(([key]) => key.endsWith("both.md"))?.[1] ?? "none",
      );
    await eventually(async () => (await stored()).includes("of tab two"), true);
    await typeAtEnd(one, "both.md", " of tab one");
    await eventually(async () => (await stored()).includes("of tab one"), true);
    await one.keyboard.press("Control+s");
    await stateIs(one, "Saved");
    await two.getByText("Your version is kept.", { exact: false }).waitFor();
    await eventually(stored, "none");
    await two.reload();
    await editor(two, "both.md").getByText("start of tab two").waitFor();
    await one.context().close();
  });

  test("drafts of different files in two tabs are all there later", async () => {
    for (const path of ["first.md", "second.md"]) await at.put(path, "saved");
    const one = await at.openFile("first.md");
    const two = await at.openFile("second.md", { context: one.context() });
    await typeAtEnd(one, "first.md", ", and a draft of one");
    await typeAtEnd(two, "second.md", ", and a draft of two");
    const closed = one.waitForEvent("close");
    await one.close({ runBeforeUnload: true });
    await closed;
    await two.goto("about:blank");
    for (const [path, text] of [
      ["first.md", "saved, and a draft of one"],
      ["second.md", "saved, and a draft of two"],
    ] as const) {
      await using later = await at.openFile(path, { context: two.context() });
      await editor(later, path).getByText(text).waitFor();
    }
    await two.context().close();
  });

  test("a draft of an instruction survives the save of another tab, and belongs to its person", async () => {
    const { id } = await at.admin.post("/instructions", { name: "Manners", text: "Say please." });
    const one = await at.open(`/library/${id}`);
    const two = await at.open(`/library/${id}`, { context: one.context() });
    for (const page of [one, two]) await page.getByRole("button", { name: "Edit", exact: true }).click();
    await two.getByLabel("Text").fill("The draft of tab two.");
    await one.getByLabel("Text").fill("Saved by tab one.");
    await one.keyboard.press("Control+s");
    await one.getByRole("button", { name: "Edit", exact: true }).waitFor();
    await two.getByRole("button", { name: "Save new version" }).click();
    await two.getByText("your draft is safe until then", { exact: false }).waitFor();
    at.browser.expected(/status of 412/);
    await two.reload();
    await two.getByText("Restored your draft").waitFor();
    await eventually(() => two.getByLabel("Text").inputValue(), "The draft of tab two.");

    const { user } = await at.admin.post("/users", { name: "zoe", role: "member" });
    const { token } = await at.admin.post(`/users/${user.id}/tokens`);
    const other = await at.browser.open("about:blank", "", { context: one.context() });
    await other.setExtraHTTPHeaders({ Authorization: `Bearer ${token}` });
    await other.goto(`${at.url}/library/${id}`);
    await other.getByText("Only its author and admins can edit it.", { exact: false }).waitFor();
    expect(await other.getByText("The draft of tab two.").count()).toBe(0);
    expect(await other.getByRole("button", { name: "Save new version" }).count()).toBe(0);
    await one.context().close();
  });

  test("a person can copy their unsent texts when someone else deletes the workspace", async () => {
    const doomed = await at.place("doomed");
    await at.admin.raw("PUT", `${doomed.own}/file?path=plan.md`, { body: "start" });
    await using page = await at.open(doomed.own);
    await composer(page).fill("Compare both databases.");
    await page.getByRole("link", { name: "Files", exact: true }).click();
    await treeItem(page, "plan.md").click();
    await typeAtEnd(page, "plan.md", " of a plan");
    await at.admin.delete(doomed.own);
    await page.getByRole("heading", { name: "Workspace not found" }).waitFor();
    const text = (name: string) => page.getByRole("region", { name, exact: true }).textContent();
    await eventually(() => text("Message to the orchestrator"), "Compare both databases.");
    await eventually(() => text("plan.md"), "start of a plan");
    expect(await problemsInBothThemes(page)).toEqual([]);
    await page.evaluate(
      "navigator.clipboard.writeText = (text) => ((window.copied = text), Promise.resolve())",
    );
    await button(page, "Copy Message to the orchestrator").click();
    await eventually(() => page.evaluate("window.copied"), "Compare both databases.");
    at.browser.expected(/status of 404/);
  });
});
