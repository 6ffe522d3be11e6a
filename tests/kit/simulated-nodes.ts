// Nodes of one server as replicated-server.ts runs them, with one file that only grows in place of its databases, a storage that fails in every way,
// and a clock that jumps from event to event. Checks at each step that nothing was acknowledged twice, lost, or led from another state than the log's.

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SECOND_MS } from "../../src/kit/clock.ts";
import { messageOf } from "../../src/kit/error.ts";
import { TIMING } from "../../src/kit/replication/beat.ts";
import { decodeEntry, entryHash, type Entry } from "../../src/kit/replication/entry.ts";
import { Follower, type Takeover } from "../../src/kit/replication/follower.ts";
import { Leader } from "../../src/kit/replication/leader.ts";
import { settleState, stateFile } from "../../src/kit/replication/local-state.ts";
import { entryOf } from "../../src/kit/replication/places.ts";
import { finishSnapshot, uploadFiles } from "../../src/kit/replication/snapshot.ts";
import { ErraticStorage, Line, type Random } from "./erratic-storage.ts";
import { manualClock, type ManualClock } from "./manual-clock.ts";
import { silent } from "./silent.ts";

const FILE = "lines";

export interface World {
  readonly folder: string;
  readonly random: Random;
  readonly clock: ManualClock;
  readonly storage: ErraticStorage;
  readonly ledger: Ledger;
}

/** All that the nodes promised, and the log as it was written. */
class Ledger {
  readonly #elapsed: () => number;
  readonly acknowledged = new Set<string>();
  /** One sentence per violation. */
  readonly broken: string[] = [];
  /** All events, each with its time in seconds. */
  readonly trace: string[] = [];
  /** By number, as first created. */
  readonly #entries = new Map<number, Uint8Array>();
  /** The content of the file after an entry, as the log gives it. */
  readonly #contents = new Map([[0, ""]]);
  readonly counts = { takeovers: 0, reads: 0, writes: 0, snapshots: 0 };

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  note(text: string): void {
    this.trace.push(`${(this.#elapsed() / SECOND_MS).toFixed(2)} ${text}`);
  }

  broke(text: string): void {
    this.note(text);
    this.broken.push(text);
  }

  /** A number that was trimmed may be created again by a node that slept. */
  created(seq: number, bytes: Uint8Array): void {
    if (!this.#entries.has(seq)) this.#entries.set(seq, Buffer.from(bytes));
  }

  /** Of a node whose files nobody else has. */
  beginsAt(seq: number, content: string): void {
    this.#contents.set(seq, content);
  }

  get last(): number {
    return Math.max(0, ...this.#entries.keys());
  }

  async kindOf(seq: number): Promise<Entry["kind"]> {
    return (await decodeEntry(this.#entries.get(seq)!, seq)).kind;
  }

  async hashOf(seq: number): Promise<string> {
    return seq === 0 ? "" : entryHash(this.#entries.get(seq)!);
  }

  async contentAt(seq: number): Promise<string> {
    let known = seq;
    while (!this.#contents.has(known)) known -= 1;
    let content = this.#contents.get(known)!;
    for (let next = known + 1; next <= seq; next += 1) {
      const { parts } = await decodeEntry(this.#entries.get(next)!, next);
      for (const part of parts)
        if (part.kind === "append")
          content = content.slice(0, part.at) + Buffer.from(part.content).toString();
      this.#contents.set(next, content);
    }
    return content;
  }
}

export function world(folder: string, random: Random): World {
  const clock = manualClock();
  const start = clock.now();
  const ledger = new Ledger(() => clock.now() - start);
  const storage = new ErraticStorage(clock, random);
  storage.onCreate = (key, bytes) => {
    const seq = entryOf(key);
    if (seq !== undefined) ledger.created(seq, bytes);
  };
  return { folder, random, clock, storage, ledger };
}

/** One term of a node that leads. */
interface Leading {
  readonly leader: Leader;
  readonly taken: Takeover;
  readonly lines: Set<string>;
  /** Of the file, in bytes. */
  length: number;
  snapshotting: Promise<void> | undefined;
  readonly stop: AbortController;
  readonly end: PromiseWithResolvers<undefined>;
}

interface Life {
  readonly line: Line;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

export class SimulatedNode {
  readonly name: string;
  readonly #world: World;
  readonly #directory: string;
  #life: Life | undefined;
  #follower: Follower | undefined;
  #checked: number | undefined;
  #leader: Leader | undefined;
  #leading: Leading | undefined;

  constructor(all: World, name: string) {
    this.name = name;
    this.#world = all;
    this.#directory = join(all.folder, name);
    mkdirSync(this.#directory, { recursive: true });
  }

  get isLeading(): boolean {
    return this.#leading !== undefined;
  }

  get line(): Line | undefined {
    return this.#life?.line;
  }

  get position(): number | undefined {
    return this.#leading?.leader.position.seq ?? this.#follower?.position;
  }

  /** Waits neither for an answer nor for a timer. */
  get isBusy(): boolean {
    return this.#life !== undefined && this.#life.line.pending === 0;
  }

  withData(): void {
    writeFileSync(join(this.#directory, FILE), "");
  }

  start(): void {
    const line = new Line(this.#world.clock);
    const stop = new AbortController();
    this.#world.ledger.note(`${this.name} starts`);
    const ended = this.#run(line, stop.signal).catch((error: unknown) => {
      if (!line.isDead) this.#world.ledger.broke(`${this.name} stopped: ${messageOf(error)}`);
    });
    this.#life = { line, stop, ended };
  }

  /** As `kill -9`: its requests may still arrive. */
  async kill(): Promise<void> {
    const life = this.#life!;
    this.#life = undefined;
    this.#world.ledger.note(`${this.name} is killed`);
    life.line.die();
    life.stop.abort();
    this.#leader?.abandon();
    life.line.resume();
    await life.ended;
  }

  /** Ends its lead well, and follows. */
  retire(): void {
    this.#leading?.end.resolve(undefined);
  }

  async #run(line: Line, signal: AbortSignal): Promise<void> {
    const { storage } = this.#world;
    const common = {
      storage: storage.client(line),
      node: this.name,
      timing: TIMING,
      clock: line,
      timers: line,
      log: silent,
    };
    while (!signal.aborted) {
      const directory = this.#directory;
      this.#follower = new Follower({
        ...common,
        directory,
        names: [FILE],
        files: () => [join(directory, FILE)],
        prepare: async () => {},
      });
      this.#checked = undefined;
      const taken = await this.#follower.follow(signal);
      if (!taken) return;
      const leader = new Leader({ ...common, ...taken });
      this.#leader = leader;
      await this.#lead(leader, taken, line);
      leader.abandon();
      this.#leading = undefined;
    }
  }

  async #lead(leader: Leader, taken: Takeover, line: Line): Promise<void> {
    const { ledger } = this.#world;
    const { seq } = taken.position;
    ledger.counts.takeovers += 1;
    ledger.note(`${this.name} leads from ${seq}`);
    const content = this.#content();
    if ((await ledger.kindOf(seq)) === "beginning") ledger.beginsAt(seq, content);
    else if (content !== (await ledger.contentAt(seq)))
      ledger.broke(`${this.name} leads from ${seq} with another state than the log gives`);
    const end = Promise.withResolvers<undefined>();
    const lines = new Set(content.split("\n"));
    const stop = new AbortController();
    const leading: Leading = {
      leader,
      taken,
      lines,
      length: content.length,
      snapshotting: undefined,
      stop,
      end,
    };
    this.#leading = leading;
    void this.read();
    const loss = await Promise.race([leader.lost, end.promise]);
    this.#leading = undefined;
    ledger.note(`${this.name} leads no more: ${loss?.message ?? "it retired"}`);
    stop.abort();
    await leading.snapshotting;
    if (loss || line.isDead) return;
    const released = leader.release().then(() => settleState(this.#directory, leader.position));
    await released.catch(() => {});
  }

  #hash(): string {
    const state = JSON.parse(readFileSync(stateFile(this.#directory), "utf8")) as { hash: string };
    return state.hash;
  }

  #content(): string {
    const path = join(this.#directory, FILE);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }

  /** A request that changes something; as `settledFirst` answers it. */
  async write(): Promise<void> {
    const { ledger } = this.#world;
    const leading = this.#leading!;
    try {
      leading.leader.requireLead();
      const text = `${(ledger.counts.writes += 1)}${this.name}`;
      const bytes = Buffer.from(`${text}\n`);
      appendFileSync(join(this.#directory, FILE), bytes);
      leading.lines.add(text);
      leading.leader.append(FILE, leading.length, bytes);
      leading.length += bytes.length;
      await leading.leader.settled();
      ledger.acknowledged.add(text);
    } catch {
      // Nobody is told that it is done.
    }
  }

  /** A request that reads. It must show all that was acknowledged before it. */
  async read(): Promise<void> {
    const { ledger } = this.#world;
    const { leader, lines } = this.#leading!;
    const before = [...ledger.acknowledged];
    try {
      leader.requireLead();
      const missing = before.find((text) => !lines.has(text));
      await leader.settled();
      ledger.counts.reads += 1;
      if (missing !== undefined)
        ledger.broke(`${this.name} answered a read without ${missing}, which was acknowledged before`);
    } catch {
      // It is no answer.
    }
  }

  snapshot(): void {
    const leading = this.#leading!;
    leading.snapshotting ??= this.#snapshot(leading.leader, leading.taken, leading.stop.signal)
      .catch(() => {})
      .finally(() => (leading.snapshotting = undefined));
  }

  async #snapshot(leader: Leader, { takeovers }: Takeover, signal: AbortSignal): Promise<void> {
    const { ledger } = this.#world;
    const storage = this.#world.storage.client(this.#life!.line);
    const content = [Buffer.from(this.#content())];
    const { seq: after, hash } = leader.position;
    const files = await uploadFiles(storage, after, [{ file: FILE, content }], signal);
    await leader.allSettled();
    const complete = leader.position.seq;
    await finishSnapshot(storage, {
      after,
      hash,
      complete,
      created_at: "",
      takeovers: [...takeovers],
      files,
    });
    ledger.counts.snapshots += 1;
    ledger.note(`${this.name} made snapshot ${after}`);
  }

  /** A node on standby has at least what the log gives up to its position. */
  async check(): Promise<void> {
    const position = this.#leading ? undefined : this.#follower?.position;
    if (position === undefined || position === this.#checked) return;
    this.#checked = position;
    const content = this.#content();
    const { ledger } = this.#world;
    // One that slept may have taken a number that was trimmed. It must not lead with that.
    if (this.#hash() !== (await ledger.hashOf(position))) return;
    if (!content.startsWith(await ledger.contentAt(position)))
      ledger.broke(`${this.name} has another state at ${position} than the log gives`);
  }
}
