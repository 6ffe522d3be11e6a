// Three people with copies of one space, and everything that can go wrong: edits of the same files, deletes, renames, rules that change, cycles that
// end anywhere, a network that is cut, a server that is restored from a backup. Every line that a person saved must be in the end where everyone sees
// it, unless a person who saw it changed or deleted it.

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Transport } from "../../src/context/client/client.ts";
import { runCycle } from "../../src/context/replica/cycle.ts";
import { LocalCopy } from "../../src/context/replica/local-copy.ts";
import { ServerSpace } from "../../src/context/replica/server-space.ts";
import { openReplicaState, type ReplicaState } from "../../src/context/replica/state.ts";
import type { SpaceEngine } from "../../src/context/versioned-store/engine.ts";
import { Client, networkTransport } from "../../src/context/client/client.ts";
import { AppError } from "../../src/kit/error.ts";
import { contextServer, SPACE, type ContextServer } from "../kit/context/context-server.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { manualClock } from "../kit/manual-clock.ts";
import { replica, type Replica } from "../kit/context/replica.ts";
import { backUpSpace } from "../kit/context/space-backup.ts";
import { chooser } from "./proof.ts";

const PEOPLE = ["ann", "bob", "eve"] as const;
const LINES_OF_A_FILE = 6;
/** Awkward names, a file that may become a directory, names that differ in letter case, and a directory whose rule changes. */
const PATHS = [
  "a.md",
  "b.md",
  "x",
  "x/y.md",
  "Read me.md",
  "READ ME.md",
  "r/one.md",
  "r/two.md",
  "we#ird %41&é.md",
  "שלום עולם.md",
  "deep/er/than/that/file.md",
];
/** Calls of a cycle's surroundings after which it ends, as if the process were killed. */
const CRASH_WITHIN = 12;
const SETTLE_ROUNDS_MAX = 12;
/** The first guess how long the program needs for a sync, in ms; then its last sync counts. */
const PROGRAM_MS = 100;
/** Cycles within one second, so that the names of their conflict files meet. */
const CYCLES_PER_SECOND = 20;
const MS_PER_SECOND = 1000;

class Killed extends Error {}

interface Person {
  readonly name: string;
  readonly token: string;
  readonly copy: Replica;
  /** Edited since the last cycle that recorded edits. */
  readonly dirty: Set<string>;
  /**
   * The renames that the last cycle asked them for: a file whose name clashes with one that they could not see, since the program was killed before it
   * wrote that to their disk.
   */
  readonly told: Set<string>;
}

/** The tokens that someone saved, and whether a person who saw them took them away. */
type Ledger = Map<string, "wanted" | "superseded">;

interface WorldOptions {
  readonly seed: number;
  /** Each is one deed of one person, or of the world. */
  readonly deeds: number;
  /** The compiled program: now and then a person starts it to sync, and it is killed. How far it comes is chance, whatever the seed. */
  readonly program?: string;
}

/** Returns what broke, a sentence each; empty: nothing. */
export async function runWorld({ seed, deeds, program }: WorldOptions): Promise<string[]> {
  await using folder = await temporaryFolder();
  await using server = await contextServer({ samePort: true });
  const world = new World({ seed, folder: folder.path, server, program });
  await world.begin();
  for (let deed = 0; deed < deeds; deed += 1) await world.deed();
  return await world.end();
}

interface WorldDeps {
  readonly seed: number;
  readonly folder: string;
  readonly server: ContextServer;
  readonly program: string | undefined;
}

class World {
  readonly #choose: (below: number) => number;
  readonly #folder: string;
  readonly #server: ContextServer;
  readonly #program: string | undefined;
  readonly #people: Person[] = [];
  readonly #ledger: Ledger = new Map();
  readonly #story: string[] = [];
  #tokens = 0;
  /** Kills are spread over this time. */
  #programMs = PROGRAM_MS;
  #cycles = 0;
  /** The same times in every run: names of conflict files contain them. */
  readonly #clock = manualClock();
  /** Restores the last backup. */
  #restore: (() => Promise<void>) | undefined;

  constructor({ seed, folder, server, program }: WorldDeps) {
    this.#choose = chooser(seed);
    this.#folder = folder;
    this.#server = server;
    this.#program = program;
  }

  async begin(): Promise<void> {
    for (const path of ["a.md", "r/one.md"]) await this.#server.admin.write(path, this.#newText());
    for (const name of PEOPLE) {
      const { token } = await this.#server.user(name, "contributor");
      const copy = replica({ directory: join(this.#folder, name), url: () => this.#server.url, token });
      await copy.join();
      this.#people.push({ name, token, copy, dirty: new Set(), told: new Set() });
    }
  }

  async deed(): Promise<void> {
    const person = this.#people[this.#choose(PEOPLE.length)]!;
    const what = this.#choose(100);
    if (what < 45) this.#edit(person);
    else if (what < 53) this.#delete(person);
    else if (what < 60) this.#rename(person);
    else if (what < 92) await this.#oneSync(person);
    else if (what < 96) await this.#changeRule();
    else if (what < 98) await this.#backUp();
    else if (this.#restore && this.#choose(2) === 0) {
      await this.#restore();
      this.#story.push("the server is restored");
    }
  }

  /** Lets everyone finish, and looks at what is left. */
  async end(): Promise<string[]> {
    await this.#setRule("always");
    for (let round = 0; ; round += 1) {
      let changes = 0;
      for (const person of this.#people) changes += await this.#sync(person, false);
      if (changes === 0) break;
      if (round === SETTLE_ROUNDS_MAX) return [`not settled after ${round} rounds`, ...this.#story];
    }
    const shared = await this.#onServer();
    const broken = this.#people.flatMap((person) => differences(person, shared));
    const kept = this.#people.flatMap(({ copy, told }) => [...told].map((path) => copy.read(path)));
    const text = [...Object.values(shared), ...kept].join("\n");
    for (const [token, state] of this.#ledger)
      if (state === "wanted" && !text.includes(token)) broken.push(`lost: ${token}`);
    return broken.length === 0 ? [] : [...broken, ...this.#story];
  }

  #newToken(): string {
    this.#tokens += 1;
    const token = `<${this.#tokens}>`;
    this.#ledger.set(token, "wanted");
    return token;
  }

  #newText(): string {
    return Array.from({ length: LINES_OF_A_FILE }, (_, line) => `line ${line} ${this.#newToken()}`).join(
      "\n",
    );
  }

  /** A person saw this text and took it away. */
  #supersede(text: string): void {
    for (const [token] of text.matchAll(/<\d+>/g)) this.#ledger.set(token, "superseded");
  }

  /** A path that the person may write: neither a directory (an empty one may be left of a deleted file) nor below a file, and not edited since it was last recorded. */
  #place({ copy, dirty }: Person): string | undefined {
    const existing = Object.keys(copy.tree());
    const all = [...new Set([...PATHS, ...existing])];
    const path = all[this.#choose(all.length)]!;
    if (dirty.has(path)) return undefined;
    if (existing.some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`)))
      return undefined;
    if (isDirectory(join(copy.directory, path))) return undefined;
    const folded = (name: string) => name.toLowerCase();
    return existing.some((other) => other !== path && folded(other) === folded(path)) ? undefined : path;
  }

  #edit(person: Person): void {
    const path = this.#place(person);
    if (path === undefined) return;
    const before = person.copy.tree()[path];
    let text = this.#newText();
    if (before !== undefined) {
      for (const [token] of text.matchAll(/<\d+>/g)) this.#ledger.delete(token);
      const lines = before.split("\n");
      const at = this.#choose(lines.length);
      this.#supersede(lines[at]!);
      lines[at] = `${lines[at]!.replace(/ ?<\d+>/g, "")} ${this.#newToken()}`;
      text = lines.join("\n");
    }
    person.copy.write(path, text);
    person.dirty.add(path);
    this.#tell(person, `saves ${path}: ${text.match(/<\d+>/g)?.join("")}`);
  }

  #delete(person: Person): void {
    const path = this.#place(person);
    const before = path === undefined ? undefined : person.copy.tree()[path];
    if (path === undefined || before === undefined) return;
    this.#supersede(before);
    person.copy.remove(path);
    person.dirty.add(path);
    this.#tell(person, `deletes ${path}`);
  }

  #rename(person: Person): void {
    const from = this.#place(person);
    const to = this.#place(person);
    const before = from === undefined ? undefined : person.copy.tree()[from];
    if (from === undefined || to === undefined || before === undefined) return;
    if (person.copy.tree()[to] !== undefined || to.startsWith(`${from}/`)) return;
    person.copy.remove(from);
    if (existsSync(join(person.copy.directory, to))) return void person.copy.write(from, before);
    person.copy.write(to, before);
    person.dirty.add(from).add(to);
    this.#tell(person, `renames ${from} to ${to}`);
  }

  async #oneSync(person: Person): Promise<void> {
    if (this.#program !== undefined && this.#choose(4) === 0) await this.#killedSync(this.#program, person);
    else await this.#sync(person, this.#choose(3) === 0);
  }

  /** Its records are not known, so all that was edited stays `dirty`. */
  async #killedSync(program: string, person: Person): Promise<void> {
    const { copy, token } = person;
    const child = Bun.spawn([program, "sync", "--yes", "--dir", copy.directory], {
      env: { ...process.env, SERVICE_TOKEN: token, SERVICE_TOKEN_SERVER: this.#server.url },
      stdio: ["ignore", "ignore", "ignore"],
    });
    const begun = performance.now();
    const lifeMs = this.#choose(Math.ceil(this.#programMs));
    await Promise.race([child.exited, Bun.sleep(lifeMs)]);
    child.kill("SIGKILL");
    await child.exited;
    const ended = child.signalCode === null;
    if (ended) this.#programMs = performance.now() - begun;
    else this.#programMs += 5;
    this.#tell(person, ended ? "syncs with the program" : `is killed after ${lifeMs} ms`);
  }

  /** Returns the number of changes; 0 for a cycle that ended early. */
  async #sync(person: Person, isFaulty: boolean): Promise<number> {
    const { directory } = person.copy;
    this.#cycles += 1;
    if (this.#cycles % CYCLES_PER_SECOND === 0) this.#clock.advance(MS_PER_SECOND);
    const faults = isFaulty ? new Faults(this.#choose) : undefined;
    using state = await openReplicaState(directory);
    try {
      const network = networkTransport(this.#server.url, person.token);
      const client = new Client(faults ? faults.network(network) : network);
      const plain = new LocalCopy(directory);
      const local = faults ? faults.local(plain) : plain;
      const deps = {
        state: faults ? faults.state(state) : state,
        server: new ServerSpace(client, SPACE),
        local,
        clock: this.#clock,
      };
      const options = { direction: "both", confirmed: true, retryHeld: true } as const;
      const report = await runCycle(deps, options);
      person.dirty.clear();
      person.told.clear();
      if (this.#program !== undefined)
        for (const { path, code } of report.refused) if (code === "clash") person.told.add(path);
      const { pulled, removed, pushed, withdrawn, merged, conflicts, waiting, held } = report;
      const lists = { pulled, removed, pushed, withdrawn, merged, waiting };
      const told = Object.entries({
        ...lists,
        conflicts: conflicts.map(({ copy }) => copy),
        held: held.map(({ reason }) => reason),
      })
        .filter(([, list]) => list.length > 0)
        .map(([name, list]) => `${name} ${list.join(" ")}`);
      this.#tell(person, `syncs: ${told.join("; ")}`);
      return Object.values(lists).flat().length + conflicts.length;
    } catch (error) {
      const isExpected = error instanceof Killed || (faults !== undefined && error instanceof AppError);
      if (!isExpected) throw error;
      this.#tell(person, `is interrupted (${faults?.where})`);
      return 0;
    }
  }

  async #changeRule(): Promise<void> {
    await this.#setRule((["always", "init-only", "never"] as const)[this.#choose(3)]!);
  }

  async #setRule(mode: string): Promise<void> {
    await this.#server.admin.put(`/spaces/${SPACE}/sync`, { "r/": mode });
    this.#story.push(`r/ is ${mode} from now on`);
  }

  async #backUp(): Promise<void> {
    this.#restore = await backUpSpace(this.#server, join(this.#folder, "backup"));
    this.#story.push("the server is backed up");
  }

  async #onServer(): Promise<Record<string, string>> {
    const files = await this.#server.admin.get(`/spaces/${SPACE}/files`);
    const shared: Record<string, string> = {};
    for (const { path, version } of files)
      shared[path] = await this.#server.admin.read(path, `?version=${version}`);
    return shared;
  }

  #tell({ name }: Person, what: string): void {
    this.#story.push(`${name} ${what}`);
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function differences({ name, copy, told }: Person, shared: Record<string, string>): string[] {
  const tree = copy.tree();
  const paths = new Set([...Object.keys(shared), ...Object.keys(tree)]);
  const isInTheWay = (path: string) =>
    [...told].some((one) => one === path || path.startsWith(`${one}/`) || one.startsWith(`${path}/`));
  return [...paths]
    .filter((path) => shared[path] !== tree[path] && !isInTheWay(path))
    .map((path) => `${name}: ${path} differs: server ${shared[path]}, here ${tree[path]}`);
}

/** Ends a cycle at one call of what surrounds it: before the call, after it, or in the middle of a response. */
class Faults {
  readonly #choose: (below: number) => number;
  #left: number;
  where = "";

  constructor(choose: (below: number) => number) {
    this.#choose = choose;
    this.#left = 1 + choose(CRASH_WITHIN);
  }

  async #around<T>(where: string, call: () => Promise<T>): Promise<T> {
    this.#left -= 1;
    if (this.#left !== 0) return call();
    const isBefore = this.#choose(2) === 0;
    this.where = `${isBefore ? "before" : "after"} ${where}`;
    if (!isBefore) await call();
    throw new Killed(this.where);
  }

  network(network: Transport): Transport {
    return {
      ...network,
      send: async (method, path, sent) => {
        const response = await this.#around(`${method} ${path}`, () => network.send(method, path, sent));
        this.#left -= 1;
        if (this.#left !== 0) return response;
        this.where = `in the response to ${method} ${path}`;
        const bytes = await response.bytes();
        return new Response(cutOff(bytes, this.#choose(bytes.length + 1)), response);
      },
    };
  }

  state(state: ReplicaState): ReplicaState {
    return this.#watched(state, [
      "fold",
      "replace",
      "agree",
      "keep",
      "sending",
      "advance",
      "hold",
      "release",
    ]);
  }

  local(local: LocalCopy): LocalCopy {
    const use = local.use.bind(local);
    local.use = (work) => use((engine) => work(this.#watched<SpaceEngine>(engine, ["apply", "applyEach"])));
    return local;
  }

  #watched<T extends object>(target: T, names: readonly string[]): T {
    return new Proxy(target, {
      get: (_, name) => {
        const value = Reflect.get(target, name, target) as unknown;
        if (typeof value !== "function") return value;
        const call = value.bind(target) as (...args: unknown[]) => Promise<unknown>;
        if (!names.includes(String(name))) return call;
        return (...args: unknown[]) => this.#around(String(name), () => call(...args));
      },
    });
  }
}

function cutOff(bytes: Uint8Array, at: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.subarray(0, at));
      controller.error(new AppError("unavailable", "the connection was cut"));
    },
  });
}
