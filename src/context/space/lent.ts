// A local space for a program that runs for long and needs it now and then. The database takes one process at a time, so the space is opened for
// the first piece of work, shared by all that runs meanwhile, and closed a moment after the last: a person's command waits no longer than that.
// Under constant use it is closed now and then, so that others have their turn.

import { systemClock, type Clock } from "../../kit/clock.ts";
import type { SpaceDoor } from "./door.ts";

/** Work that follows within this time finds the space open. Shorter than a person's command waits for its turn. */
const LINGER_MS = 200;

/** New work no longer joins a space that has been open for this long. */
const HELD_MS_MAX = 2_000;
/** After that, the space stays closed for this long. Others look more often than that. */
const REST_MS = 150;

/** The space stays open while a lease is held. Disposing of it twice is without effect. */
export interface Lease<Door> extends Disposable {
  readonly space: Door;
}

export class LentSpace<Door extends SpaceDoor = SpaceDoor> {
  readonly #open: () => Promise<Door>;
  readonly #clock: Clock;
  #openedAt = 0;
  #resting: Promise<void> | undefined;
  /** Called when the last user is done. */
  #onIdle = () => {};
  #opened: Promise<Door> | undefined;
  /** The last close; the next open waits for it. */
  #closing: Promise<void> = Promise.resolve();
  #users = 0;
  /** Of the users, those with a lease. The space cannot be given to others then, so that other work joins however long it is held. */
  #leases = 0;
  #timer: Timer | undefined;

  constructor(open: () => Promise<Door>, clock: Clock = systemClock) {
    this.#open = open;
    this.#clock = clock;
  }

  /** Raises what opening raises, and what `work` raises. */
  async use<T>(work: (space: Door) => Promise<T>): Promise<T> {
    using lease = await this.#joined();
    return await work(lease.space);
  }

  /** Lends the space until the lease is disposed of, for work that may take long. Raises what opening raises. */
  async lend(): Promise<Lease<Door>> {
    using failed = new DisposableStack();
    this.#leases += 1;
    failed.defer(() => (this.#leases -= 1));
    const { space } = failed.use(await this.#joined());
    const held = failed.move();
    return { space, [Symbol.dispose]: () => held.dispose() };
  }

  async #joined(): Promise<Lease<Door>> {
    while (this.#resting !== undefined || this.#isHeldLong()) await (this.#resting ??= this.#rest());
    clearTimeout(this.#timer);
    this.#users += 1;
    using failed = new DisposableStack();
    failed.defer(() => this.#returned());
    const space = await this.#shared();
    const held = failed.move();
    return { space, [Symbol.dispose]: () => held.dispose() };
  }

  /** Closes the space now. Raises what closing raises. The next `use` opens it again. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const opened = this.#opened;
    this.#opened = undefined;
    const close = async () => (await opened?.catch(() => undefined))?.close();
    this.#closing = this.#closing.catch(() => undefined).then(close);
    await this.#closing;
  }

  #returned(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#timer = setTimeout(() => void this.#giveBack(), LINGER_MS);
    this.#onIdle();
  }

  #isHeldLong(): boolean {
    if (this.#leases > 0 || this.#opened === undefined) return false;
    return this.#clock.elapsed() - this.#openedAt > HELD_MS_MAX;
  }

  /** Waits for the work in progress, closes the space, and leaves it to others for a moment. */
  async #rest(): Promise<void> {
    if (this.#users > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    this.#onIdle = () => {};
    await this.#giveBack();
    await Bun.sleep(REST_MS);
    this.#resting = undefined;
  }

  #shared(): Promise<Door> {
    if (this.#opened) return this.#opened;
    this.#openedAt = this.#clock.elapsed();
    const opened = this.#closing.catch(() => undefined).then(this.#open);
    this.#opened = opened;
    // A failure is not kept: the space may be there the next time.
    opened.catch(() => {
      if (this.#opened === opened) this.#opened = undefined;
    });
    return opened;
  }

  async #giveBack(): Promise<void> {
    if (this.#users > 0) return;
    // Everything that was written is durable, so a failing close loses nothing; the next open reports what is wrong.
    await this.close().catch(() => undefined);
  }
}
