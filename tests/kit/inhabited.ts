// A workplace with at least one of everything that has an id, made by a turn: for tests over all routes.

import { call, say } from "./model/index.ts";
import { workplace, type Workplace } from "./workplace.ts";

export interface Inhabited extends Workplace {
  /** By the first word of a route's path: `workspaces`, `agents`, … */
  readonly ids: Readonly<Record<string, number>>;
}

export async function inhabited(): Promise<Inhabited> {
  const lab = await workplace();
  const { admin, workspaceId } = lab;
  const agent = await lab.addWorker("helper");
  lab.model
    .script("boss", [
      [
        call("instruction_save", { name: "manners", text: "Say please." }),
        call("delegate", { agent: "helper", task: "Look." }),
      ],
      say("Done."),
    ])
    .script("helper", [say("Looked.")]);
  const { turn } = await lab.chat("Go.");
  const user = await lab.at.user("inhabitant");
  const team = await admin.post<{ id: number }>("/teams", { name: "inhabitants" });
  const instruction = await admin.post<{ id: number }>("/instructions", { name: "style", text: "Be brief." });
  const bindings = `/workspaces/${workspaceId}/instructions`;
  const bound = await admin.post<{ id: number }>(bindings, { instruction_id: instruction.id });
  const first = async (path: string) => (await admin.get<{ id: number }[]>(path))[0]!.id;
  return {
    ...lab,
    ids: {
      workspaces: workspaceId,
      agents: agent,
      wires: await first(`/workspaces/${workspaceId}/wires`),
      turns: turn.id,
      entries: await first(`/workspaces/${workspaceId}/entries`),
      calls: await first(`/turns/${turn.id}/calls`),
      users: user.id,
      teams: team.id,
      providers: await first("/providers"),
      models: await lab.addModel("spare"),
      instructions: instruction.id,
      "instruction-bindings": bound.id,
      "instruction-proposals": await first("/instruction-proposals"),
    },
  };
}

/** Everything that requests could have changed, to be compared before and after. */
export async function everything(lab: Inhabited): Promise<unknown> {
  const { admin, workspaceId } = lab;
  const own = ["", "/blueprint", "/entries", "/turns", "/usage", "/instructions", "/files"].map(
    (rest) => `/workspaces/${workspaceId}${rest}`,
  );
  const paths = [
    "/users",
    "/teams",
    "/providers",
    "/models",
    "/workspaces",
    "/audit?limit=500",
    "/instructions",
    "/instruction-proposals",
    ...own,
  ];
  return Promise.all(paths.map(async (path) => [path, await admin.get(path)]));
}
