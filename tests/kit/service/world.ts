// The world of a test: the real service on a port of its own, and around it what the test says. Clients speak real HTTP; the model is scripted, and
// reached over HTTP too. `await using` ends it all.

import type { GearDetail } from "../../../src/service/gears/schema.ts";
import type { Workspace } from "../../../src/service/workspaces/schema.ts";
import { startService, type Service, type StartOptions } from "../../../src/service/main.ts";
import { createClient, type Client } from "../http/client.ts";
import { temporaryFolder } from "../folder.ts";
import { keptPort } from "../kept-port.ts";
import { approvedGear } from "./gears.ts";
import { ScriptedModel, startModel, type ScriptItem } from "../model/index.ts";
import { Place } from "./place.ts";
import { runService, type RunningService, type RunOptions } from "./running.ts";
import type { LogLine } from "../log-reader.ts";

/*
How to use it:

  await using at = await world({ people: { ann: "member" } });    only the service: at.admin, at.people.ann
  await using at = await world({ model: "silent" });              and a model in the catalogue that nobody asks; no workspace
  await using at = await world({ workers: ["scout"] });           and a workspace whose orchestrator may delegate to scout:

  at.model.script("boss", [call("delegate", { agent: "scout", task: "Look." }), say("Done.")]).script("scout", [say("Seen.")]);
  expect(await at.chat("Go.")).toMatchObject({ turn: { status: "done" } });
  await refusal(at.people.ann.get(at.own), "not_found");

`compiledWorld` runs dist/service instead of `main()`; `screen` (screen.ts) adds a browser; `shared` (group-resource.ts) makes one for all tests
of a group. `contextServer` (context-server.ts) is the same for the context server, `runContext` (running-context.ts) for the compiled one.
*/

export type Protocol = "anthropic" | "openai-compatible";
export const protocols: readonly Protocol[] = ["anthropic", "openai-compatible"];

/** Of the provider; canaries look for it. */
export const KEY = "canary-key-8fJ2kLq9";
/** No pause before the next attempt; patience for a machine that is busy. */
export const QUICK = { firstByteMs: 20_000, silenceMs: 20_000, retryWaitsMs: [1, 1] };
/** For a provider that says nothing on purpose. Its next answer has to come within this as well. */
export const IMPATIENT = { ...QUICK, firstByteMs: 2_000, silenceMs: 2_000 };
/** Nothing listens there. */
const NOWHERE = "http://127.0.0.1:9";

type Person = Client & { readonly id: number; readonly name: string; readonly token: string };
type Role = "admin" | "team-lead" | "member";

export interface Furniture<Name extends string = never> {
  /**
   * `true`, or what it says by the names of models, or one that runs already: with a provider, the model `boss` and a workspace. `silent`: a
   * provider where nothing listens, and no workspace.
   */
  readonly model?: true | "silent" | Readonly<Record<string, readonly ScriptItem[]>> | ScriptedModel;
  /** Of the provider; implies a model. */
  readonly protocol?: Protocol;
  /** Wired from the orchestrator; each has a model of its name, or the one that is said. Imply a model. */
  readonly workers?: readonly string[] | Readonly<Record<string, string>>;
  /** Created, approved and, where there is a workspace, granted to all its agents. */
  readonly gears?: readonly Record<string, unknown>[];
  readonly people?: Readonly<Record<Name, Role>>;
  /** The resources that the program needs: they end after it. */
  readonly under?: readonly AsyncDisposable[];
}

export interface ServiceOptions extends Partial<
  Pick<StartOptions, "clock" | "timers" | "times" | "sandbox" | "network">
> {
  /** A folder to start on; given: it is not removed. */
  readonly data?: string;
  readonly flags?: StartOptions["flags"];
  readonly environment?: Record<string, string>;
}

/** The running program: `main()` in this process, or the compiled program. */
interface Program extends AsyncDisposable {
  readonly url: string;
  readonly data: string;
  /** The token that the first start announced. */
  readonly token: string;
}

/** `host`: where it was before. */
type Start<P> = (data: string, host?: string) => Promise<P>;

interface LocalService extends Program {
  readonly service: Service;
  readonly log: string[];
}

export class World<Name extends string = string, P extends Program = LocalService>
  extends Place
  implements AsyncDisposable
{
  readonly people = {} as Record<Name, Person>;
  readonly gears: Record<string, GearDetail> = {};
  /** Acts with the loopback privilege; also after a restart, as all clients of this world do. */
  readonly admin: Client;
  /** Of the model of the orchestrator. */
  bossId = 0;
  providerId = 0;
  #program: P;
  #model: ScriptedModel | undefined;
  readonly #models = new Map<string, number>();
  readonly #start: Start<P>;
  readonly #stack: AsyncDisposableStack;

  private constructor(program: P, start: Start<P>, stack: AsyncDisposableStack) {
    super();
    this.#program = program;
    this.#start = start;
    this.#stack = stack;
    this.admin = createClient(() => this.url);
    stack.defer(() => this.#program[Symbol.asyncDispose]());
  }

  static async make<Name extends string, P extends Program>(
    options: Furniture<Name> & { readonly data?: string },
    start: Start<P>,
  ): Promise<World<Name, P>> {
    const stack = new AsyncDisposableStack();
    for (const thing of options.under ?? []) stack.use(thing);
    try {
      const data = options.data ?? `${stack.use(await temporaryFolder()).path}/data`;
      const made = new World<Name, P>(await start(data), start, stack);
      await made.#furnish(options);
      return made;
    } catch (error) {
      await stack.disposeAsync();
      throw error;
    }
  }

  get program(): P {
    return this.#program;
  }
  get url(): string {
    return this.#program.url;
  }
  get data(): string {
    return this.#program.data;
  }
  get model(): ScriptedModel {
    if (!this.#model) throw new Error("this world has no model");
    return this.#model;
  }

  /** Acts with a token. */
  as(token: string): Client {
    return createClient(() => this.url, token);
  }

  async user(name: string, role: Role = "member"): Promise<Person> {
    const { user, token } = await this.admin.post("/users", { name, role });
    return Object.assign(this.as(token), { id: user.id, name, token });
  }

  async team(name: string, ...members: readonly { readonly id: number }[]): Promise<number> {
    const { id } = await this.admin.post("/teams", { name });
    for (const member of members) await this.admin.put(`/teams/${id}/members/${member.id}`);
    return id;
  }

  /** A catalogue entry; scripts are keyed by its name. */
  async addModel(name: string, fields: Record<string, unknown> = {}): Promise<number> {
    const body = { provider_id: this.providerId, model_name: name, ...fields };
    const { id } = await this.admin.post("/models", body);
    this.#models.set(name, id);
    return id;
  }

  async modelId(name: string): Promise<number> {
    return this.#models.get(name) ?? (this.#model ? this.addModel(name) : this.bossId);
  }

  /** A workspace with the model of the first one; the admin's unless someone else is named. */
  workspace(name: string, owner: Client = this.admin): Promise<Workspace> {
    return owner.post("/workspaces", { name, orchestrator_model_id: this.bossId });
  }

  /** The workspace with this id; its orchestrator is not asked for. */
  in(workspaceId: number): Place {
    const place = new OtherPlace(this);
    place.workspaceId = workspaceId;
    return place;
  }

  /** As `workspace`, with workers, to chat in. */
  async place(
    name: string,
    { workers = [], owner = this.admin }: Pick<Furniture, "workers"> & { owner?: Client } = {},
  ): Promise<Place> {
    const place = await new OtherPlace(this).enter((await this.workspace(name, owner)).id);
    await addWorkers(place, workers);
    return place;
  }

  /** Ends with the world, before what the world began with. */
  use<T extends AsyncDisposable>(thing: T): T {
    return this.#stack.use(thing);
  }

  /** Stops the program, or kills it where it is the compiled one; does something to its files, and starts it again on them. */
  async restart(between: (data: string) => unknown = () => {}): Promise<this> {
    const { url, data } = this.#program;
    await this.#program[Symbol.asyncDispose]();
    await between(data);
    this.#program = await this.#start(data, new URL(url).host);
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  async #furnish({ model, protocol, workers, gears = [], people }: Furniture<Name>): Promise<void> {
    for (const [name, role] of Object.entries<Role>(people ?? {}))
      this.people[name as Name] = await this.user(name, role);
    if (model !== undefined || protocol !== undefined || workers !== undefined) {
      await this.#provide(model, protocol ?? "anthropic");
      if (model !== "silent") {
        await this.enter((await this.workspace("lab")).id);
        await addWorkers(this, workers ?? []);
      }
    }
    for (const fields of gears) {
      const gear = await approvedGear(this.admin, fields);
      this.gears[gear.name] = gear;
      if (this.workspaceId > 0) await this.admin.post(`${this.own}/gears`, { gear_id: gear.id });
    }
  }

  async #provide(model: Furniture["model"], type: Protocol): Promise<void> {
    if (model instanceof ScriptedModel) this.#model = model;
    else if (model !== "silent") this.#model = this.#stack.use(await startModel({ key: KEY }));
    if (typeof model === "object" && !(model instanceof ScriptedModel))
      for (const [name, replies] of Object.entries(model)) this.model.script(name, replies);
    const silent = { name: "nobody", type, base_url: NOWHERE };
    const base_url = type === "anthropic" ? this.#model?.anthropicUrl : this.#model?.openaiUrl;
    const provider = this.#model ? { name: "scripted", type, base_url, api_key: KEY } : silent;
    this.providerId = (await this.admin.post("/providers", provider)).id;
    this.bossId = await this.addModel(model === "silent" ? "silent" : "boss");
  }
}

type Host = Pick<Place, "admin" | "model" | "modelId">;

class OtherPlace extends Place {
  readonly admin: Client;
  readonly #first: Host;
  constructor(first: Host) {
    super();
    this.#first = first;
    this.admin = first.admin;
  }
  get model(): ScriptedModel {
    return this.#first.model;
  }
  modelId(name: string): Promise<number> {
    return this.#first.modelId(name);
  }
}

async function addWorkers(place: Place, workers: NonNullable<Furniture["workers"]>): Promise<void> {
  const named = Array.isArray(workers)
    ? workers.map((name: string) => [name, name] as const)
    : Object.entries(workers);
  for (const [name, model] of named) await place.addWorker(name, model);
}

export function world<const Name extends string = never>(
  options: Furniture<Name> & ServiceOptions = {},
): Promise<World<Name>> {
  const { flags, environment, clock, timers, times, sandbox, network } = options;
  return World.make(options, async (data): Promise<LocalService> => {
    const log: string[] = [];
    const service = await startService({
      flags: { data, listen: "127.0.0.1:0", logLevel: "debug", ...flags },
      environment: { HOME: data, PATH: "/nonexistent", ...environment },
      log: { format: "json", write: (line) => void log.push(line) },
      ...(clock && { clock }),
      ...(timers && { timers }),
      ...(times && { times }),
      ...(sandbox && { sandbox }),
      ...(network && { network }),
    });
    const announced = log.map((line) => JSON.parse(line) as LogLine);
    const token = String(announced.find((line) => line.token !== undefined)?.token ?? "");
    const stop = () => service.stop("the test is over");
    return { service, url: service.url, data, log, token, [Symbol.asyncDispose]: stop };
  });
}

/** The compiled service. A restart kills it and gives it the same address again. */
export function compiledWorld<const Name extends string = never>(
  options: Furniture<Name> & RunOptions = {},
): Promise<World<Name, RunningService>> {
  return World.make(options, async (data, host) => {
    const listen = host ?? options.listen ?? `127.0.0.1:${await keptPort()}`;
    return runService({ ...options, data, listen });
  });
}
