// The same plain request to a program and to the least one that could answer it, in turn, so that both see the same machine.

import { load, processorMs } from "./programs.ts";

const CONNECTIONS = 64;
const MILLISECONDS = 3000;
const ROUNDS = 3;

interface Answering {
  readonly pid: number;
  readonly port: number;
  readonly path: string;
  readonly headers?: string[];
}

interface Answered {
  /** Of its best round, 1/s. */
  readonly rate: number;
  /** Processor time of one request, µs. */
  readonly cost: number;
}

/** After a round that is not measured: the first seconds of a server go into compiling it. */
export async function inTurn(
  limit: Answering,
  ours: Answering,
): Promise<{ limit: Answered; ours: Answered }> {
  const rounds = { limit: [] as Answered[], ours: [] as Answered[] };
  for (let round = 0; round <= ROUNDS; round++) {
    const [one, other] = [await measure(limit), await measure(ours)];
    if (round === 0) continue;
    rounds.limit.push(one);
    rounds.ours.push(other);
  }
  return { limit: together(rounds.limit), ours: together(rounds.ours) };
}

async function measure({ pid, port, path, headers }: Answering): Promise<Answered> {
  const before = await processorMs(pid);
  const { rate } = await load(port, path, CONNECTIONS, MILLISECONDS, headers);
  const spentMs = (await processorMs(pid)) - before;
  return { rate, cost: (spentMs * 1000) / ((rate * MILLISECONDS) / 1000) };
}

function together(rounds: readonly Answered[]): Answered {
  const answered = rounds.reduce((sum, { rate }) => sum + rate, 0);
  const spent = rounds.reduce((sum, { rate, cost }) => sum + rate * cost, 0);
  return { rate: Math.max(...rounds.map(({ rate }) => rate)), cost: spent / answered };
}
