// Goal: a stolen hash is expensive to guess from, and a login costs the same whether or not there is such a user. Asked of a process of its own,
// because the tests' own hashes passwords with little work.

import { expect, test } from "bun:test";
import { join } from "node:path";

const PASSWORDS = join(import.meta.dir, "..", "..", "..", "src", "kit", "secrets", "passwords.ts");

/** Processor time of checks, in ms. */
interface Asked {
  readonly hash: string;
  readonly answers: Readonly<Record<"right" | "wrong" | "nobody" | "long", boolean>>;
  readonly spent: Readonly<Record<"wrong" | "nobody" | "long", number>>;
}

async function asked(): Promise<Asked> {
  const code = `
    const { hashPassword, verifyPassword } = await import(${JSON.stringify(PASSWORDS)});
    const hash = await hashPassword("correct horse");
    // The first check without a hash makes one to check against.
    await verifyPassword("anything", null);
    const spent = {};
    const timed = async (name, password, against) => {
      const before = process.cpuUsage();
      const answer = await verifyPassword(password, against);
      const { user, system } = process.cpuUsage(before);
      spent[name] = (user + system) / 1000;
      return answer;
    };
    const answers = {
      right: await timed("right", "correct horse", hash),
      wrong: await timed("wrong", "wrong horse", hash),
      nobody: await timed("nobody", "correct horse", null),
      long: await timed("long", "x".repeat(1_000_000), hash),
    };
    console.log(JSON.stringify({ hash, answers, spent }));`;
  const child = Bun.spawn([process.execPath, "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  return JSON.parse(await child.stdout.text()) as Asked;
}

test("a hash takes 64 MiB and two passes of argon2id, and so does a check without a user", async () => {
  const { hash, answers, spent } = await asked();
  expect(hash).toStartWith("$argon2id$v=19$m=65536,t=2,p=1$");
  expect(answers).toEqual({ right: true, wrong: false, nobody: false, long: false });
  expect(spent.nobody).toBeGreaterThan(spent.wrong / 2);
  expect(spent.wrong).toBeGreaterThan(spent.nobody / 2);
  expect(spent.long).toBeLessThan(spent.wrong / 2);
});
