// `cairn server status`: whether the server of a directory runs, and the role of a node of a server with several.

import { defineCommand } from "citty";
import {
  healthOf,
  STARTING,
  type ServerHealth,
  type StandbyFacts,
} from "../../context/client/server-health.ts";
import { serverDirectory } from "../../context/config/directory.ts";
import { Client, networkTransport } from "../../context/client/client.ts";
import { doorState, type Door, type DoorState } from "../../context/people/local-door.ts";
import { processEnvironment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { formatOf, printData } from "../../kit/terminal/output.ts";
import { serverDirArg } from "../connection.ts";
import { fields, plural } from "../tables.ts";
import { isAlive, notRunning, shownUrl } from "./server-door.ts";

export const SILENT: ServerHealth = { status: "does not answer", problems: [] };
/** A leader sends a heartbeat every two seconds. */
const SILENT_SECONDS_MIN = 5;

/** Of one of several nodes. */
interface NodeStatus extends Partial<StandbyFacts> {
  readonly name: string;
  readonly role: "leader" | "standby";
}

interface Status {
  readonly directory: string;
  readonly running: boolean;
  readonly pid: number | null;
  readonly url: string | null;
  readonly health: string | null;
  readonly node?: NodeStatus;
}

export const serverStatus = defineCommand({
  meta: { name: "status", description: "Show whether the server is running; fails if it is not" },
  args: serverDirArg,
  async run({ args }) {
    const directory = serverDirectory(args["server-dir"], processEnvironment());
    const status: Status = { directory, ...(await statusOf(await doorState(directory))) };
    await printData(status, formatOf(args), statusText);
    if (!status.running) throw new AppError("refused", notRunning(args));
  },
});

async function statusOf(state: DoorState): Promise<Omit<Status, "directory">> {
  if (!isAlive(state)) return { running: false, pid: null, url: null, health: null };
  const { kind, door } = state;
  if (kind === "starting") return { running: true, pid: door.pid, url: null, health: STARTING };
  const health = await healthOf(door.url);
  const node = health && (await nodeOf(door));
  const found = { running: true, pid: door.pid, url: shownUrl(door), health: (health ?? SILENT).status };
  return { ...found, ...(node && { node }) };
}

/** Undefined: not one of several nodes, or one that has just left this role and so no longer accepts the token. */
async function nodeOf({ node, url, token }: Door): Promise<NodeStatus | undefined> {
  if (node?.role !== "standby") return node && { ...node, leader: node.name };
  const asking = new Client(networkTransport(url, token)).get<StandbyFacts>("/auth/whoami");
  const facts = await asking.catch(() => undefined);
  return facts && { ...node, ...facts };
}

function statusText({ node, ...status }: Status): string {
  if (!node) return fields(status);
  const { name, role, leader = null, silent_seconds: silent = 0, problem = null } = node;
  const isSilent = leader !== null && silent >= SILENT_SECONDS_MIN;
  const shownLeader = isSilent ? `${leader}, no heartbeat for ${silent} s` : leader;
  const behind = role === "standby" ? { behind: behindText(node) } : {};
  return fields({
    ...status,
    node: name,
    role,
    leader: shownLeader,
    ...behind,
    ...(problem !== null && { problem }),
  });
}

function behindText({ entry = null, leader_entry: last = null }: NodeStatus): string | null {
  if (entry === null) return "copying all data";
  return last === null ? null : plural(Math.max(0, last - entry), "entry", "entries");
}
