// An object storage in memory, for tests of what is built on one. A test stands in the way of single operations.

import { AppError } from "../../src/kit/error.ts";
import type {
  CreateOptions,
  ListedObject,
  ObjectStorage,
} from "../../src/kit/object-storage/object-storage.ts";

type Operation = Exclude<keyof ObjectStorage, symbol>;
/** Called with each operation and its key. May wait, change objects, or throw. */
type Hook = (operation: Operation, key: string) => Promise<void> | void;

export class MemoryStorage implements ObjectStorage {
  readonly objects = new Map<string, Uint8Array>();
  readonly #creators = new Map<string, string>();
  before: Hook = () => {};
  /** An error of it is a lost answer: the operation is done. */
  after: Hook = () => {};

  keys(prefix: string): string[] {
    return [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  }

  get(key: string, bytesMax: number): Promise<Uint8Array | undefined> {
    return this.#run("get", key, () => {
      const found = this.objects.get(key);
      if (found && found.length > bytesMax)
        throw new AppError("too_large", `${key} is larger than ${bytesMax} bytes`);
      return found;
    });
  }

  async *read(key: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const bytes = await this.#run("read", key, () => this.objects.get(key));
    if (bytes === undefined) throw new AppError("not_found", `object ${key}: not found`);
    signal?.throwIfAborted();
    yield bytes;
  }

  create(key: string, bytes: Uint8Array, { by = crypto.randomUUID() }: CreateOptions = {}): Promise<boolean> {
    return this.#run("create", key, () => {
      if (this.objects.has(key)) return this.#creators.get(key) === by;
      this.objects.set(key, Buffer.from(bytes));
      this.#creators.set(key, by);
      return true;
    });
  }

  put(key: string, bytes: Uint8Array): Promise<void> {
    return this.#run("put", key, () => void this.objects.set(key, Buffer.from(bytes)));
  }

  async upload(key: string, content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void> {
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(Buffer.from(piece));
    signal?.throwIfAborted();
    await this.#run("upload", key, () => void this.objects.set(key, Buffer.concat(pieces)));
  }

  async *list(prefix: string, after = ""): AsyncGenerator<ListedObject> {
    const keys = await this.#run("list", prefix, () => this.keys(prefix).filter((key) => key > after));
    for (const key of keys) {
      const bytes = this.objects.get(key);
      if (bytes !== undefined) yield { key, size: bytes.length };
    }
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#run("remove", key, () => void this.objects.delete(key));
  }

  async #run<T>(operation: Operation, key: string, act: () => T): Promise<T> {
    await this.before(operation, key);
    const value = act();
    await this.after(operation, key);
    return value;
  }
}

/** As of a storage that does not answer. */
export function unreachable(): AppError {
  return new AppError("unavailable", "cannot use the storage", { reason: "unreachable" });
}
