// The memory step of `npm run demo`: a worker writes a document, in a later turn another worker reads it and writes the next version, and
// `cairn file history` shows both. The same for a space in a folder and for a space of a context server.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { adminToken, cairn, contextServer, program, start, type Say } from "./demo-programs.ts";
import { createDemoWorkspace, request, talk } from "./demo-service.ts";

const NOTE = "Note for later: the event log goes into the second database.";
const CHECK = "Please have someone else check what we noted.";
/** Of the scripted model, in the branch of the workspace. */
const NOTES = "shared/decisions.md";
const AUTHORS = ["researcher", "reviewer"];

interface Stage {
  readonly url: string;
  readonly workspaceId: number;
  /** Returns the output of `cairn file history` for a path of the space. */
  readonly history: (path: string) => Promise<string>;
  readonly write?: (text: string) => void;
}

/** Two turns. Returns the history of the document. Raises if it does not name both workers. */
export async function rememberTogether({ url, workspaceId, history, write }: Stage): Promise<string> {
  await talk(url, workspaceId, NOTE, write);
  await talk(url, workspaceId, CHECK, write);
  const { branch } = await request<{ branch: string }>(url, `/workspaces/${workspaceId}`);
  const path = `${branch}/${NOTES}`;
  const printed = await history(path);
  if (!AUTHORS.every((name) => printed.includes(name)))
    throw new Error(`${path} does not have versions by ${AUTHORS.join(" and ")}:\n${printed}`);
  return printed;
}

/** The service began without a space. Creates one where it looks for it, and lets the workers remember. */
export async function demonstrateLocalMemory(
  { url, workspaceId, space, say }: { url: string; workspaceId: number; space: string; say: Say },
  folder: string,
): Promise<void> {
  const before = await request<{ error?: string }>(url, "/context/status");
  say(`13. memory, in a folder; so far: ${before.error}`);
  await cairn(folder, ["init", "solo", "--non-interactive", "--dir", space]);
  const after = await request<{ available: boolean; space?: string }>(url, "/context/status");
  if (!after.available) throw new Error("the service did not find the space");
  say(`    after cairn init solo, without a restart: the space ${after.space}. A person says:`);
  const history = (path: string) => cairn(folder, ["file", "history", path, "--dir", space]);
  show(say, await rememberTogether({ url, workspaceId, history }));
}

/** A second service, whose memory is a space of a context server. */
export async function demonstrateServerMemory(modelUrl: string, folder: string, say: Say): Promise<void> {
  await using server = await contextServer(folder);
  const tokenFile = join(folder, "memory.token");
  await Bun.write(tokenFile, await adminToken(folder, server.at, "memory"));
  const data = join(folder, "service");
  await mkdir(data);
  const memory = { server: { url: server.url, space: "team", token_file: tokenFile } };
  await Bun.write(join(data, "config.yaml"), Bun.YAML.stringify({ memory }, null, 2));
  const serve = [program("service"), "serve", "--data", data, "--listen", "127.0.0.1:0"];
  await using service = await start(serve, "stderr");
  say(`14. the same with a context server at ${server.url}. A person says:`);
  const workspaceId = await createDemoWorkspace(service.url, modelUrl);
  const history = (path: string) => cairn(folder, ["file", "history", path, ...server.at]);
  show(say, await rememberTogether({ url: service.url, workspaceId, history }));
}

function show(say: Say, history: string): void {
  say(`    cairn file history, both versions by agent:\n\n${history.replaceAll(/^/gm, "    ")}\n`);
}
