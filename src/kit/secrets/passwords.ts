// Passwords: argon2id, equal work for every failure, and a limit on concurrent checks (each takes 64 MiB).

import { AppError, fieldError } from "../error.ts";
import { Semaphore } from "../concurrency/semaphore.ts";

export const PASSWORD_CHARACTERS_MIN = 8;
export const PASSWORD_CHARACTERS_MAX = 1024;

const CHECKS_AT_ONCE_MAX = 2;
const CHECKS_WAITING_MAX = 50;
const HASHING = { algorithm: "argon2id", memoryCost: 65_536, timeCost: 2 } as const;

const checks = new Semaphore(CHECKS_AT_ONCE_MAX, {
  waitingMax: CHECKS_WAITING_MAX,
  refusal: () =>
    new AppError("rate_limited", "too many logins at once; try again", { retry_after_seconds: 5 }),
});
let decoy: Promise<string> | undefined;

/** Raises `invalid`. Length is counted in code points of the given text; nothing is trimmed. */
export function checkPasswordShape(password: string): void {
  const length = [...password].length;
  if (length < PASSWORD_CHARACTERS_MIN) {
    throw fieldError("invalid", "password", `at least ${PASSWORD_CHARACTERS_MIN} characters`);
  }
  if (length > PASSWORD_CHARACTERS_MAX) {
    throw fieldError("invalid", "password", `at most ${PASSWORD_CHARACTERS_MAX} characters`);
  }
}

export function hashPassword(password: string): Promise<string> {
  return checks.run(() => Bun.password.hash(password, HASHING));
}

/** Without a hash (unknown user, no password), does the same work against a decoy and returns false. */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  if (password.length > PASSWORD_CHARACTERS_MAX * 4) return false;
  decoy ??= Bun.password.hash("decoy", HASHING);
  const against = hash ?? (await decoy);
  const matches = await checks.run(() => Bun.password.verify(password, against));
  return matches && hash !== null;
}
