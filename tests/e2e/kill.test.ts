// Goal: `kill -9` at any point of a turn loses nothing that was told, leaves nothing half done, does nothing twice, and every turn can be
// brought to its end afterwards, with requests that both protocols accept.

import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import type { Client, StreamEvent } from "../kit/client.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { furnish } from "../kit/furnish.ts";
import { brokenInvariants } from "../kit/invariants.ts";
import {
  call,
  callsOfTurn,
  lastQuestion,
  say,
  startModel,
  type ModelRequest,
  type Reply,
  type ScriptedModel,
} from "../kit/model/index.ts";
import { runService, type RunningService } from "../kit/running.ts";
import { protocols } from "../kit/workplace.ts";

const TURNS = 100;
/** A turn of this script has about as many events. */
const EVENTS_OF_A_TURN = 60;
const TEST_LIMIT_MS = 180_000;
const SEED = 20_261_121;

/** Numerical Recipes' linear congruential generator: the same points on every machine. */
function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Creates two workers, wires them, delegates to both at once, removes one, answers. What comes next follows from what was done. */
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

interface Attempt {
  /** Stored events that a viewer was told of. */
  told: StreamEvent[];
  killed: boolean;
}

/** Sends a request whose answer is the turn's events, and kills the service after so many of them, or at once. */
async function runAndKill(
  service: RunningService,
  path: string,
  body: unknown,
  killAfter: number,
): Promise<Attempt> {
  const told: StreamEvent[] = [];
  let killed = false;
  const kill = () => {
    killed = true;
    service.child.kill("SIGKILL");
  };
  const request = service.admin.events(path, { method: "POST", body });
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
  if (killed) await service.child.exited;
  return { told, killed };
}

interface TurnView {
  id: number;
  status: string;
  text: string;
}

async function turnWith(admin: Client, workspaceId: number, text: string): Promise<TurnView | undefined> {
  return (await admin.get<TurnView[]>(`/workspaces/${workspaceId}/turns?limit=500`)).find(
    (turn) => turn.text === text,
  );
}

/** Waits for the end of a turn and returns its events. */
async function eventsOf(admin: Client, turnId: number): Promise<StreamEvent[]> {
  await using reader = await admin.events(`/turns/${turnId}/events`);
  return (await reader.all()).filter((event) => event.id !== undefined);
}

for (const protocol of protocols) {
  test(
    `killed at random points of ${TURNS / 2} turns (${protocol})`,
    async () => {
      await using folder = await temporaryFolder();
      await using model = await startModel();
      scripted(model);
      const below = random(SEED + protocol.length);
      const data = `${folder.path}/data`;
      let service = await runService({ data });
      let kills = 0;
      const outcomes: string[] = [];
      try {
        const { workspaceId } = await furnish(service.admin, model, protocol);
        const restart = async () => {
          expect(await brokenInvariants(data, "crashed")).toEqual([]);
          service = await runService({ data });
        };
        for (let number = 1; number <= TURNS / 2; number++) {
          const text = `turn ${number}`;
          const first = await runAndKill(
            service,
            `/workspaces/${workspaceId}/chat`,
            { text },
            below(EVENTS_OF_A_TURN),
          );
          if (first.killed) kills += 1;
          if (first.killed) await restart();
          let turn = await turnWith(service.admin, workspaceId, text);
          // What a viewer was told is stored, word for word.
          if (first.told.length > 0) {
            const stored = await eventsOf(service.admin, turn!.id);
            expect(stored.slice(0, first.told.length)).toEqual(first.told);
          }
          if (!turn) {
            outcomes.push("never began");
            continue;
          }
          expect(["done", "interrupted"]).toContain(turn.status);
          // Some are left as they are: the conversation has to go on from there as well.
          if (turn.status === "interrupted" && below(5) === 0) {
            outcomes.push("left");
            continue;
          }
          for (let tries = 0; turn.status === "interrupted"; tries++) {
            await service.admin.post(`/turns/${turn.id}/resume`);
            const again = tries < 2 && below(3) === 0;
            if (again) {
              service.child.kill("SIGKILL");
              await service.child.exited;
              kills += 1;
              await restart();
            } else await eventsOf(service.admin, turn.id);
            turn = (await turnWith(service.admin, workspaceId, text))!;
          }
          expect([text, turn.status]).toEqual([text, "done"]);
          outcomes.push("done");
        }
        expect(await service.admin.get("/audit/verify")).toMatchObject({ ok: true });
        expect(await service.end("SIGTERM")).toEqual({ exitCode: 0, signal: null });
        expect(await brokenInvariants(data, "at rest")).toEqual([]);
        expect(readdirSync(data)).toEqual(["service.db"]);
        // Each request was judged by the rules of its protocol.
        expect(model.problems).toEqual([]);
        const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
        console.log(
          `${protocol}: ${kills} kills; ${count("done")} done, ${count("left")} left, ${count("never began")} never began; ${model.requests.length} requests`,
        );
        expect(kills).toBeGreaterThan(TURNS / 4);
        expect(count("done")).toBeGreaterThan(TURNS / 4);
      } finally {
        await service[Symbol.asyncDispose]();
      }
    },
    TEST_LIMIT_MS,
  );
}
