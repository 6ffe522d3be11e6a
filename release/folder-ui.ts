// The interface from a folder, for work on it: @elysiajs/static serves the files as they are at that moment, and every other address is the
// page. Not for the compiled program, which serves what is compiled in (CONTRIBUTING.md says why).

import { join } from "node:path";
import type { ServeUi } from "../src/service/ui.ts";
import { DIAGRAM_PAGE, scriptHashOf } from "./ui.ts";

const PAGE = "index.html";

/** `folder`: what the bundler wrote; it may be written again at any time. */
export async function folderUi(folder: string): Promise<ServeUi> {
  const [
    { Elysia },
    { staticPlugin },
    { SECURITY_HEADERS },
    { requireReading, refuseMissingAsset, sandboxPolicy },
  ] = await Promise.all([
    import("elysia"),
    import("@elysiajs/static"),
    import("../src/kit/http/answer.ts"),
    import("../src/service/ui.ts"),
  ]);
  const files = new Elysia().use(
    await staticPlugin({
      assets: folder,
      prefix: "/",
      ignorePatterns: [/\.html$/],
      // In production it would list the files once, at the start.
      alwaysStatic: false,
      // With tags it would keep what it once read.
      etag: false,
      headers: { ...SECURITY_HEADERS, "Cache-Control": "no-cache" },
    }),
  );
  const page = {
    ...SECURITY_HEADERS,
    "Cache-Control": "no-cache",
    "Content-Type": "text/html; charset=utf-8",
  };
  return async (request, exchange) => {
    requireReading(exchange);
    if (exchange.path === `/${DIAGRAM_PAGE}`) {
      const text = await Bun.file(join(folder, DIAGRAM_PAGE)).text();
      const policy = sandboxPolicy(scriptHashOf(text));
      return new Response(text, { headers: { ...page, "Content-Security-Policy": policy } });
    }
    const found = await files.handle(request);
    if (found.ok) return found;
    refuseMissingAsset(exchange);
    return new Response(Bun.file(join(folder, PAGE)), { headers: page });
  };
}
