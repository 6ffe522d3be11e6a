// The stylesheet and the script of the console. Their addresses contain a hash of their content, so browsers keep them for good.

import { sha256Hex } from "../../kit/crypto.ts";
import { SECURITY_HEADERS } from "../../kit/http/answer.ts";
import type { Exchange } from "../../kit/http/exchange.ts";
import script from "../../../embed/console/enhance.js" with { type: "text" };
import graphScript from "../../../embed/console/graph.js" with { type: "text" };
import own from "../../../embed/console/console.css" with { type: "text" };
import graph from "../../../embed/console/graph.css" with { type: "text" };
import markdown from "../../../web/kit/markdown.css" with { type: "text" };
import base from "../../../web/styles/base.css" with { type: "text" };
import button from "../../../web/styles/button.css" with { type: "text" };
import field from "../../../web/styles/field.css" with { type: "text" };
import table from "../../../web/styles/table.css" with { type: "text" };
import tokens from "../../../web/styles/tokens.css" with { type: "text" };
import { acceptsGzip } from "./responses.ts";

const HASH_CHARACTERS = 16;
const YEAR_SECONDS = 31_536_000;

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

const assets: readonly Asset[] = [
  asset(
    "css",
    "text/css; charset=utf-8",
    [tokens, base, button, field, table, markdown, own, graph].join("\n"),
  ),
  asset("js", "text/javascript; charset=utf-8", `${script}\n${graphScript}`),
];
const compressed = new Map<string, Uint8Array<ArrayBuffer>>();

export const [STYLES_PATH, SCRIPT_PATH] = assets.map(({ path }) => path) as [string, string];

function asset(extension: string, type: string, text: string): Asset {
  const hash = sha256Hex(text).slice(0, HASH_CHARACTERS);
  return { path: `/console/assets/console-${hash}.${extension}`, type, text };
}

/** Undefined: no such file. */
export function assetAnswer(exchange: Exchange): Response | undefined {
  const found = assets.find(({ path }) => path === exchange.path);
  if (!found) return undefined;
  const headers: Record<string, string> = {
    ...SECURITY_HEADERS,
    "Content-Type": found.type,
    "Cache-Control": `public, max-age=${YEAR_SECONDS}, immutable`,
    Vary: "Accept-Encoding",
    "X-Request-Id": exchange.id,
  };
  if (!acceptsGzip(exchange)) return new Response(found.text, { headers });
  const bytes = compressed.get(found.path) ?? Bun.gzipSync(new TextEncoder().encode(found.text));
  compressed.set(found.path, bytes);
  return new Response(bytes, { headers: { ...headers, "Content-Encoding": "gzip" } });
}
