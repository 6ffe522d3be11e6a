// Goal: with a storage that applies requests late, twice or without an answer, and nodes that are killed, paused and cut off at any moment, no
// acknowledged write is lost, no read misses one, each node leads from a state that the log gives, and in the end all have the same.

import { expect, test } from "bun:test";
import { turnOfOthers } from "../../../src/kit/clock.ts";
import type { Line, Random } from "../../kit/erratic-storage.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { SimulatedNode, world, type World } from "../../kit/simulated-nodes.ts";

const SEEDS = Number(process.env["REPLICATION_SEEDS"] ?? 10);
const FIRST_SEED = Number(process.env["REPLICATION_FIRST_SEED"] ?? 1);
const TROUBLE_MS = 120_000;
const CALM_MS = 60_000;
/** Of a thousand requests. */
const FAULTS = [0, 20, 100, 250];
/** Turns of the event loop in which no node works, before time goes on. */
const QUIET_TURNS = 4;
/** For a node that never waits again, as after an error. */
const WORK_LIMIT_MS = 2_000;
/** A node that follows may be that far behind, in entries. */
const BEHIND_MAX = 60;

/** Repeatable, with numbers that are independent enough for choices in a row. */
function randomOf(seed: number): Random {
  let state = seed * 7_919;
  return (below) => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

class Schedule {
  readonly #all: World;
  readonly #nodes: readonly SimulatedNode[];

  constructor(all: World, nodes: readonly SimulatedNode[]) {
    this.#all = all;
    this.#nodes = nodes;
  }

  /** `isOver`: looked at from the end of this time on. */
  async run(ms: number, act: () => Promise<void> | void, isOver = () => true): Promise<void> {
    const { clock, random, ledger } = this.#all;
    const end = clock.now() + ms;
    let next = clock.now();
    while ((clock.now() < end || !isOver()) && clock.now() < 4 * ms + end && ledger.broken.length === 0) {
      await this.#settled();
      for (const node of this.#nodes) await node.check();
      if (clock.now() >= next) {
        this.#use();
        await act();
        next = clock.now() + 20 + random(600);
      } else clock.advance(Math.min(clock.waits()[0] ?? Infinity, next - clock.now()));
    }
  }

  /** Real work, of the disk for example, takes no time of the nodes. */
  async #settled(): Promise<void> {
    const limit = performance.now() + WORK_LIMIT_MS;
    for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < limit;) {
      await turnOfOthers();
      quiet = this.#nodes.some((node) => node.isBusy) ? 0 : quiet + 1;
    }
  }

  #use(): void {
    const { random } = this.#all;
    for (const node of this.#nodes.filter(({ isLeading, line }) => isLeading && line?.isPaused === false)) {
      for (let count = random(3); count > 0; count -= 1) void node.write();
      if (random(2) === 0) void node.read();
      if (random(12) === 0) node.snapshot();
    }
  }

  async trouble(): Promise<void> {
    const { random, storage } = this.#all;
    if (random(6) > 0) return;
    const leader = this.#nodes.find((node) => node.isLeading);
    const node = leader && random(2) === 0 ? leader : this.#nodes[random(this.#nodes.length)]!;
    const { line } = node;
    if (!line || line.isPaused) return;
    switch (random(7)) {
      case 0:
        await node.kill();
        return this.#later(15_000, () => node.start());
      case 1:
        return node.retire();
      case 2:
        return this.#pause(node, line);
      case 3:
        line.isCutOff = true;
        return this.#later(25_000, () => (line.isCutOff = false), `${node.name} is cut off`);
      case 4:
        if (random(4) > 0) return undefined;
        storage.isDown = true;
        return this.#later(20_000, () => (storage.isDown = false), "the storage is down");
      case 5:
        line.isRefused = true;
        return this.#later(50_000, () => (line.isRefused = false), `${node.name} may create nothing`);
      default:
        return leader?.snapshot();
    }
  }

  /** Requests that arrived meanwhile are the first that it sees. */
  #pause(node: SimulatedNode, line: Line): void {
    const { random } = this.#all;
    const [how, note] = random(2) === 0 ? (["asleep", "sleeps"] as const) : (["awake", "is paused"] as const);
    line.pause();
    const resume = () => {
      line.resume(how);
      if (node.isLeading) void node.read();
    };
    this.#later(random(2) === 0 ? 60_000 : 15_000, resume, `${node.name} ${note}`);
  }

  #later(withinMs: number, run: () => void, note?: string): void {
    const { random, clock, ledger } = this.#all;
    if (note !== undefined) ledger.note(note);
    clock.after(100 + random(withinMs), () => {
      if (note !== undefined) ledger.note(`no longer: ${note}`);
      run();
    });
  }

  /** Somebody leads, and all have nearly everything. */
  isWell(): boolean {
    const { ledger } = this.#all;
    const isCurrent = ({ position }: SimulatedNode) =>
      position !== undefined && position > ledger.last - BEHIND_MAX;
    return this.#nodes.some(({ isLeading }) => isLeading) && this.#nodes.every(isCurrent);
  }
}

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1)
  test(`three nodes, a storage with faults (${seed})`, async () => {
    await using folder = await temporaryFolder();
    const random = randomOf(seed);
    const all = world(folder.path, random);
    const nodes = ["a", "b", "c"].map((name) => new SimulatedNode(all, name));
    nodes[0]!.withData();
    for (const node of nodes) node.start();
    const schedule = new Schedule(all, nodes);
    const { storage, ledger } = all;
    storage.faults = FAULTS[random(FAULTS.length)]!;
    await schedule.run(TROUBLE_MS, () => schedule.trouble());
    storage.faults = 0;
    await schedule.run(
      CALM_MS,
      () => {},
      () => schedule.isWell(),
    );
    if (!schedule.isWell())
      ledger.broke(`in the end, the nodes are at ${nodes.map(({ position }) => position).join()}`);
    for (const node of nodes) if (node.line) await node.kill();
    const kept = new Set((await ledger.contentAt(ledger.last)).split("\n"));
    for (const text of ledger.acknowledged)
      if (!kept.has(text)) ledger.broke(`${text} was acknowledged and is lost`);
    const trace = ledger.broken.length > 0 ? ledger.trace : [];
    expect([...ledger.broken, ...trace]).toEqual([]);
  });
