// Goal: a button that becomes disabled because of its own click, while it works or at the end of its way, keeps the focus and does nothing more.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { bubble, chatRoom, write } from "../kit/browser/chat-room.ts";
import { onScreen } from "../kit/browser/screen.ts";
import { eventually } from "../kit/eventually.ts";
import { say } from "../kit/model/index.ts";

/** The accessible name and the state of the element with the focus. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement!;
    const name = at.getAttribute("aria-label") ?? at.textContent.trim();
    return `${name}${at.getAttribute("aria-disabled") === "true" ? ", disabled" : ""}`;
  });

async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole("button", { name, disabled: false }).focus();
  await page.keyboard.press("Enter");
}

onScreen("the focus", chatRoom, (room) => {
  test("stays on the arrows at the first turn and the first branch", async () => {
    const { own } = await room.desk();
    room.model.script("boss", [say("One."), say("Two.")]);
    await using page = await room.open(own);
    await write(page, "Count.");
    await bubble(page, "orchestrator", "One.").waitFor();
    await page.getByRole("button", { name: "Actions for this answer by orchestrator" }).click();
    await page.getByRole("menuitem", { name: "Regenerate", exact: true }).click();
    await bubble(page, "orchestrator", "Two.").waitFor();
    await page.getByText("2 of 2").waitFor();
    await press(page, "Previous branch");
    await page.getByText("1 of 2").waitFor();
    // There is no earlier branch.
    await eventually(() => focused(page), "Next branch");
    await page.keyboard.press("Enter");
    await page.getByText("2 of 2").waitFor();
    await eventually(() => focused(page), "Previous branch");

    const last = Math.max(...(await room.admin.get(`${own}/turns`)).map(({ id }) => id));
    await page.goto(`${room.url}${own}/activity?turn=${last}`);
    const second = page.getByRole("heading", { name: /^Turn 2/ });
    await second.waitFor();
    await press(page, "Previous turn");
    await second.waitFor({ state: "detached" });
    await eventually(() => focused(page), "Previous turn, disabled");
    await page.keyboard.press("Tab");
    await eventually(() => focused(page), "Next turn");
    // Once it has lost the focus, it is like any other disabled button.
    await page.keyboard.press("Shift+Tab");
    await eventually(() => focused(page), "All turns");
  });

  test("stays on Undo with nothing left to undo", async () => {
    const { own } = await room.desk("scribe");
    await using page = await room.open(`${own}/blueprint`);
    await page.getByRole("button", { name: "List", exact: true }).click();
    await page
      .getByRole("list", { name: "Agents" })
      .getByRole("button", { name: /^orchestrator/ })
      .click();
    await page.getByRole("button", { name: "Delete wire from orchestrator to scribe" }).click();
    await press(page, /^Undo: /);
    await eventually(() => focused(page), "Undo, disabled");
    await page.keyboard.press("Tab");
    expect(await focused(page)).toContain("Redo: ");
  });

  test("stays on a button that works, and a second press sends nothing", async () => {
    const { user } = await room.admin.post("/users", { name: "ada", role: "member" });
    await using page = await room.open(`/people?show=person-${user.id}`);
    const { promise: open, resolve: letGo } = Promise.withResolvers<void>();
    const sent: string[] = [];
    await page.route("**/api/v1/users/*/tokens", async (route) => {
      if (route.request().method() === "POST") {
        sent.push(route.request().url());
        await open;
      }
      await route.continue();
    });
    await press(page, "Create token");
    await page.locator("button[aria-busy=true]", { hasText: "Create token" }).waitFor();
    await eventually(() => focused(page), "Create token, disabled");
    await page.keyboard.press("Enter");
    letGo();
    await page.getByRole("dialog", { name: "Token of ada" }).waitFor();
    expect(sent.length).toBe(1);
  });

  test("stays on the box of a team while sharing is saved, and a second press sends nothing", async () => {
    const { own } = await room.desk();
    await room.admin.post("/teams", { name: "Release" });
    const { name } = await room.admin.get(own);
    await using page = await room.open("/workspaces");
    await page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
    await page.getByRole("menuitem", { name: "Share" }).click();
    const { promise: open, resolve: letGo } = Promise.withResolvers<void>();
    const sent: string[] = [];
    await page.route("**/api/v1/workspaces/*/teams/*", async (route) => {
      sent.push(route.request().method());
      await open;
      await route.continue();
    });
    const box = page.getByRole("checkbox", { name: /Release/ });
    await box.focus();
    await page.keyboard.press("Space");
    await eventually(() => sent, ["PUT"]);
    await page.keyboard.press("Space");
    letGo();
    await eventually(async () => (await room.admin.get(own)).team_ids.length, 1);
    await eventually(() => box.getAttribute("aria-disabled"), null);
    expect([sent, await box.isChecked()]).toEqual([["PUT"], true]);
    await eventually(() => box.evaluate((element) => element === document.activeElement), true);
  });
});
