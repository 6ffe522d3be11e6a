// Proof: copies of one space converge and lose nothing, in many worlds (sync-world.ts).

import { binaryPath } from "../kit/binaries.ts";
import type { Proof, Share } from "./proof.ts";
import { runWorld } from "./sync-world.ts";

const DEEDS = 120;

export async function proveSync({ until, seed }: Share): Promise<Proof> {
  let worlds = 0;
  let broken: string[] = [];
  do {
    const at = seed + worlds;
    broken = (await runWorld({ seed: at, deeds: DEEDS, program: binaryPath("cairn") })).map(
      (problem) => `seed ${at}: ${problem}`,
    );
    worlds += 1;
  } while (broken.length === 0 && performance.now() < until);
  return { tried: `${worlds} worlds of ${DEEDS} deeds`, broken };
}
