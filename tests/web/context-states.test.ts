// Goal: without a space, or with a server that does not answer, the Context area and the settings say what is wrong and what to do; a space that comes,
// goes away or comes back is noticed without a reload, and edits stay.

import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createLocalSpace } from "../../src/context/space/local.ts";
import { problemsInBothThemes } from "../kit/browser/axe.ts";
import { contextAddress, reading, treeRow } from "../kit/browser/context-screen.ts";
import { contextServer, SPACE } from "../kit/context/context-server.ts";
import { button, editor, typeAtEnd } from "../kit/browser/files-screen.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";
import { localDeps } from "../kit/context/space-doors.ts";
import { eventually } from "../kit/eventually.ts";

async function withoutSpace() {
  const home = await temporaryFolder();
  const at = await screen({ under: [home], environment: { HOME: home.path } });
  return Object.assign(at, { directory: join(home.path, ".cairn", "space") });
}

onScreen("the context area without a space", withoutSpace, (at) => {
  test("names the command that creates one, and shows the space as soon as it exists", async () => {
    await using page = await at.open("/context");
    await page.getByRole("heading", { name: "No context space yet" }).waitFor();
    await page.getByText("cairn init solo", { exact: true }).waitFor();
    // The server's message names it, too.
    await eventually(() => page.getByText("cairn init solo").count(), 1);
    await button(page, "Copy command").waitFor();
    expect(await problemsInBothThemes(page)).toEqual([]);
    await using settings = await at.open("/settings", { context: page.context() });
    const memory = settings.locator("section").filter({ hasText: "Memory" });
    await memory.getByText("unavailable", { exact: true }).waitFor();
    await memory.getByText("No context space yet").waitFor();
    await eventually(() => memory.getByText("cairn init solo").count(), 1);
    await memory.getByText("None", { exact: true }).waitFor();
    // The palette asks for no documents.
    await settings.keyboard.press("Control+k");
    await settings.getByRole("option", { name: "Context" }).waitFor();
    const space = await createLocalSpace(
      { directory: at.directory, name: "notes", template: "blank" },
      localDeps,
    );
    await space.close();
    await button(page, "Check again").click();
    await page.getByRole("heading", { name: "No documents yet" }).waitFor();
    await settings.reload();
    await memory.getByText("available", { exact: true }).waitFor();
    await memory.getByText(at.directory).waitFor();
  });
});

async function onServer() {
  const folder = await temporaryFolder();
  const server = await contextServer();
  await server.admin.write("team/style.md", "Be brief.\n");
  const tokenFile = join(folder.path, "token");
  writeFileSync(tokenFile, server.bootstrap);
  const config = await folder.write(
    "config.yaml",
    Bun.YAML.stringify({ memory: { server: { url: server.url, space: SPACE, token_file: tokenFile } } }),
  );
  const at = await screen({ under: [folder, server], args: ["--config", config] });
  return Object.assign(at, { server, tokenFile });
}

onScreen("the context area on a server", onServer, (at) => {
  test("keeps the document and its edits while the token is refused, and goes on once it is valid", async () => {
    const path = "team/style.md";
    await using page = await at.open(contextAddress(path, "edit"));
    await typeAtEnd(page, path, "Mine.");
    writeFileSync(at.tokenFile, "cairn_wrong");
    await page.keyboard.press("Control+s");
    await page.getByRole("alert").filter({ hasText: "refused the token in" }).waitFor();
    await page.getByRole("status").getByText("Context server refused the token").waitFor();
    await editor(page, path).getByText("Mine.").waitFor();
    writeFileSync(at.tokenFile, at.server.bootstrap);
    await button(page, "Check again").click();
    await page.getByText("Context server refused the token").waitFor({ state: "detached" });
    await page.keyboard.press("Control+s");
    await page
      .getByRole("status")
      .filter({ hasText: /^Saved$/ })
      .waitFor();
    expect(await at.server.admin.read(path)).toBe("Be brief.\nMine.");
    at.browser.expected(/status of 503/);
  });

  test("names a missing token, a missing space and a server that is gone", async () => {
    rmSync(at.tokenFile);
    await using page = await at.open("/context");
    await page.getByRole("heading", { name: "Cannot read the context server token" }).waitFor();
    await page.getByText(`memory.server.token_file ${at.tokenFile}: no such file`).waitFor();
    writeFileSync(at.tokenFile, at.server.bootstrap);
    await button(page, "Check again").click();
    await treeRow(page, "team").click();
    await treeRow(page, "style.md").click();
    await reading(page).getByText("Be brief.").waitFor();
    await at.server.admin.delete(`/spaces/${SPACE}?confirm=${SPACE}`);
    await page.reload();
    await page.getByRole("heading", { name: "Space not found on the context server" }).waitFor();
    await at.server.stop();
    await button(page, "Check again").click();
    await page.getByRole("heading", { name: "Context server unreachable" }).waitFor();
    await page.goto(`${at.url}/settings`);
    const memory = page.locator("section").filter({ hasText: "Memory" });
    await memory.getByText("Context server unreachable").waitFor();
    await memory.getByText("Space of a context server").waitFor();
    await memory.getByText(at.server.url, { exact: true }).waitFor();
    at.browser.expected(/status of 503/);
  });
});
