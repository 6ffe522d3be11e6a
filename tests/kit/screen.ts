// A browser on the interface of the compiled service: `const at = shared(() => screen({ workers: ["scout"] })); const page = await at.open("/gears");`

import type { Page } from "playwright-core";
import { type PageOptions, startBrowser, type TestBrowser } from "./browser.ts";
import type { RunningService, RunOptions } from "./running.ts";
import { compiledWorld, type Furniture, type World } from "./world.ts";

export type Screen<Name extends string = string> = World<Name, RunningService> & {
  readonly browser: TestBrowser;
  /** Opens an address of the interface; a page of its own person unless a context is given. */
  open(path: string, options?: PageOptions): Promise<Page>;
};

export async function screen<const Name extends string = never>(
  options: Furniture<Name> & RunOptions = {},
): Promise<Screen<Name>> {
  const at = await compiledWorld(options);
  // The first to go: pages must not see the others end.
  const browser = at.use(await startBrowser());
  return Object.assign(at, {
    browser,
    open: (path: string, page?: PageOptions) => browser.open(at.url, path, page),
  });
}
