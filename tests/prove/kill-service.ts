// Proof: `kill -9` at any point of a turn loses nothing that was sent to a viewer, leaves nothing half done, repeats nothing, and every turn can be
// completed afterwards, with requests that both protocols accept.

import { readdirSync } from "node:fs";
import type { Client, StreamEvent } from "../kit/http/client.ts";
import { brokenInvariants } from "../kit/service/invariants.ts";
import {
  call,
  callsOfTurn,
  lastQuestion,
  say,
  type ModelRequest,
  type Reply,
  type ScriptedModel,
} from "../kit/model/index.ts";
import { type RunningService } from "../kit/service/running.ts";
import { compiledWorld, type Protocol, protocols } from "../kit/service/world.ts";
import { chooser, type Proof, type Share } from "./proof.ts";

/** The approximate number of events in a turn of this script. */
const EVENTS_OF_A_TURN = 60;

/** Creates two workers, wires them, delegates to both at once, removes one and answers. Each step follows from the calls so far. */
function boss(request: ModelRequest): Reply {
  const turn = lastQuestion(request)
    .match(/turn (\d+)/g)!
    .at(-1)!
    .slice(5);
  const done = callsOfTurn(request).map((one) => one.name);
  const [a, b] = [`a${turn}`, `b${turn}`];
  const create = (name: string) => call("agent_create", { name, role: `You are ${name}.`, model: "worker" });
  if (!done.includes("agent_create")) return [say("Let me get help.", { chunks: 3 }), create(a), create(b)];
  if (!done.includes("delegate")) {
    const delegations = [a, b, a].map((agent, index) =>
      call("delegate", { agent, task: `part ${index} of turn ${turn}` }),
    );
    return [call("wire_create", { from: a, to: b }), ...delegations];
  }
  if (!done.includes("agent_remove"))
    return [say("Nearly.", { chunks: 2 }), call("agent_remove", { name: b })];
  return say(`turn ${turn} is done`, { chunks: 5 });
}

function scripted(model: ScriptedModel): void {
  model.on("boss", boss);
  model.on("worker", (request) => say(`My answer to ${lastQuestion(request)}.`, { chunks: 6, everyMs: 1 }));
}

type Place = Awaited<ReturnType<typeof compiledWorld>>;

interface Attempt {
  /** Stored events that a viewer received. */
  told: StreamEvent[];
  killed: boolean;
}

/** Sends a request that streams the turn's events, and kills the service after `killAfter` of them, or immediately. */
async function runAndKill(
  { admin, program }: Place,
  path: string,
  body: unknown,
  killAfter: number,
): Promise<Attempt> {
  const told: StreamEvent[] = [];
  let killed = false;
  const kill = () => {
    killed = true;
    program.child.kill("SIGKILL");
  };
  const request = admin.events(path, { method: "POST", body });
  if (killAfter === 0) kill();
  try {
    await using reader = await request;
    for (let seen = 1; ; seen++) {
      const event = await reader.next();
      if (!event) break;
      if (event.id !== undefined) told.push(event);
      if (seen === killAfter) kill();
    }
  } catch {
    // The connection broke with the process.
  }
  if (killed) await program.child.exited;
  return { told, killed };
}

interface Turn {
  id: number;
  status: string;
  text: string;
}

async function turnWith(admin: Client, workspaceId: number, text: string): Promise<Turn | undefined> {
  return (await admin.get(`/workspaces/${workspaceId}/turns?limit=500`)).find((turn) => turn.text === text);
}

/** Waits for the end of a turn and returns its events. */
async function eventsOf(admin: Client, turnId: number): Promise<StreamEvent[]> {
  await using reader = await admin.events(`/turns/${turnId}/events`);
  return (await reader.all()).filter((event) => event.id !== undefined);
}

interface KilledTurns {
  kills: number;
  /** The number of turns by outcome. */
  readonly outcomes: { done: number; left: number; "never began": number };
  requests: number;
  /** One sentence per violation. */
  readonly broken: string[];
}

/** Runs turns and kills the service at random points, until something breaks or `goesOn` returns false. */
export async function killTurns(
  protocol: Protocol,
  seed: number,
  goesOn: (turns: number) => boolean,
): Promise<KilledTurns> {
  await using at = await compiledWorld({ protocol });
  const { admin, model, data, workspaceId } = at;
  await at.addModel("worker");
  scripted(model);
  const below = chooser(seed + protocol.length);
  const result: KilledTurns = {
    kills: 0,
    outcomes: { done: 0, left: 0, "never began": 0 },
    requests: 0,
    broken: [],
  };
  const restart = async () => {
    result.kills += 1;
    await at.restart(async () => result.broken.push(...(await brokenInvariants(data, "crashed"))));
  };
  /** Resumes the turn to its end, with kills in between. */
  const toItsEnd = async (begun: Turn): Promise<Turn> => {
    let turn = begun;
    for (let tries = 0; turn.status === "interrupted"; tries++) {
      await admin.post(`/turns/${turn.id}/resume`);
      if (tries < 2 && below(3) === 0) {
        await restart();
      } else await eventsOf(admin, turn.id);
      turn = (await turnWith(admin, workspaceId, turn.text))!;
    }
    return turn;
  };
  for (let number = 1; result.broken.length === 0 && goesOn(number - 1); number++) {
    const text = `turn ${number}`;
    const path = `${at.own}/chat`;
    const first = await runAndKill(at, path, { text }, below(EVENTS_OF_A_TURN));
    if (first.killed) await restart();
    const turn = await turnWith(admin, workspaceId, text);
    if (first.told.length > 0) {
      const stored = turn ? await eventsOf(admin, turn.id) : [];
      if (!Bun.deepEquals(stored.slice(0, first.told.length), first.told))
        result.broken.push(`${text}: a viewer was told of events that are not stored like that`);
    }
    if (!turn) result.outcomes["never began"] += 1;
    // Some stay interrupted, because the conversation must also continue from there.
    else if (turn.status === "interrupted" && below(5) === 0) result.outcomes.left += 1;
    else {
      const { status } = await toItsEnd(turn);
      if (status === "done") result.outcomes.done += 1;
      else result.broken.push(`${text} is ${status}`);
    }
  }
  result.broken.push(...(await brokenAtTheEnd(at.program, data)));
  // The model checked each request against the rules of its protocol.
  result.broken.push(...model.problems.map((problem) => `the provider was sent: ${String(problem)}`));
  result.requests = model.requests.length;
  return result;
}

async function brokenAtTheEnd(service: RunningService, data: string): Promise<string[]> {
  const broken: string[] = [];
  const audit = await service.admin.get("/audit/verify");
  if (!audit.ok) broken.push(`audit verify: ${JSON.stringify(audit)}`);
  const ended = await service.end("SIGTERM");
  if (ended.exitCode !== 0) broken.push(`stopped with ${JSON.stringify(ended)}`);
  const left = readdirSync(data).filter((name) => !["service.db", "secrets.key"].includes(name));
  if (left.length > 0) broken.push(`the data directory has ${left.join(", ")} left over`);
  return [...broken, ...(await brokenInvariants(data, "at rest"))];
}

export async function killService({ until, seed }: Share): Promise<Proof> {
  const started = performance.now();
  const broken: string[] = [];
  let [kills, turns] = [0, 0];
  for (const [index, protocol] of protocols.entries()) {
    const end = started + ((until - started) * (index + 1)) / protocols.length;
    const result = await killTurns(protocol, seed, () => performance.now() < end);
    kills += result.kills;
    turns += Object.values(result.outcomes).reduce((sum, count) => sum + count, 0);
    broken.push(...result.broken.map((problem) => `${protocol}: ${problem}`));
  }
  return { tried: `${kills} kills in ${turns} turns`, broken };
}
