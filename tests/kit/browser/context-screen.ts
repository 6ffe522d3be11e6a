// A running service with a context space in a folder, a browser on the Context area, and the ways by which an admin finds things there.

import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import type { SpaceDoor } from "../../../src/context/space/door.ts";
import { createLocalSpace } from "../../../src/context/space/local.ts";
import type { PageOptions } from "./browser.ts";
import { temporaryFolder } from "../folder.ts";
import { screen } from "./screen.ts";
import { localDeps } from "../context/space-doors.ts";
import type { Furniture } from "../service/world.ts";

/** `fill` writes into the space before the service starts. */
export async function contextScreen<const Name extends string = never>(
  fill: (space: SpaceDoor) => Promise<unknown>,
  furniture: Furniture<Name> = {},
) {
  const folder = await temporaryFolder();
  const directory = join(folder.path, "space");
  const space = await createLocalSpace({ directory, name: "notes", template: "blank" }, localDeps);
  await fill(space);
  await space.close();
  const config = await folder.write(
    "config.yaml",
    Bun.YAML.stringify({ memory: { space: directory } }, null, 2),
  );
  const at = await screen({ ...furniture, under: [folder], args: ["--config", config] });
  const address = (path: string) => `/context/file?path=${encodeURIComponent(path)}` as const;
  return Object.assign(at, {
    directory,
    /** Saves past the browser, as someone else does. */
    put: (path: string, body: string) => at.admin.raw("PUT", address(path), { body }),
    /** Returns the text of a document as the space has it. */
    text: async (path: string) => (await at.admin.get(address(path))).text,
    version: async (path: string) => (await at.admin.get(address(path))).version,
    openContext: (path?: string, view?: string, options?: PageOptions) =>
      at.open(contextAddress(path, view), options),
  });
}

export function contextAddress(path?: string, view?: string): string {
  const query = new URLSearchParams({ ...(path && { path }), ...(view && { view }) });
  return query.size === 0 ? "/context" : `/context?${query}`;
}

export function treeRow(page: Page, name: string): Locator {
  return page.getByRole("tree", { name: "Documents" }).getByRole("treeitem", { name });
}

export function tab(page: Page, name: string): Locator {
  return page.getByRole("navigation", { name: "Views of the document" }).getByRole("link", { name });
}

export function reading(page: Page): Locator {
  return page.getByRole("region", { name: "Text of the document" });
}
