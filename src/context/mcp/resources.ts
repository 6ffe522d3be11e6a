// Documents as resources of the MCP server: listed page by page, and read whole up to a limit.

import { AppError } from "../../kit/error.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";
import { encodedPath } from "../client/client.ts";
import type { SpaceDoor } from "../space/door.ts";

const SCHEME = "cairn://";
const PAGE_RESOURCES = 500;
/** A resource goes into a model's context as a whole, and has no way to continue; the tool `read` has. */
const RESOURCE_BYTES_MAX = 256 * 1024;

export const RESOURCE_TEMPLATE = {
  uriTemplate: `${SCHEME}{space}/{+path}`,
  name: "document",
  description: "A document of the space by its path",
} as const;

interface ResourcePage {
  readonly resources: readonly { uri: string; name: string; mimeType: string; size: number }[];
  readonly nextCursor?: string;
}

/** Raises `invalid` for a cursor that is not ours. */
export async function listResources(space: SpaceDoor, cursor: string | undefined): Promise<ResourcePage> {
  const after = cursor === undefined ? undefined : pathOfCursor(cursor);
  const files = (await space.list()).filter(({ state }) => state !== "missing" && state !== "refused");
  const start = after === undefined ? 0 : indexAfter(files, after);
  const page = files.slice(start, start + PAGE_RESOURCES);
  const resources = page.map(({ path, size }) => ({
    uri: `${SCHEME}${encodeURIComponent(space.name)}/${encodedPath(path)}`,
    name: path,
    mimeType: mimeTypeOf(path),
    size,
  }));
  const last = page.at(-1);
  return last === undefined || last === files.at(-1)
    ? { resources }
    : { resources, nextCursor: Buffer.from(last.path).toString("base64url") };
}

/** The document of the cursor may be gone by now. Lists are sorted by UTF-16 units, as texts compare. */
function indexAfter(files: readonly { readonly path: string }[], path: string): number {
  const next = files.findIndex((file) => file.path > path);
  return next < 0 ? files.length : next;
}

interface ResourceContent {
  readonly uri: string;
  readonly mimeType: string;
  readonly text?: string;
  /** Base64. */
  readonly blob?: string;
}

/** Raises `invalid` for an address that is not one of this space, `too_large`, and what reading raises. */
export async function readResource(space: SpaceDoor, uri: string): Promise<ResourceContent> {
  const { path, bytes } = await space.read(pathOfUri(space, uri));
  if (bytes.length > RESOURCE_BYTES_MAX)
    throw new AppError(
      "too_large",
      `${path} has ${bytes.length} bytes, and a resource at most ${RESOURCE_BYTES_MAX}; read it in parts with the tool read`,
    );
  const text = decodeUtf8(bytes);
  const content = text === undefined ? { blob: Buffer.from(bytes).toString("base64") } : { text };
  return { uri, mimeType: text === undefined ? "application/octet-stream" : mimeTypeOf(path), ...content };
}

function pathOfUri(space: SpaceDoor, uri: string): string {
  const root = `${SCHEME}${encodeURIComponent(space.name)}/`;
  if (!uri.startsWith(root)) throw new AppError("invalid", `expected an address that begins with ${root}`);
  try {
    return uri.slice(root.length).split("/").map(decodeURIComponent).join("/");
  } catch {
    throw new AppError("invalid", "the address has a % that encodes nothing");
  }
}

function pathOfCursor(cursor: string): string {
  const path = decodeUtf8(Buffer.from(cursor, "base64url"));
  if (path === undefined || Buffer.from(path).toString("base64url") !== cursor)
    throw new AppError("invalid", "this server did not issue that cursor");
  return path;
}

const TYPES: Readonly<Record<string, string>> = {
  md: "text/markdown",
  markdown: "text/markdown",
  json: "application/json",
  yaml: "application/yaml",
  yml: "application/yaml",
  csv: "text/csv",
  html: "text/html",
};

function mimeTypeOf(path: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(TYPES, extension) ? TYPES[extension]! : "text/plain";
}
