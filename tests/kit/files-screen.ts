// A running service with a workspace, a browser on its files, and the ways by which a person finds things there.

import type { Locator, Page } from "playwright-core";
import { type PageOptions, startBrowser, type TestBrowser } from "./browser.ts";
import { furnish } from "./furnish.ts";
import { type ScriptedModel, startModel } from "./model/index.ts";
import { runService, type RunningService } from "./running.ts";

export interface FilesScreen extends AsyncDisposable {
  readonly model: ScriptedModel;
  readonly service: RunningService;
  readonly browser: TestBrowser;
  readonly workspaceId: number;
  /** Where the workspace's files are on the disk. */
  readonly folder: string;
  /** Saves past the browser, as somebody else does. */
  put(path: string, body: string): Promise<Response>;
  /** What the server has. */
  saved(path: string): Promise<string>;
  open(path?: string, options?: PageOptions): Promise<Page>;
}

export async function filesScreen(): Promise<FilesScreen> {
  const stack = new AsyncDisposableStack();
  try {
    const model = stack.use(await startModel());
    const service = stack.use(await runService());
    const browser = stack.use(await startBrowser());
    const { workspaceId } = await furnish(service.admin, model);
    const address = (path: string) => `/workspaces/${workspaceId}/file?path=${encodeURIComponent(path)}`;
    return {
      model,
      service,
      browser,
      workspaceId,
      folder: `${service.data}/files/${workspaceId}`,
      put: (path, body) => service.admin.raw("PUT", address(path), { body }),
      saved: async (path) => (await service.admin.get<{ content: string }>(address(path))).content,
      open: (path, options) =>
        browser.open(
          service.url,
          `/workspaces/${workspaceId}/files${path === undefined ? "" : `?path=${encodeURIComponent(path)}`}`,
          options,
        ),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
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
  return page.getByRole("dialog", { name: "Changed by somebody else meanwhile" });
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
