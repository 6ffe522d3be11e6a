// Proof: `kill -9` of the node that leads, or a pause that is longer than its lease, loses no acknowledged write and no acknowledged user, whichever
// node leads next, and leaves an audit record that agrees with itself.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { contextClient, type ContextClient } from "../kit/context/context-server.ts";
import { nodeProcesses, type NodeProcess } from "../kit/context/node-processes.ts";
import { until } from "../kit/eventually.ts";
import { chooser, type Proof, type Share } from "./proof.ts";

const WRITERS = 6;
const FILES = 5;
const LIFE_MS = { min: 500, max: 2_500 };
/** A writer that finds no leader tries the other node after this long. */
const PAUSE_MS = 20;
const LOST_SHOWN_MAX = 5;
/** A node that led reads all of the log before its files count as exact, and the log grows during the proof. */
const JOIN_MS_MAX = 120_000;
/** A node under SIGSTOP is one of a machine that stands still. */
const STOPS = process.platform !== "win32";

interface KilledNodes {
  kills: number;
  acknowledged: number;
  /** One sentence per violation. */
  readonly broken: string[];
}

interface Acknowledged {
  readonly texts: { readonly path: string; readonly version: number; readonly text: string }[];
  readonly users: string[];
}

export async function proveNodes({ until: end, seed }: Share): Promise<Proof> {
  const { kills, acknowledged, broken } = await killNodes(seed, () => performance.now() < end);
  return { tried: `${kills} kills and pauses, ${acknowledged} acknowledged writes`, broken };
}

/** Writes through whichever node leads, and kills or pauses that node, until `goesOn` returns false. */
export async function killNodes(seed: number, goesOn: (kills: number) => boolean): Promise<KilledNodes> {
  await using all = await nodeProcesses(["a", "b"]);
  const { nodes, token } = all;
  const below = chooser(seed);
  const told: Acknowledged = { texts: [], users: [] };
  const stop = new AbortController();
  const writers = Array.from({ length: WRITERS }, (_, index) =>
    writeUntil(stop.signal, nodes, token, index, told),
  );
  let kills = 0;
  do {
    const leader = await leading(nodes);
    const other = nodes.find((node) => node !== leader)!;
    await joined(other);
    await Bun.sleep(LIFE_MS.min + below(LIFE_MS.max - LIFE_MS.min));
    if (STOPS && below(3) === 0) {
      leader.signal("SIGSTOP");
      await until(() => other.leads());
      leader.signal("SIGCONT");
    } else {
      await leader.kill();
      await leading(nodes);
      await leader.start();
    }
    kills += 1;
  } while (goesOn(kills));
  stop.abort();
  await Promise.all(writers);
  const last = contextClient((await leading(nodes)).url, token);
  return { kills, acknowledged: told.texts.length + told.users.length, broken: await brokenIn(last, told) };
}

async function writeUntil(
  signal: AbortSignal,
  nodes: readonly NodeProcess[],
  token: string,
  writer: number,
  told: Acknowledged,
): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1)
    for (const { url } of nodes) {
      const client = contextClient(url, token);
      try {
        if (turn % FILES === 0) {
          const name = `u${writer}-${turn}`;
          await client.post("/users", { name, role: "viewer" });
          told.users.push(name);
        } else {
          const path = `w${writer}/${turn % FILES}.md`;
          const text = `${writer} ${turn} ${"x".repeat((turn * 37) % 3_000)}\n`;
          const { version } = await client.write(path, text);
          told.texts.push({ path, version, text });
        }
        break;
      } catch {
        // It is on standby, or was killed during the request.
        await Bun.sleep(PAUSE_MS);
      }
    }
}

function leading(nodes: readonly NodeProcess[]): Promise<NodeProcess> {
  return until(async () => {
    for (const node of nodes) if (await node.leads()) return node;
    return undefined;
  });
}

async function joined(node: NodeProcess): Promise<void> {
  for (const limit = performance.now() + JOIN_MS_MAX; !isExact(node); await Bun.sleep(PAUSE_MS))
    if (performance.now() > limit) throw new Error(`node ${node.name} does not join`);
}

/** It has followed the log as far as it knows, so that it may take over. */
function isExact({ directory }: NodeProcess): boolean {
  try {
    const state = readFileSync(join(directory, "replication.json"), "utf8");
    return (JSON.parse(state) as { files: string }).files === "exact";
  } catch {
    return false;
  }
}

async function brokenIn(admin: ContextClient, { texts, users }: Acknowledged): Promise<string[]> {
  const lost: string[] = [];
  for (const { path, version, text } of texts) {
    const found = await admin.read(path, `?version=${version}`).catch(() => undefined);
    if (found !== text) lost.push(`${path} v${version} was acknowledged and is lost`);
    if (lost.length === LOST_SHOWN_MAX) break;
  }
  const known = new Set((await admin.get("/users")).map(({ name }) => name));
  lost.push(
    ...users.filter((name) => !known.has(name)).map((name) => `${name} was acknowledged and is lost`),
  );
  const verified = await admin.get("/audit/verify");
  if (!verified.ok) lost.push(`audit verify: ${verified.problem}`);
  return lost;
}
