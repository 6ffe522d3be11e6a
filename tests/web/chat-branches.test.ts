// Goal: a person edits a question, has it answered again, also by another model, and goes on from an earlier answer; nothing is lost, and every
// branch can be switched back to.

import { afterEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityProblems } from "../kit/browser/axe.ts";
import { bubble, chatRoom, composer, write } from "../kit/browser/chat-room.ts";
import { holdRequest } from "../kit/browser/hold.ts";
import { eventually } from "../kit/eventually.ts";
import { hang, say } from "../kit/model/index.ts";
import { onScreen } from "../kit/browser/screen.ts";

/** Opens the menu of the last entry with this name, and chooses. */
async function choose(page: Page, of: string, action: string): Promise<void> {
  await page
    .getByRole("button", { name: `Actions for ${of}` })
    .last()
    .click();
  await page.getByRole("menuitem", { name: action, exact: true }).click();
}

const MINE = "the message of You";
const ANSWER = "this answer by orchestrator";
const branches = (page: Page) => page.getByRole("group", { name: "Branches from here" });
const said = (page: Page, text: string) =>
  page.getByRole("article", { name: "You said" }).filter({ hasText: text });

onScreen("branches in the chat", chatRoom, (room) => {
  afterEach(() => room.endTurns());

  test("a question is edited and sent again; both branches can be read, and go on", async () => {
    const desk = await room.desk();
    await using page = await room.open(desk.own);
    room.model.script("boss", [say("Blue."), say("Round."), say("Green."), say("Oval.")]);
    await write(page, "Which colour?");
    await bubble(page, "orchestrator", "Blue.").waitFor();
    await write(page, "Which shape?");
    await bubble(page, "orchestrator", "Round.").waitFor();
    expect(await branches(page).count()).toBe(0);

    await page
      .getByRole("button", { name: `Actions for ${MINE}` })
      .first()
      .click();
    await page.getByRole("menuitem", { name: "Edit and resend" }).click();
    await page.getByText("New branch from the beginning.").waitFor();
    await eventually(() => composer(page).inputValue(), "Which colour?");
    await write(page, "Which colour, in spring?");
    await bubble(page, "orchestrator", "Green.").waitFor();
    await bubble(page, "orchestrator", "Blue.").waitFor({ state: "detached" });
    await said(page, "Which shape?").waitFor({ state: "detached" });
    await page.getByText("New branch from the beginning.").waitFor({ state: "detached" });
    expect(room.model.requests.at(-1)!.messages.map(({ text }) => text)).toEqual([
      "Which colour, in spring?",
    ]);

    await branches(page).getByText("2 of 2").waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await branches(page).getByRole("button", { name: "Previous branch" }).click();
    await bubble(page, "orchestrator", "Round.").waitFor();
    await branches(page).getByText("1 of 2").waitFor();
    await eventually(
      () => branches(page).getByRole("button", { name: "Previous branch" }).isDisabled(),
      true,
    );
    await write(page, "Sure?");
    await bubble(page, "orchestrator", "Oval.").waitFor();
    expect(room.model.requests.at(-1)!.messages.map(({ text }) => text)).toEqual([
      "Which colour?",
      "Blue.",
      "Which shape?",
      "Round.",
      "Sure?",
    ]);
    // A person who opens the page later sees the current branch.
    await page.reload();
    await bubble(page, "orchestrator", "Oval.").waitFor();
    await branches(page).getByText("1 of 2").waitFor();
  });

  test("an answer is regenerated, by its model and by another one, while the first stays", async () => {
    const desk = await room.desk();
    await room.modelId("other");
    await using page = await room.open(desk.own);
    room.model.script("boss", [say("One."), say("Two.")]).script("other", [say("Three.")]);
    await write(page, "A number?");
    await bubble(page, "orchestrator", "One.").waitFor();
    await choose(page, ANSWER, "Regenerate");
    await bubble(page, "orchestrator", "Two.").waitFor();
    await bubble(page, "orchestrator", "One.").waitFor({ state: "detached" });
    await choose(page, ANSWER, "Ask another model…");
    const dialog = page.getByRole("dialog", { name: "Ask another model" });
    await dialog.getByRole("combobox", { name: "Model" }).fill("other");
    await page.getByRole("option", { name: "other" }).click();
    await dialog.getByRole("button", { name: "Ask", exact: true }).click();
    await bubble(page, "orchestrator", "Three.").waitFor();
    await branches(page).getByText("3 of 3").waitFor();
    await bubble(page, "orchestrator", "Three.")
      .getByText(/^other · /)
      .waitFor();
    for (const text of ["Two.", "One."]) {
      await branches(page).getByRole("button", { name: "Previous branch" }).click();
      await bubble(page, "orchestrator", text).waitFor();
    }
  });

  test("an answer about a branch that was left since changes nothing", async () => {
    const desk = await room.desk();
    await using page = await room.open(desk.own);
    room.model.script("boss", [say("Blue."), say("Green.")]);
    await write(page, "Which colour?");
    await bubble(page, "orchestrator", "Blue.").waitFor();
    await choose(page, ANSWER, "Regenerate");
    await bubble(page, "orchestrator", "Green.").waitFor();
    await branches(page).getByText("2 of 2").waitFor();
    const turns = await desk.admin.get(`${desk.own}/turns`);
    const late = await holdRequest(page, /\/entries\?limit=\d+$/, { what: "answer" });
    await branches(page).getByRole("button", { name: "Previous branch" }).click();
    await late.held;
    await desk.admin.put(`${desk.own}/branch`, { turn_id: turns.at(-1)!.id });
    await bubble(page, "orchestrator", "Green.").waitFor();
    await late.letGo();
    expect(await page.getByRole("article", { name: "orchestrator answered" }).allInnerTexts()).toEqual([
      expect.stringContaining("Green."),
    ]);
  });

  test("the next message can follow an earlier answer, or not after all; a running turn keeps branches still", async () => {
    const desk = await room.desk();
    await using page = await room.open(desk.own);
    room.model.script("boss", [say("First."), say("Second."), say("Other."), hang()]);
    await write(page, "One?");
    await bubble(page, "orchestrator", "First.").waitFor();
    await write(page, "Two?");
    await bubble(page, "orchestrator", "Second.").waitFor();
    const branchFromFirst = async () => {
      await page
        .getByRole("button", { name: `Actions for ${ANSWER}` })
        .first()
        .click();
      await page.getByRole("menuitem", { name: "Branch from here" }).click();
      await page.getByText("New branch after turn 1.").waitFor();
    };
    await branchFromFirst();
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByText("New branch after turn 1.").waitFor({ state: "detached" });
    await branchFromFirst();
    await choose(page, ANSWER, "Quote");
    await eventually(() => composer(page).inputValue(), "> Second.\n\n");
    await write(page, "> Second.\n\nReally?");
    await bubble(page, "orchestrator", "Other.").waitFor();
    await branches(page).getByText("2 of 2").waitFor();
    await write(page, "Go on.");
    await page.getByText("orchestrator is thinking").first().waitFor();
    await eventually(
      () => branches(page).getByRole("button", { name: "Previous branch" }).isDisabled(),
      true,
    );
  });

  test("a draft is set aside while a question is edited, and returns when that is sent or cancelled", async () => {
    const desk = await room.desk();
    await using page = await room.open(desk.own);
    room.model.script("boss", [say("Blue."), say("Green.")]);
    await write(page, "Which colour?");
    await bubble(page, "orchestrator", "Blue.").waitFor();
    const text = () => composer(page).inputValue();
    const notice = page.getByText("New branch from the beginning.");
    const cancel = page.getByRole("button", { name: "Cancel", exact: true });
    const question = page.getByRole("dialog", { name: "Discard changes?" });
    await composer(page).fill("Half a thought");
    for (const _ of ["once", "and again"]) {
      await choose(page, MINE, "Edit and resend");
      await notice.waitFor();
      await eventually(text, "Which colour?");
    }
    await cancel.click();
    await notice.waitFor({ state: "detached" });
    await eventually(text, "Half a thought");
    await eventually(() => composer(page).evaluate((one) => one === document.activeElement), true);

    await choose(page, MINE, "Edit and resend");
    await eventually(text, "Which colour?");
    await composer(page).fill("Which colour, in spring?");
    await cancel.click();
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    await eventually(text, "Which colour, in spring?");
    await composer(page).press("Enter");
    await bubble(page, "orchestrator", "Green.").waitFor();
    await eventually(text, "Half a thought");

    // Only one text is stored, so a page that is left keeps both in one.
    await choose(page, MINE, "Edit and resend");
    await eventually(text, "Which colour, in spring?");
    await composer(page).fill("Which colour, in autumn?");
    await page.reload();
    await eventually(text, "Half a thought\n\nWhich colour, in autumn?");
  });
});
