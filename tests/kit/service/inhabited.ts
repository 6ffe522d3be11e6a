// A workplace with at least one of everything that has an id, made by a turn: for tests over all routes.

import { describedRoutes, type DescribedRoute } from "../http/described-routes.ts";
import { approvedGear, isolatedSandbox } from "./gears.ts";
import { call, say } from "../model/index.ts";
import { searchable, searchLab, type SearchLab } from "./searching.ts";
import { type World, world } from "./world.ts";

export type Inhabited = World & {
  /** By the first word of a route's path: `workspaces`, `agents`, … */
  readonly ids: Readonly<Record<string, number>>;
};

const GEAR = { name: "echo_args" };

export async function inhabited(): Promise<Inhabited> {
  const options = { sandbox: isolatedSandbox() };
  if (!searchable) return furnished(await world({ model: true, ...options }));
  const lab = await searchLab(options);
  return furnished(lab, lab);
}

async function furnished(lab: World, search?: SearchLab): Promise<Inhabited> {
  const { admin, workspaceId, own } = lab;
  const agent = await lab.addWorker("helper");
  const user = await lab.user("inhabitant");
  const team = await admin.post("/teams", { name: "inhabitants" });
  const instruction = await admin.post("/instructions", { name: "style", text: "Be brief." });
  const bound = await admin.post(`${own}/instructions`, { instruction_id: instruction.id });
  await admin.raw("PUT", `${own}/file?path=notes.md`, { body: "a note" });
  const gear = await approvedGear(admin, GEAR);
  const granted = await admin.post(`${own}/gears`, { gear_id: gear.id });
  await admin.post(`/gears/${gear.id}/run`, { args: { a: 1 }, workspace_id: workspaceId });
  const document = await admin.post(`${own}/context`, { path: "team/style.md" });
  const turnId = await talk(lab, search);
  const first = async (path: string) => (await admin.get<{ id: number }[]>(path))[0]!.id;
  return Object.assign(lab, {
    ids: {
      workspaces: workspaceId,
      agents: agent,
      // There is none, because no directory is set. Rights are asked before it is looked for.
      backups: 1,
      wires: await first(`${own}/wires`),
      turns: turnId,
      entries: await first(`${own}/entries`),
      calls: await first(`/turns/${turnId}/calls`),
      users: user.id,
      teams: team.id,
      providers: await first("/providers"),
      models: await lab.addModel("spare"),
      instructions: instruction.id,
      "instruction-bindings": bound.id,
      "context-bindings": document.id,
      "instruction-proposals": await first("/instruction-proposals"),
      gears: gear.id,
      "gear-runs": await first(`/gears/${gear.id}/runs`),
      "gear-bindings": granted.id,
      ...(search && { egress: await first("/egress/log"), "egress-grants": await first(`${own}/egress`) }),
    },
  });
}

/** A turn that delegates, calls a gear, proposes an instruction and, where it can, searches. */
async function talk(lab: World, search: SearchLab | undefined): Promise<number> {
  const asks = [
    call("instruction_save", { name: "manners", text: "Say please." }),
    call("delegate", { agent: "helper", task: "Look." }),
    call(GEAR.name, { b: 2 }),
  ];
  const searches = search ? [call("web_search", { query: "a question" })] : [];
  lab.model.script("boss", [asks, ...searches, say("Done.")]).script("helper", [say("Looked.")]);
  await search?.grant();
  const turn = await lab.begin("Go.");
  if (search) await search.decide((await search.pending())[0]!, "approve");
  const over = await lab.end(turn);
  if (over.status !== "done") throw new Error(`the turn that furnishes is ${over.status}: ${over.error}`);
  return turn.id;
}

/** All routes. Where the search's stand-ins can't run, nothing has the ids that these need. */
export async function routesOf(lab: Inhabited): Promise<DescribedRoute[]> {
  const withoutThing = (path: string) => !searchable && /^\/egress(-grants)?\/.*\{id\}/.test(path);
  return (await describedRoutes(lab.admin)).filter(({ path }) => !withoutThing(path));
}

/** Everything that requests could have changed, to be compared before and after. */
export async function everything(lab: Inhabited): Promise<unknown> {
  const { admin, workspaceId, ids } = lab;
  const own = [
    "",
    "/blueprint",
    "/entries",
    "/turns",
    "/usage",
    "/instructions",
    "/files",
    "/file?path=notes.md",
    "/gears",
    "/egress",
  ].map((rest) => `/workspaces/${workspaceId}${rest}`);
  const paths = [
    "/users",
    "/teams",
    "/providers",
    "/models",
    "/workspaces",
    "/instructions",
    `/instructions/${ids["instructions"]}/versions`,
    "/instruction-proposals",
    "/gears",
    `/gears/${ids["gears"]}`,
    `/gears/${ids["gears"]}/versions`,
    `/gears/${ids["gears"]}/runs`,
    "/approvals",
    "/egress/status",
    "/egress/log",
    ...own,
  ];
  const records = await admin.get("/audit?limit=500");
  const answers = await Promise.all(paths.map(async (path) => [path, await admin.get(path)]));
  // That someone was refused is on record, and changes nothing.
  return [...answers, records.filter(({ action }) => action !== "request.refused")];
}
