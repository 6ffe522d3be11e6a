// Goal: a person attaches files by button, drop and paste, sees how each upload goes, sends them, opens and finds them again, and loses none of
// them by a mistake.

import { afterEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityProblems } from "../kit/browser/axe.ts";
import { bubble, chatRoom, composer, write } from "../kit/browser/chat-room.ts";
import { holdRequest } from "../kit/browser/hold.ts";
import { eventually, until } from "../kit/eventually.ts";
import { gate, say } from "../kit/model/index.ts";
import { pdf, png } from "../kit/service/sample-files.ts";
import { onScreen } from "../kit/browser/screen.ts";

const file = (name: string, mimeType: string, content: Uint8Array) => ({
  name,
  mimeType,
  buffer: Buffer.from(content),
});
const PICTURE = file("heron.png", "image/png", png(480, 320));
const PLAN = file("plan.pdf", "application/pdf", pdf("The plan."));

const chips = (page: Page) =>
  page.locator(".chat-composer").getByRole("list", { name: "Attachments" }).getByRole("listitem");
/** Without the size. */
const shortened = (text: string) =>
  text
    .replace(/ · \d+ B\s*$/, "")
    .replaceAll("\n", " ")
    .trim();
const send = (page: Page) => page.getByRole("button", { name: "Send" });

async function choose(page: Page, ...files: ReturnType<typeof file>[]): Promise<void> {
  const input = page.getByLabel("Files to attach");
  await input.waitFor({ state: "attached" });
  await input.setInputFiles(files);
}

/** As the browser does when a person drops or pastes. */
async function give(
  page: Page,
  how: "drop" | "paste",
  name: string,
  type: string,
  base64: string,
): Promise<void> {
  await page.getByLabel("Files to attach").waitFor({ state: "attached" });
  await composer(page).evaluate(
    (area, given) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.fromBase64(given.base64)], given.name, { type: given.type }));
      const event =
        given.how === "drop"
          ? new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })
          : new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
      area.dispatchEvent(event);
    },
    { how, name, type, base64 },
  );
}

onScreen("attachments in the chat", chatRoom, (room) => {
  afterEach(() => room.endTurns());

  test("attaches by button, drop and paste, sends, shows and opens, also after a reload and in the exact prompt", async () => {
    await room.admin.patch(`/models/${room.bossId}`, { images: true, pdfs: true });
    const desk = await room.desk();
    room.model.script("boss", [say("A heron and a plan.")]);
    await using page = await room.open(desk.own);
    await choose(page, PICTURE, PLAN);
    await give(page, "drop", "notes.txt", "text/plain", btoa("one heron"));
    await give(page, "paste", "pasted.png", "image/png", Buffer.from(png(7, 7)).toString("base64"));
    await eventually(
      async () => (await chips(page).allInnerTexts()).map(shortened),
      ["heron.png PNG · 480 × 320", "plan.pdf PDF · 1 page", "notes.txt Text", "pasted.png PNG · 7 × 7"],
    );
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove notes.txt" }).press("Enter");
    await eventually(() => chips(page).count(), 3);
    // A draft survives a reload with its files.
    await page.reload();
    await eventually(() => chips(page).count(), 3);
    await composer(page).fill("What is it?");
    await composer(page).press("Enter");
    await bubble(page, "orchestrator", "A heron and a plan.").waitFor();
    expect(await chips(page).count()).toBe(0);
    const sent = JSON.stringify(room.model.requests.at(-1)!.raw);
    expect(sent).toContain(PICTURE.buffer.toString("base64"));

    await using other = await room.open(desk.own, { theme: "dark", width: 390 });
    for (const viewer of [page, other]) {
      const said = viewer.getByRole("article", { name: "You said" });
      await said.getByRole("link", { name: /^plan\.pdf/ }).waitFor();
      const opener = said.getByRole("button", { name: "Open heron.png" });
      await opener.press("Enter");
      const dialog = viewer.getByRole("dialog", { name: "heron.png" });
      await eventually(
        () =>
          dialog
            .getByRole("img", { name: "heron.png" })
            .evaluate((image) => (image as HTMLImageElement).naturalWidth),
        480,
      );
      expect(await accessibilityProblems(viewer)).toEqual([]);
      await viewer.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await eventually(() => opener.evaluate((element) => element === document.activeElement), true);
    }
    const [entry] = await desk.entries();
    const [call] = await desk.calls(entry!.turn_id);
    await page.goto(`${room.url}${desk.own}?inspect=call-${call!.id}`);
    const listed = page.getByRole("list", { name: "3 attachments" });
    await listed.getByText("heron.png").waitFor();
    await listed.getByText(`sha256:${entry!.attachments[0]!.hash}`).waitFor();
  });

  test("shows a refusal at its chip, and sends once the uploads are over", async () => {
    const desk = await room.desk();
    await using page = await room.open(desk.own);
    await choose(page, file("program.bin", "application/octet-stream", new Uint8Array([0, 1, 2])));
    await chips(page).getByRole("alert").getByText("attach a PNG, JPEG, WebP or GIF image").waitFor();
    room.browser.expected(/415/);
    await composer(page).fill("Read it.");
    await eventually(() => send(page).isDisabled(), true);
    await page.getByText("Remove the file that failed, then send").waitFor();
    // The same file would be refused again.
    expect(await page.getByRole("button", { name: "Retry program.bin" }).count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove program.bin" }).click();
    await eventually(() => send(page).isDisabled(), false);

    const held = Promise.withResolvers<void>();
    await page.route("**/attachments?*", async (route) => {
      await held.promise;
      await route.continue();
    });
    room.model.script("boss", [say("Read.")]);
    await choose(page, PLAN);
    await page.getByRole("progressbar", { name: "Uploading plan.pdf" }).waitFor();
    await composer(page).press("Enter");
    await eventually(() => page.getByRole("button", { name: "Send" }).getAttribute("aria-busy"), "true");
    expect(await desk.admin.get(`${desk.own}/turns`)).toEqual([]);
    held.resolve();
    await bubble(page, "orchestrator", "Read.").waitFor();
    expect((await desk.entries())[0]!.attachments.map(({ name }) => name)).toEqual(["plan.pdf"]);
  });

  test("keeps a file that is attached while the message before is still being sent", async () => {
    const desk = await room.desk();
    room.model.script("boss", [say("One plan.")]);
    await using page = await room.open(desk.own);
    await choose(page, PLAN);
    await until(() => chips(page).getByText("1 page").isVisible());
    const sending = await holdRequest(page, /\/chat$/, { method: "POST" });
    await composer(page).fill("Look.");
    await composer(page).press("Enter");
    await sending.held;
    await choose(page, PICTURE);
    await chips(page).getByText("480 × 320").waitFor();
    await sending.letGo();
    await bubble(page, "orchestrator", "One plan.").waitFor();
    expect((await chips(page).allInnerTexts()).map(shortened)).toEqual(["heron.png PNG · 480 × 320"]);
    expect((await desk.entries())[0]!.attachments.map(({ name }) => name)).toEqual(["plan.pdf"]);
  });

  test("takes files in a chat that is opened again from another page", async () => {
    const desk = await room.desk();
    await using page = await room.open(desk.own);
    await page.getByLabel("Files to attach").waitFor({ state: "attached" });
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    await page.goBack();
    await give(page, "drop", "notes.txt", "text/plain", btoa("one heron"));
    await chips(page).getByText("notes.txt").waitFor();
  });

  test("keeps the files of a message that is edited, regenerated or taken out of the queue", async () => {
    await room.admin.patch(`/models/${room.bossId}`, { images: true });
    const desk = await room.desk();
    const hold = gate();
    room.model.script("boss", [say("First."), say("Second."), [...say("Third"), hold, ...say(".")]]);
    await using page = await room.open(desk.own);
    await choose(page, PICTURE);
    await composer(page).fill("Look.");
    await page.getByRole("checkbox", { name: /^Untrusted source/ }).check();
    await composer(page).press("Enter");
    await bubble(page, "orchestrator", "First.").waitFor();
    await page.getByRole("article", { name: "You said" }).getByText("untrusted", { exact: true }).waitFor();

    await page.getByRole("button", { name: "Actions for this answer by orchestrator" }).click();
    await page.getByRole("menuitem", { name: "Regenerate" }).click();
    await bubble(page, "orchestrator", "Second.").waitFor();
    await page.getByRole("button", { name: "Actions for the message of You" }).click();
    await page.getByRole("menuitem", { name: "Edit and resend" }).click();
    await eventually(() => chips(page).count(), 1);
    await eventually(() => page.getByRole("checkbox", { name: /^Untrusted source/ }).isChecked(), true);
    await composer(page).fill("Look again.");
    await composer(page).press("Enter");
    await bubble(page, "orchestrator", "Third").waitFor();
    const turns = await desk.admin.get(`${desk.own}/turns`);
    expect(
      turns.map(({ attachments }) => attachments.map(({ name, untrusted }) => [name, untrusted])),
    ).toEqual(Array.from({ length: 3 }, () => [["heron.png", true]]));

    await choose(page, PLAN);
    await composer(page).fill("And this.");
    await until(() => chips(page).getByText("1 page").isVisible());
    await composer(page).press("Enter");
    await page
      .getByRole("article", { name: "Queued message" })
      .getByRole("button", { name: "Cancel" })
      .click();
    await eventually(
      () =>
        chips(page)
          .allInnerTexts()
          .then((texts) => texts.map((text) => text.split("\n")[0])),
      ["plan.pdf"],
    );
    await eventually(() => composer(page).inputValue(), "And this.");
    hold.open();
    await bubble(page, "orchestrator", "Third.").waitFor();
  });

  test("the files of a draft are set aside while a message is edited, and return when that is sent or cancelled", async () => {
    const desk = await room.desk();
    await using page = await room.open(desk.own);
    room.model.script("boss", [say("First."), say("Second.")]);
    await choose(page, PLAN);
    await until(() => chips(page).getByText("1 page").isVisible());
    await write(page, "Read the plan.");
    await bubble(page, "orchestrator", "First.").waitFor();
    await choose(page, PICTURE);
    const names = async () => (await chips(page).allInnerTexts()).map((text) => text.split("\n")[0]);
    await eventually(names, ["heron.png"]);
    const edit = async () => {
      await page.getByRole("button", { name: "Actions for the message of You" }).click();
      await page.getByRole("menuitem", { name: "Edit and resend" }).click();
      await eventually(names, ["plan.pdf"]);
    };
    await edit();
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await eventually(names, ["heron.png"]);
    await edit();
    await composer(page).press("Enter");
    await bubble(page, "orchestrator", "Second.").waitFor();
    await eventually(names, ["heron.png"]);
    const turns = await desk.admin.get(`${desk.own}/turns`);
    expect(turns.map(({ attachments }) => attachments.map(({ name }) => name))).toEqual([
      ["plan.pdf"],
      ["plan.pdf"],
    ]);
  });

  test("the files of a cancelled message return beside those of the draft", async () => {
    const desk = await room.desk();
    await using page = await room.open(desk.own);
    const hold = gate();
    room.model.script("boss", [[hold, ...say("Done.")]]);
    await write(page, "Begin.");
    await hold.reached;
    await choose(page, PLAN);
    await until(() => chips(page).getByText("1 page").isVisible());
    await write(page, "Read the plan.");
    const queued = page.getByRole("article", { name: "Queued message" });
    await queued.waitFor();
    await choose(page, PICTURE);
    await until(() => chips(page).getByText("480 × 320").isVisible());
    await queued.getByRole("button", { name: "Cancel" }).click();
    await eventually(
      async () => (await chips(page).allInnerTexts()).map((text) => text.split("\n")[0]),
      ["heron.png", "plan.pdf"],
    );
    hold.open();
    await bubble(page, "orchestrator", "Done.").waitFor();
  });

  test("scales a picture down that no model takes", async () => {
    const desk = await room.desk();
    await using page = await room.open(desk.own);
    await choose(page, file("wide.png", "image/png", png(8_100, 90)));
    await chips(page)
      .getByText(/^JPEG · 2,048 × 23 · /)
      .waitFor();
    await chips(page).getByText("wide.jpg").waitFor();
  });
});
