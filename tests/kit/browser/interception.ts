// Interception that holds from its beginning. The driver's `route` is done before the page keeps to it: for some milliseconds, requests of the page
// still pass, and the driver then reports neither them nor their answers. A test that acts at once would wait for such a request in vain.

import type { Page } from "playwright-core";
import { until } from "../eventually.ts";

/** An address that every server here answers to anybody, so that a probe which passes leaves no error in the page. */
const PROBE = "/health";
const MARK = "intercepted";

/** From now on, `page.route` is done once the page keeps to it. The page's server is one of ours. */
export function interceptAtOnce(page: Page): void {
  const route = page.route.bind(page);
  let isProbed = false;
  page.route = async (...given) => {
    const routed = await route(...given);
    // A page without a document keeps to it from its first request on.
    if (isProbed || page.url() === "about:blank") return routed;
    await route(
      (url) => url.pathname === PROBE,
      (probe) => probe.fulfill({ headers: { [MARK]: "yes" } }),
    );
    const probe = `fetch("${PROBE}", { method: "HEAD" }).then(({ headers }) => headers.has("${MARK}"))`;
    await until(() => page.evaluate<boolean>(probe).catch(() => false));
    isProbed = true;
    return routed;
  };
  const unrouteAll = page.unrouteAll.bind(page);
  page.unrouteAll = async (options) => {
    isProbed = false;
    await unrouteAll(options);
  };
}
