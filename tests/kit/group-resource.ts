// One thing for all tests of a group: made before the first, disposed of after the last.
//
//   const at = shared(() => world({ workers: ["scout"] }));
//   test("…", async () => expect(await at.chat("Go.")).toMatchObject(…));

import { afterAll, beforeAll } from "bun:test";

/** A busy machine, a browser and two programs. */
const SETUP_MS_MAX = 60_000;

/** Stands for what `make` resolves with; nothing may be read from it before the tests run. */
export function shared<T extends AsyncDisposable>(make: () => Promise<T>): T {
  let made: T | undefined;
  beforeAll(async () => void (made = await make()), SETUP_MS_MAX);
  afterAll(() => made?.[Symbol.asyncDispose](), SETUP_MS_MAX);
  return new Proxy({} as T, {
    get(_, key) {
      if (made === undefined) throw new Error(`${String(key)} was read before the tests run`);
      const value: unknown = Reflect.get(made, key, made);
      return typeof value === "function" ? value.bind(made) : value;
    },
  });
}
