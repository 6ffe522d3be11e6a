// Hashes passwords with little work: at the product's cost, one takes a tenth of a second, and the tests hash about a thousand. A hash names its
// cost, so checking one is as quick. Programs that tests start keep the product's cost (tests/unit/kit/passwords.test.ts holds them to it).

import { within } from "./within.ts";

const LIGHT = { algorithm: "argon2id", memoryCost: 64, timeCost: 1 } as const;

/** For this process. */
export function lightenPasswords(): void {
  const hash = Bun.password.hash.bind(Bun.password);
  Bun.password.hash = (password) => hash(password, LIGHT);
}

interface Held {
  /** Resolves when it has begun. Rejects if that takes longer than tests wait, from the question on. */
  readonly begun: Promise<void>;
  go(): void;
}

/** The next hash of this process begins and waits for `go`. */
export function holdHashing(): Held {
  return hold("hash");
}

/** The next check of a password in this process begins and waits for `go`. */
export function holdChecking(): Held {
  return hold("verify");
}

function hold(step: "hash" | "verify"): Held {
  const { password } = Bun as unknown as { password: Record<string, (...given: unknown[]) => unknown> };
  const real = password[step]!;
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  password[step] = async (...given) => {
    password[step] = real;
    begun.resolve();
    await released.promise;
    return real(...given);
  };
  return {
    get begun() {
      return within(`a password reaches ${step}`, begun.promise);
    },
    go: released.resolve,
  };
}
