// Goal: someone new adds a provider, gets an answer with a picture attached, approves a gear, finds the conversation again and exports it, by what
// the screens say.

import { expect, setDefaultTimeout, test } from "bun:test";
import { hasBrowser, startBrowser } from "../kit/browser/browser.ts";
import { bubble, composer, write } from "../kit/browser/chat-room.ts";
import { eventually } from "../kit/eventually.ts";
import { call, say, startModel } from "../kit/model/index.ts";
import { runService } from "../kit/service/running.ts";
import { png } from "../kit/service/sample-files.ts";

setDefaultTimeout(90_000);
const KEY = "the-right-key-4f8a";
/** Its name says that it reads pictures. */
const MODEL = "gpt-5-scripted";

test.if(hasBrowser)("from an empty service to an exported conversation, without help", async () => {
  await using model = await startModel({ key: KEY });
  await using service = await runService();
  await using browser = await startBrowser();
  model.script(MODEL, [
    say("A grey rectangle, wider than tall."),
    [
      say("I forge one."),
      call("gear_forge", {
        name: "word_count",
        description: "Counts the words of a text.",
        runtime: "bash",
        code: "cat\n",
        args_schema: JSON.stringify({ type: "object", properties: { text: { type: "string" } } }),
      }),
    ],
    say("It waits for your approval."),
  ]);

  const page = await browser.open(service.url, "/");
  await page.getByRole("radio", { name: "OpenAI-compatible" }).check();
  await page.getByRole("textbox", { name: "Address" }).fill(model.openaiUrl);
  await page.getByRole("textbox", { name: "Key" }).fill(KEY);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Add 1 model" }).click();
  await page.getByRole("button", { name: "Create workspace" }).waitFor();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Release desk");
  await page.getByRole("button", { name: "Create workspace" }).click();
  await page.getByRole("heading", { name: "Talk to the orchestrator" }).waitFor();

  const files = page.getByLabel("Files to attach");
  await files.waitFor({ state: "attached" });
  await files.setInputFiles({ name: "plan.png", mimeType: "image/png", buffer: Buffer.from(png(48, 32)) });
  await page.getByText("PNG · 48 × 32", { exact: false }).waitFor();
  await write(page, "What is on the heron's plan?");
  await bubble(page, "orchestrator", "A grey rectangle, wider than tall.").waitFor();
  await page.getByRole("button", { name: /plan\.png/ }).waitFor();

  await write(page, "Make a gear that counts words.");
  const card = page.getByRole("region", { name: "orchestrator asks to approve a gear" });
  await card.getByRole("button", { name: "Show rest" }).click();
  await card.getByRole("button", { name: /^Approve/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Approve without isolation" }).click();
  await page.getByText("Approved word_count v1").waitFor();
  expect((await service.admin.get("/gears"))[0]).toMatchObject({ name: "word_count", status: "approved" });

  // Another day, from another page.
  await page.goto(`${service.url}/settings`);
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog");
  await palette.getByRole("option").first().waitFor();
  await page.keyboard.type("heron plan");
  await palette
    .getByRole("option", { name: /heron's plan/ })
    .first()
    .click();
  await eventually(() => new URL(page.url()).pathname, "/workspaces/1");
  await page.getByText("What is on the heron's plan?").waitFor();
  await composer(page).waitFor();

  await page.getByRole("link", { name: "Workspaces" }).first().click();
  await page.getByRole("button", { name: "Actions for Release desk" }).click();
  await page.getByRole("menuitem", { name: "Export" }).click();
  const saving = page.waitForEvent("download");
  await page.getByRole("dialog").getByRole("link", { name: "Export" }).click();
  const file = await Bun.file((await (await saving).path())!).text();
  for (const text of ["heron's plan", "A grey rectangle", "word_count"]) expect(file).toContain(text);
  expect(file).not.toContain(KEY);
});
