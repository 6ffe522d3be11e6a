// Serves the browser interface, if this binary has one.
// A missing asset is 404, never the page; any other path returns the page, so that deep links open and reload.

import type { UiAsset } from "../../embed/ui-asset.ts";
import { AppError } from "../kit/error.ts";
import type { Exchange } from "../kit/http/exchange.ts";
import { answerFile, type ServedFile } from "../kit/http/file-answer.ts";
import { wrongMethod } from "../kit/http/route-table.ts";

/** Files with a hash of their content in the name. */
const HASHED = "/assets/";
const ASSET = /^\/assets\/|\.[a-z0-9]{1,8}$/i;
const PAGE = "/index.html";
/** The name of all interface paths in the access log. */
export const UI_ROUTE = "interface";

/** Raises `not_found` for a missing asset, `wrong_method` for anything but GET and HEAD, `unavailable` without an interface. */
export type ServeUi = (request: Request, exchange: Exchange) => Promise<Response>;

export function embeddedUi(): ServeUi {
  return createUi(async () => (await import("../../embed/ui/manifest.ts")).assets);
}

/** `load` returns the compiled-in assets, or undefined if there are none; it is called at the first request. */
export function createUi(load: () => Promise<readonly UiAsset[] | undefined>): ServeUi {
  let loaded: Promise<ReadonlyMap<string, UiAsset> | undefined> | undefined;
  const assets = () =>
    (loaded ??= load().then((list) => list && new Map(list.map((asset) => [asset.path, asset]))));
  return async (_request, exchange) => {
    requireReading(exchange);
    const found = await assets();
    const asset = found?.get(exchange.path === "/" ? PAGE : exchange.path);
    if (asset) return answerFile(exchange, servedFile(asset));
    refuseMissingAsset(exchange);
    const page = found?.get(PAGE);
    if (page) return answerFile(exchange, servedFile(page));
    throw new AppError("unavailable", "web UI is not built into this binary — build with make build");
  };
}

/** For a page that runs in a sandbox without an origin, a network or storage, only this script, and only inside our own pages. */
export function sandboxPolicy(scriptHash: string): string {
  return `sandbox allow-scripts; default-src 'none'; script-src '${scriptHash}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`;
}

export function requireReading({ method, path }: Exchange): void {
  if (method !== "GET" && method !== "HEAD") throw wrongMethod(method, path, ["GET"]);
}

/** Raises `not_found` if a path without a file looks like an asset. */
export function refuseMissingAsset({ path }: Exchange): void {
  if (ASSET.test(path)) throw new AppError("not_found", `${path}: not found`);
}

function servedFile({ path, tag, file, br, gzip, scriptHash }: UiAsset): ServedFile {
  return {
    name: path,
    tag,
    file,
    br,
    gzip,
    neverChanges: path.startsWith(HASHED),
    policy: scriptHash === undefined ? undefined : sandboxPolicy(scriptHash),
  };
}
