// The view of a browser on a workspace: snapshots as the interface reads them, and the events as they were sent. Recorded from a real
// service, so that tests of what is made of them need not invent either.

import type { WorkspaceEvent } from "../../../src/service/events.ts";
import type { Snapshot } from "../../../web/state/workspace-state.ts";
import type { Client, StreamEvent } from "../http/client.ts";
import { call, httpError, say, think } from "../model/index.ts";
import { type World, world } from "./world.ts";

export interface Recording {
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** Stored ones and streamed text, as a viewer got them who was there from the beginning. */
  readonly events: readonly WorkspaceEvent[];
  /** The stored ones alone, as a viewer gets them who comes later. */
  readonly stored: readonly WorkspaceEvent[];
}

async function readSnapshot(client: Client, workspaceId: number): Promise<Snapshot> {
  const own = `/workspaces/${workspaceId}` as const;
  const blueprint = await client.get(`${own}/blueprint`);
  const [workspace, turns, entries, usage, approvals, decisions] = await Promise.all([
    client.get(own),
    client.get(`${own}/turns`),
    client.get(`${own}/entries?limit=500`),
    client.get(`${own}/usage`),
    client.get("/approvals"),
    client.get(`${own}/decisions`),
  ]);
  const whole = { hasEarlier: false, hasEarlierDecisions: false };
  return { workspace, blueprint, turns, entries, usage, approvals, decisions, ...whole };
}

function toEvent({ id, type, data }: StreamEvent): WorkspaceEvent {
  return {
    id: id ?? null,
    type,
    turn_id: data.turn_id,
    time: data.time ?? "",
    data: data.data,
  } as WorkspaceEvent;
}

/**
 * Three turns: one that asks two workers at once, of whom one uses a tool; one that the provider fails; one in which a worker is made and
 * removed, and an entry is forgotten and restored meanwhile.
 */
export async function recordedTurns(): Promise<Recording> {
  await using lab = await world({ model: true });
  const { admin, workspaceId } = lab;
  await lab.addWorker("scribe");
  await lab.addWorker("scout");
  const before = await readSnapshot(admin, workspaceId);
  const from = before.blueprint.event_id ?? 0;
  await using reader = await admin.events(`/workspaces/${workspaceId}/events?after=${from}`);
  await talk(lab);
  const bound = await admin.post(`${lab.own}/context`, { path: "team/gone.md" });
  await admin.post(`${lab.own}/context`, { path: "team/style.md" });
  await admin.delete(`/context-bindings/${bound.id}`);
  const after = await readSnapshot(admin, workspaceId);
  const last = after.blueprint.event_id!;
  while (reader.seen.findLast(({ id }) => id !== undefined)?.id !== last) await reader.next();
  const events = reader.seen.map(toEvent);
  return { before, after, events, stored: events.filter(({ id }) => id !== null) };
}

async function talk(lab: World): Promise<void> {
  const { admin, model } = lab;
  model
    .script("boss", [
      [
        think("Both are needed."),
        say("I ask both."),
        call("delegate", { agent: "scout", task: "Look around." }),
        call("delegate", { agent: "scribe", task: "Write it down." }),
        call("file_list", {}),
      ],
      [say("One more thing."), call("file_list", {})],
      say("Here it is."),
      httpError(400, "the prompt is not to my taste"),
    ])
    .script("scout", [say("Nothing to see.")])
    .script("scribe", [
      [say("I write."), call("file_write", { path: "a.md", content: "a" })],
      say("Written."),
    ]);
  const first = await lab.begin("Do it.");
  await lab.end(first);
  const failed = await lab.begin("Again.");
  await lab.end(failed);
  const [entry] = await admin.get(`${lab.own}/entries`);
  await admin.delete(`/entries/${entry!.id}`);
  model.script("boss", [
    [call("agent_create", { name: "helper", role: "You help.", model: "boss" })],
    [call("agent_remove", { agent: "helper" })],
    say("Made and removed."),
  ]);
  await lab.end(await lab.begin("Make one."));
  await admin.post(`/entries/${entry!.id}/restore`);
}
