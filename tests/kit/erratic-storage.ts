// An object storage in memory on a clock of its own, reached through lines that fail: requests arrive late, also after the client stopped waiting,
// answers are lost, requests arrive twice. Its clients end their creates as the client of S3 does.

import type { Clock, Timers } from "../../src/kit/clock.ts";
import { AppError } from "../../src/kit/error.ts";
import type {
  CreateOptions,
  ListedObject,
  ObjectStorage,
} from "../../src/kit/object-storage/object-storage.ts";
import type { ManualClock } from "./manual-clock.ts";

const CLIENT_LIMIT_MS = 5_000;
const QUICK_MS = 60;
const SLOW_MS = 4_000;
const LATE_MS = 40_000;
/** Of this many requests with a fault. */
const FATES = ["refused", "slow", "lost", "late", "twice"] as const;
type Fate = (typeof FATES)[number] | "normal";

/** Repeatable: the same numbers for the same seed. */
export type Random = (below: number) => number;

interface Stored {
  readonly bytes: Uint8Array;
  readonly by: string;
}

/** The way of one life of a node to the storage, its clock and its timers. */
export class Line implements Clock, Timers {
  readonly #clock: ManualClock;
  readonly #held: (() => void)[] = [];
  readonly #open = new Set<(error: Error) => void>();
  #pausedAt: number | undefined;
  #slept = 0;
  isCutOff = false;
  /** The storage refuses to create objects for it, and does everything else. */
  isRefused = false;
  isDead = false;
  /** Requests and timers that have not ended. */
  pending = 0;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  get isPaused(): boolean {
    return this.#pausedAt !== undefined;
  }

  now(): number {
    return this.#clock.now();
  }

  elapsed(): number {
    return this.#clock.elapsed() - this.#slept;
  }

  /** As a process that is stopped: its time passes, and nothing reaches it. */
  pause(): void {
    this.#pausedAt ??= this.#clock.now();
  }

  /** `asleep`: its machine slept, so that its monotonic clock stood still. */
  resume(how: "awake" | "asleep" = "awake"): void {
    if (how === "asleep" && this.#pausedAt !== undefined) this.#slept += this.#clock.now() - this.#pausedAt;
    this.#pausedAt = undefined;
    for (const run of this.#held.splice(0)) run();
  }

  after(ms: number, run: () => void): () => void {
    let isOver = false;
    this.pending += 1;
    const end = () => {
      if (!isOver) this.pending -= 1;
      isOver = true;
    };
    const cancel = this.#clock.after(ms, () =>
      this.#deliver(() => {
        if (isOver) return;
        end();
        if (!this.isDead) run();
      }),
    );
    return () => {
      cancel();
      end();
    };
  }

  /** Calls `ask` with functions that end the request, the first time that one is called. */
  request<T>(ask: (done: (value: T) => void, failed: (error: Error) => void) => void): Promise<T> {
    if (this.isDead) return Promise.reject(failure("unreachable"));
    const answer = Promise.withResolvers<T>();
    this.pending += 1;
    let isOver = false;
    const end = (act: () => void) => {
      if (isOver) return;
      isOver = true;
      this.#open.delete(failed);
      this.pending -= 1;
      act();
    };
    const failed = (error: Error) => end(() => answer.reject(error));
    this.#open.add(failed);
    ask(
      (value) => this.#deliver(() => end(() => answer.resolve(value))),
      (error) => this.#deliver(() => failed(error)),
    );
    return answer.promise;
  }

  /** The node died: nobody waits for an answer. */
  die(): void {
    this.isDead = true;
    for (const failed of this.#open) failed(failure("unreachable"));
  }

  #deliver(run: () => void): void {
    if (this.isPaused && !this.isDead) this.#held.push(run);
    else run();
  }
}

export class ErraticStorage {
  readonly objects = new Map<string, Stored>();
  readonly #clock: ManualClock;
  readonly #random: Random;
  /** Of a thousand requests, this many have a fault. */
  faults = 0;
  isDown = false;
  /** Called with each object that is created where none is. */
  onCreate: (key: string, bytes: Uint8Array) => void = () => {};

  constructor(clock: ManualClock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  client(line: Line): ObjectStorage {
    const ask = <T>(act: () => T) => this.#ask(line, act);
    const { objects } = this;
    return {
      get: async (key) => (await ask(() => objects.get(key)))?.bytes,
      async *read(key, signal) {
        const found = await ask(() => objects.get(key));
        if (found === undefined) throw new AppError("not_found", `object ${key}: not found`);
        signal?.throwIfAborted();
        yield found.bytes;
      },
      create: async (key, bytes, options) => {
        if (line.isRefused) throw await ask(() => failure("AccessDenied"));
        return this.#created(ask, key, bytes, options);
      },
      put: (key, bytes) => ask(() => void objects.set(key, { bytes: Buffer.from(bytes), by: "" })),
      async upload(key, content, signal) {
        const pieces: Uint8Array[] = [];
        for await (const piece of content) pieces.push(Buffer.from(piece));
        signal?.throwIfAborted();
        await ask(() => void objects.set(key, { bytes: Buffer.concat(pieces), by: "" }));
      },
      async *list(prefix, after = ""): AsyncGenerator<ListedObject> {
        yield* await ask(() =>
          [...objects]
            .filter(([key]) => key.startsWith(prefix) && key > after)
            .map(([key, { bytes }]) => ({ key, size: bytes.length }))
            .sort((one, other) => (one.key < other.key ? -1 : 1)),
        );
      },
      async remove(keys) {
        for (const key of keys) await ask(() => void objects.delete(key));
      },
    };
  }

  async #created(
    ask: <T>(act: () => T) => Promise<T>,
    key: string,
    bytes: Uint8Array,
    { by = crypto.randomUUID() }: CreateOptions = {},
  ): Promise<boolean> {
    let problem: unknown;
    try {
      if (await ask(() => this.#createdNow(key, bytes, by))) return true;
    } catch (error) {
      problem = error;
    }
    const found = await ask(() => this.objects.get(key)).catch((error: unknown) => {
      throw problem ?? error;
    });
    if (found === undefined) throw problem ?? failure("NoSuchKey");
    return found.by === by;
  }

  #createdNow(key: string, bytes: Uint8Array, by: string): boolean {
    if (this.objects.has(key)) return false;
    this.objects.set(key, { bytes: Buffer.from(bytes), by });
    this.onCreate(key, bytes);
    return true;
  }

  #ask<T>(line: Line, act: () => T): Promise<T> {
    const fate = this.#fate(line);
    const way = 1 + this.#random(fate === "slow" ? SLOW_MS : QUICK_MS);
    const back = 1 + this.#random(QUICK_MS);
    return line.request<T>((done, failed) => {
      const at = (ms: number, run: () => void) => this.#clock.after(ms, run);
      switch (fate) {
        case "refused":
          return at(way, () => failed(failure("unreachable")));
        case "lost":
          at(way, act);
          return at(CLIENT_LIMIT_MS, () => failed(failure("deadline")));
        case "late":
          at(CLIENT_LIMIT_MS + this.#random(LATE_MS), act);
          return at(CLIENT_LIMIT_MS, () => failed(failure("deadline")));
        case "twice":
          at(way + this.#random(LATE_MS), act);
      }
      return at(way, () => {
        const value = act();
        at(back, () => done(value));
      });
    });
  }

  #fate(line: Line): Fate {
    const isFault = this.#random(1_000) < this.faults;
    // A request may be on its way when the line is cut.
    if (line.isCutOff || this.isDown) return isFault ? "lost" : "refused";
    return isFault ? FATES[this.#random(FATES.length)]! : "normal";
  }
}

function failure(reason: string): AppError {
  return new AppError("unavailable", "cannot use the storage", { reason });
}
