// A running service with a workspace, a browser on its files, and the ways by which a person finds things there.

import type { Locator, Page } from "playwright-core";
import type { PageOptions } from "./browser.ts";
import { screen } from "./screen.ts";

export async function filesScreen() {
  const at = await screen({ model: true });
  const query = (path?: string) => (path === undefined ? "" : `?path=${encodeURIComponent(path)}`);
  return Object.assign(at, {
    /** The directory of the workspace's files. */
    folder: `${at.data}/files/${at.workspaceId}`,
    /** Saves past the browser, as someone else does. */
    put: (path: string, body: string) => at.admin.raw("PUT", `${at.own}/file${query(path)}`, { body }),
    /** Returns the file as the server has it. */
    saved: async (path: string) => (await at.admin.get(`${at.own}/file${query(path)}`)).content,
    openFile: (path?: string, options?: PageOptions) => at.open(`${at.own}/files${query(path)}`, options),
  });
}

export function editor(page: Page, path: string): Locator {
  return page.getByRole("textbox", { name: path, exact: true });
}

export function treeItem(page: Page, name: string): Locator {
  return page.getByRole("treeitem", { name });
}

export function button(page: Page, name: string): Locator {
  return page.getByRole("button", { name, exact: true });
}

/** The dialog with both versions. */
export function bothVersions(page: Page): Locator {
  return page.getByRole("dialog", { name: "Someone else changed this file" });
}

/** Waits until the file in front is said to be in this state: `Saved`, `Not saved`, … */
export function stateIs(page: Page, text: string): Promise<void> {
  return page
    .getByRole("status")
    .filter({ hasText: new RegExp(`^${text}$`) })
    .waitFor();
}

export async function typeAtEnd(page: Page, path: string, text: string): Promise<void> {
  await editor(page, path).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(text);
}
