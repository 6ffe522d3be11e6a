// Goal: whatever happens to three nodes, in whatever order, each acknowledged row is there in the end, and their files are the same.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Follower } from "../../../src/kit/replication/follower.ts";
import { until } from "../../kit/eventually.ts";
import { unreachable } from "../../kit/memory-storage.ts";
import { isAnswering, replicas, type Leading, type Replicas } from "../../kit/replicas.ts";

const NAMES = ["a", "b", "c"];
const STEPS = 40;
const SEEDS = Number(process.env["REPLICATION_SEEDS"] ?? 3);

/** Repeatable: the same numbers for the same seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
}

interface Following {
  readonly follower: Follower;
  readonly stop: AbortController;
}

class Lives {
  readonly #all: Replicas;
  readonly #random: (below: number) => number;
  readonly #following = new Map<string, Following>();
  readonly told: string[] = [];
  #leading: { readonly name: string; readonly node: Leading } | undefined;
  #texts = 0;

  constructor(all: Replicas, random: (below: number) => number) {
    this.#all = all;
    this.#random = random;
  }

  follow(name: string): void {
    const stop = new AbortController();
    const follower = this.#all.follower(name);
    this.#following.set(name, { follower, stop });
    void follower.follow(stop.signal).then((taken) => {
      if (!taken) return;
      this.#following.delete(name);
      const node = this.#all.lead(name, taken);
      // The one before it, if it still believes to lead, finds out by itself.
      const former = this.#leading;
      this.#leading = { name, node };
      if (former) this.#deposed(former.name, former.node);
    });
  }

  async leader(): Promise<Leading> {
    await this.#all.passing(until(() => this.#leading && isAnswering(this.#leading.node)));
    return this.#leading!.node;
  }

  async step(): Promise<void> {
    const node = await this.leader();
    switch (this.#random(9)) {
      case 0:
        return this.#all.passing(node.snapshot(() => this.#add(node)));
      case 1:
        return this.#end();
      case 2:
        return this.#crash();
      case 3:
        return this.#silence();
      case 4:
        return this.#restart();
      default:
        for (let count = this.#random(5); count >= 0; count -= 1) await this.#add(node);
    }
  }

  async finish(): Promise<void> {
    const node = await this.leader();
    await this.#all.passing(node.snapshot());
    await this.#add(node);
    const { seq } = node.leader.position;
    const all = [...this.#following.values()];
    await this.#all.passing(until(() => all.every(({ follower }) => follower.position === seq)));
    for (const { stop } of all) stop.abort();
    await this.#all.passing(node.end());
  }

  async #add(node: Leading): Promise<void> {
    const text = `${(this.#texts += 1)} ${"x".repeat(this.#random(6_000))}`;
    const told = () => void this.told.push(text);
    const added = node.add(text).then(told, () => {});
    await this.#all.passing(added);
  }

  #deposed(name: string, node: Leading): void {
    node.crash();
    this.follow(name);
  }

  async #end(): Promise<void> {
    const { name, node } = this.#leading!;
    this.#leading = undefined;
    await this.#all.passing(node.end());
    this.follow(name);
  }

  /** In the middle of a write whose answer never comes. */
  #crash(): void {
    const { name, node } = this.#leading!;
    if (this.#random(2) === 0) void node.add(`unanswered ${(this.#texts += 1)}`).catch(() => {});
    this.#leading = undefined;
    node.crash();
    this.follow(name);
  }

  /** The leader reaches the storage no more, for a while or long enough to be replaced. */
  async #silence(): Promise<void> {
    const { name } = this.#leading!;
    const { storage } = this.#all;
    const own = this.#leading!.node.leader;
    storage.before = (operation, key) => {
      const isOfLeader = operation === "put" || operation === "create";
      if (
        isOfLeader &&
        this.#leading?.node.leader === own &&
        !key.startsWith("snapshots/") &&
        this.#isBy(name)
      )
        throw unreachable();
    };
    await this.#all.pass(1_000 * (2 + this.#random(20)));
    storage.before = () => {};
    await this.#all.pass(5_000);
  }

  /** Nobody else creates or replaces anything while it leads, but the node that takes over. */
  #isBy(name: string): boolean {
    return this.#leading?.name === name && this.#random(4) > 0;
  }

  async #restart(): Promise<void> {
    const [name, found] = [...this.#following][this.#random(this.#following.size)] ?? [];
    if (name === undefined) return;
    found!.stop.abort();
    await this.#all.pass(2_000);
    if (this.#following.get(name) === found) this.follow(name);
  }
}

for (let seed = 1; seed <= SEEDS; seed += 1)
  test(`three nodes at random (${seed})`, async () => {
    await using all = await replicas();
    all.withData("a");
    const lives = new Lives(all, randomOf(seed));
    for (const name of NAMES) lives.follow(name);
    await all.passing((await lives.leader()).snapshot());
    for (let step = 0; step < STEPS; step += 1) await lives.step();
    await lives.finish();
    const [first, ...others] = NAMES.map((name) => readFileSync(join(all.directory(name), "x.db")));
    for (const other of others) expect(Buffer.compare(first!, other)).toBe(0);
    const texts = all.texts("a");
    expect(lives.told.filter((text) => !texts.includes(text))).toEqual([]);
    expect(new Set(texts).size).toBe(texts.length);
  });
