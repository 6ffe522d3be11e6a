// Goal: references and starters are completed by keyboard, by pointer and beside an input method, also among many files; the model is
// changed where the message is written; a draft belongs to one person, survives failures and is the same in two tabs.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { chatRoom, composer, write } from "../kit/browser/chat-room.ts";
import { holdRequest } from "../kit/browser/hold.ts";
import { eventually } from "../kit/eventually.ts";
import { say } from "../kit/model/index.ts";
import { createPerson } from "../kit/service/person.ts";
import type { Place } from "../kit/service/place.ts";
import { onScreen } from "../kit/browser/screen.ts";

onScreen("the message box", chatRoom, (room) => {
  const options = (page: Page) => page.getByRole("option").locator(".ellipsis").allTextContents();
  const text = (page: Page) => composer(page).inputValue();
  const active = (page: Page) =>
    composer(page).evaluate(
      (box) =>
        document.getElementById(box.getAttribute("aria-activedescendant") ?? "")?.querySelector(".ellipsis")
          ?.textContent,
    );
  async function file(desk: Place, path: string): Promise<void> {
    await room.admin.put(`${desk.own}/file?path=${encodeURIComponent(path)}`, "x\n");
  }

  test("completes agents, files and folders by keyboard", async () => {
    const desk = await room.desk("scout", "scribe");
    for (const path of ["my notes.md", "docs/plan.md", "docs/deep/far.md", "scores.csv"])
      await file(desk, path);
    await using page = await room.open(desk.own);
    await composer(page).focus();
    await page.keyboard.type("Ask @sc");
    await eventually(() => options(page), ["scout", "scribe", "scores.csv"]);
    const shown = await options(page);
    await eventually(() => active(page), shown[0]);
    await page.keyboard.press("ArrowUp");
    await eventually(() => active(page), shown[2]);
    await page.keyboard.press("ArrowDown");
    expect(await problemsInBothThemes(page)).toEqual([]);
    await composer(page).focus();
    await page.keyboard.type("ou");
    await eventually(() => options(page), ["scout"]);
    await page.keyboard.press("Enter");
    await eventually(() => text(page), "Ask @scout ");
    // A folder stays open for what is in it.
    await page.keyboard.type("to read @do");
    await eventually(async () => (await options(page))[0], "docs");
    await page.keyboard.press("Tab");
    await eventually(() => text(page), "Ask @scout to read @docs/");
    await eventually(() => options(page), ["docs/deep", "docs/plan.md", "docs/deep/far.md"]);
    await page.keyboard.press("Escape");
    await page.getByRole("listbox").waitFor({ state: "detached" });
    await page.keyboard.type("plan.md and @note");
    await eventually(() => options(page), ["my notes.md"]);
    await page.keyboard.press("Enter");
    await eventually(() => text(page), 'Ask @scout to read @docs/plan.md and @"my notes.md" ');
    // As if it was typed.
    await page.keyboard.press("Control+z");
    await eventually(() => text(page), "Ask @scout to read @docs/plan.md and @note");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("Hello.");
    room.model.script("boss", [say("Hello.")]);
    await page.keyboard.press("Enter");
    await page.getByRole("article", { name: "You said" }).getByText("Hello.").waitFor();
  });

  test("leaves keys to an input method, and takes a choice by pointer", async () => {
    const desk = await room.desk("scout");
    await using page = await room.open(desk.own);
    await composer(page).focus();
    await page.keyboard.type("@sc");
    await eventually(() => options(page), ["scout"]);
    await composer(page).dispatchEvent("keydown", { key: "Enter", isComposing: true });
    await eventually(() => text(page), "@sc");
    await page.getByRole("option", { name: "scout" }).click();
    await eventually(() => text(page), "@scout ");
    expect(await composer(page).evaluate((box) => box === document.activeElement)).toBe(true);
  });

  test("finds one of many files", async () => {
    const desk = await room.desk();
    for (let index = 0; index < 300; index += 100)
      await Promise.all(Array.from({ length: 100 }, (_, more) => file(desk, `part-${index + more}.txt`)));
    await using page = await room.open(desk.own);
    await composer(page).focus();
    await page.keyboard.type("@part");
    await page.getByText("50 of 300. Type more to narrow the list.").waitFor();
    await page.keyboard.type("-299");
    await eventually(() => options(page), ["part-299.txt"]);
  });

  test("begins a message with an instruction of the library", async () => {
    await room.admin.post("/instructions", { name: "Review code", text: "Review this code:\n\n1. Names\n" });
    await using page = await room.open((await room.desk()).own);
    await composer(page).focus();
    await page.keyboard.type("/rev");
    await page.getByRole("listbox", { name: "Instructions" }).waitFor();
    await page.keyboard.press("Enter");
    await eventually(() => text(page), "Review this code:\n\n1. Names\n");
    // Anywhere else it is a slash.
    await page.keyboard.type("and/or /rev");
    expect(await page.getByRole("listbox").count()).toBe(0);
  });

  test("changes the model of the orchestrator", async () => {
    const desk = await room.desk("other");
    await using page = await room.open(desk.own);
    await page.getByRole("button", { name: "Model of the orchestrator: boss" }).click();
    const dialog = page.getByRole("dialog", { name: "Model of the orchestrator" });
    await dialog.getByRole("combobox", { name: "Model" }).fill("work");
    await page.getByRole("option", { name: "worker" }).click();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Model of the orchestrator: worker" }).waitFor();
    room.model.script("worker", [say("I answer now.")]);
    await write(page, "Who are you?");
    await page.getByText("I answer now.", { exact: true }).waitFor();
  });

  test("leaves no draft of a message that was sent while its author looked elsewhere", async () => {
    const desk = await room.desk();
    room.model.script("boss", [say("Good."), say("Fine.")]);
    await using page = await room.open(desk.own);
    for (const returns of ["after", "before"] as const) {
      const sending = await holdRequest(page, /\/chat$/, { method: "POST" });
      await composer(page).fill(`Returned ${returns} the answer`);
      await composer(page).press("Enter");
      await sending.held;
      await page.getByRole("link", { name: "Settings" }).click();
      await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
      if (returns === "after") await sending.letGo();
      await page.goBack();
      await composer(page).waitFor();
      if (returns === "before") await sending.letGo();
      await eventually(() => text(page), "");
      await page.reload();
      await composer(page).waitFor();
      await eventually(() => text(page), "");
    }
  });

  test("keeps a draft through a failed send, in two tabs, and from another person", async () => {
    const desk = await room.desk();
    await using page = await room.open(desk.own);
    await page.route("**/chat", (route) => route.abort());
    await composer(page).fill("My secret plan");
    await composer(page).press("Enter");
    await page.getByText("The server is unreachable.").waitFor();
    room.browser.expected(/ERR_FAILED/);
    const second = await room.open(desk.own, { context: page.context() });
    await eventually(() => text(second), "My secret plan");
    await composer(second).fill("My better plan");
    await eventually(() => text(page), "My better plan");
    // Sent in one tab, it is gone in the other, also after a reload.
    room.model.script("boss", [say("Good.")]);
    await composer(second).press("Enter");
    await eventually(() => text(page), "");
    await page.reload();
    await composer(page).waitFor();
    await eventually(() => text(page), "");
    await composer(page).fill("Only mine");
    await second.close();

    const eve = await createPerson(room.admin, "Eve", "admin");
    await page.evaluate(
      ([user, password]) =>
        fetch("/api/v1/login", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ user, password }),
        }),
      [eve.name, eve.password],
    );
    await page.reload();
    await page.getByText("Eve").first().waitFor();
    await composer(page).waitFor();
    await eventually(() => text(page), "");
    await composer(page).fill("Hers");
    await page.context().clearCookies();
    await page.reload();
    await eventually(() => text(page), "Only mine");
  });
});
