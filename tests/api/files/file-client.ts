// A client of the file routes for tests: raw bodies, conditions, refusals as values.

import { join } from "node:path";
import { refusalOf } from "../../kit/http/refusal.ts";
import type { World } from "../../kit/service/world.ts";

interface Entry {
  name: string;
  path: string;
  kind: string;
  size: number | null;
}

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream;
type Headers = Record<string, string>;

/** Uses the loopback privilege, or `token`. */
export function fileClient(at: World, workspaceId: number, token?: string) {
  const base = `${at.url}/api/v1/workspaces/${workspaceId}`;
  const authorization: Headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const send = (method: string, address: string, body?: Body, headers: Headers = {}) =>
    fetch(base + address, {
      method,
      headers: { ...authorization, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  const file = (path: string) => `/file?path=${encodeURIComponent(path)}`;
  const list = (path: string | undefined) =>
    path === undefined ? "/files" : `/files?path=${encodeURIComponent(path)}`;
  return {
    /** The directory on disk, which exists after the first save. */
    directory: join(at.data, "files", String(workspaceId)),
    get: (path: string) => send("GET", file(path)),
    read: async (path: string): Promise<object> => (await send("GET", file(path))).json(),
    put: (path: string, body: Body, headers?: Headers) => send("PUT", file(path), body, headers),
    list: async (path?: string) => (await (await send("GET", list(path))).json()) as Entry[],
    refused: async (method: string, path: string, body?: Body, headers?: Headers) =>
      refusalOf(await send(method, file(path), body, headers)),
    /** The raw query. */
    refusedRaw: async (method: string, query: string, body?: Body) =>
      refusalOf(await send(method, `/file?${query}`, body)),
    refusedList: async (path: string) => refusalOf(await send("GET", list(path))),
  };
}
