// Imports a workspace from a file, whole or not at all. The file is spooled and read twice: first to check all of it, then to store it.
//
// Rows are stored in small writes, in a workspace that nobody sees; after a crash the next start removes them. One last transaction creates what
// belongs to the whole server (gears, instructions), binds it, and makes the workspace visible. That transaction runs in steps, because it may
// create many gears; between them others read, and at worst see a gear a moment before it is durable.

import type { Clock } from "../../kit/clock.ts";
import type { Db } from "../../kit/storage/db.ts";
import { AppError, badParameter } from "../../kit/error.ts";
import { nameKey, parseName, type Name } from "../../kit/text/names.ts";
import { randomHex } from "../../kit/random.ts";
import { Semaphore } from "../../kit/concurrency/semaphore.ts";
import type { Spool, SpoolDirectory } from "../../kit/disk/spool.ts";
import type { Audit } from "../audit/audit.ts";
import type { Models } from "../catalog/models.ts";
import type { Files } from "../files/files.ts";
import type { Gears } from "../gears/gears.ts";
import { requireSignedIn, type Caller } from "../identity/caller.ts";
import type { Snapshots } from "../snapshot/snapshots.ts";
import type { Staging } from "../workspaces/staging.ts";
import type { AnyRecord } from "./format.ts";
import { recordsIn } from "./lines.ts";
import { asRefusal, Restoring, type Bases, type Target } from "./restoring.ts";
import { IMPORTS_AT_ONCE_MAX, type Imported, type ImportQuery } from "./schema.ts";
import type { Settling } from "./settling.ts";
import type { TransferStore } from "./store.ts";
import { Survey } from "./survey.ts";

const IMPORTS_WAITING_MAX = 4;
const RETRY_SECONDS = 10;
/** Of one write. */
const RECORDS_AT_ONCE = 64;
const CHARACTERS_AT_ONCE = 128 * 1024;
const CALL_PREFIX_BITS = 64;
const CHOICE = /^([1-9]\d{0,6}):([1-9]\d{0,14})$/;

export interface ImportDeps {
  readonly db: Db;
  readonly store: TransferStore;
  readonly spools: SpoolDirectory;
  readonly staging: Staging;
  readonly settling: Settling;
  readonly models: Models;
  readonly snapshots: Snapshots;
  readonly files: Files;
  readonly gears: Gears;
  readonly audit: Audit;
  readonly clock: Clock;
}

type Matched = ReadonlyMap<number, number>;

export class Imports {
  readonly #deps: ImportDeps;
  readonly #gate = new Semaphore(IMPORTS_AT_ONCE_MAX, {
    waitingMax: IMPORTS_WAITING_MAX,
    refusal: () =>
      new AppError("unavailable", `too many imports are running; try again in ${RETRY_SECONDS} s`, {
        retry_after_seconds: RETRY_SECONDS,
      }),
  });

  constructor(deps: ImportDeps) {
    this.#deps = deps;
  }

  /**
   * Anyone signed in, who becomes the owner. Raises `invalid` (damaged file), `refused` with `details.models` for models that this server lacks,
   * `conflict` (name taken), and what reading the body raises.
   */
  run(caller: Caller, query: ImportQuery, body: AsyncIterable<Uint8Array>): Promise<Imported> {
    return this.#gate.run(async () => {
      requireSignedIn(caller);
      // Before the body, which may be large.
      const name = query.name === undefined ? undefined : parseName("name", query.name);
      await using spool = this.#deps.spools.open();
      for await (const piece of body) await spool.write(piece);
      const survey = new Survey();
      for await (const record of recordsIn(spool)) survey.take(record);
      await survey.finish();
      for (const { args_schema } of survey.gears) await this.#deps.gears.requireSchema(caller, args_schema);
      const matched = this.#match(survey, query.models);
      return await this.#store(caller, name, { spool, survey, matched });
    });
  }

  async #store(
    caller: Caller,
    name: Name | undefined,
    { spool, survey, matched }: { spool: Spool; survey: Survey; matched: Matched },
  ): Promise<Imported> {
    const { db, staging, settling, files } = this.#deps;
    const staged = await db.write(() => ({
      id: staging.beginIn(caller, survey.header!, name),
      bases: this.#reserve(survey),
    }));
    try {
      const restoring = this.#restoring(caller, survey, matched, staged);
      await this.#restore(spool, restoring, staged.id);
      return await db.writeInSteps(
        () => settling.settle(caller, survey, staged.id, (agent) => restoring.agentId(agent)),
        function* () {},
      );
    } catch (error) {
      staging.abandon(staged.id);
      await files.removeAll(staged.id);
      throw asRefusal(error);
    }
  }

  #restoring(
    caller: Caller,
    survey: Survey,
    matched: Matched,
    { id, bases }: { id: number; bases: Bases },
  ): Restoring {
    const { store, models, snapshots } = this.#deps;
    const fallback = [...survey.needed].map((number) => matched.get(number)!)[0]!;
    const named = new Map(models.list().map((one) => [keyOf(one.provider_name, one.model_name), one.id]));
    const target: Target = {
      store,
      survey,
      caller,
      workspaceId: id,
      bases,
      callPrefix: `call_${randomHex(CALL_PREFIX_BITS)}`,
      model: (number) => matched.get(number) ?? fallback,
      modelNamed: (provider, name) => named.get(keyOf(provider, name)) ?? fallback,
    };
    return new Restoring(target, () => snapshots.keep(id));
  }

  /** Stores rows in portions, and files between them. */
  async #restore(spool: Spool, restoring: Restoring, workspaceId: number): Promise<void> {
    const { db, files } = this.#deps;
    let portion: (() => void)[] = [];
    let characters = 0;
    const flush = async () => {
      const run = portion;
      portion = [];
      characters = 0;
      // Durability does not matter before the last transaction: after a power failure, the next start removes what is there.
      await db.write(() => run.forEach((insert) => insert()), { relaxed: true });
    };
    for await (const record of recordsIn(spool, "checked before")) {
      if (record.type === "file") {
        await files.restore(workspaceId, record.path, Buffer.from(record.content, record.encoding));
        continue;
      }
      portion.push(() => restoring.insert(record));
      characters += charactersOf(record);
      if (portion.length >= RECORDS_AT_ONCE || characters >= CHARACTERS_AT_ONCE) await flush();
    }
    for (const insert of restoring.asides()) if (portion.push(insert) >= RECORDS_AT_ONCE) await flush();
    await flush();
  }

  /** Raises ids past those of the file, so that references become sums and nobody else gets one. Runs inside a write. */
  #reserve({ agents, conversation }: Survey): Bases {
    const { store } = this.#deps;
    const { turns, runs, entries, parts } = conversation;
    const counts = { agents, turns, runs, entries, prompt_parts: parts };
    return Object.fromEntries(
      Object.entries(counts).map(([table, count]) => {
        store.knowTable.run(table, table);
        return [table, store.reserve.get(count, table)!.seq - count];
      }),
    ) as Bases;
  }

  /** Models of this server by their number in the file: as chosen, otherwise by the names of provider and model. */
  #match({ models: wanted, needed }: Survey, choices: string | undefined): Matched {
    const { models } = this.#deps;
    const chosen = this.#chosen(choices);
    const unknown = chosen.keys().find((number) => !wanted.some(({ id }) => id === number));
    if (unknown !== undefined) throw badParameter("models", `the file has no model ${unknown}`);
    const known = new Map(models.list().map((one) => [keyOf(one.provider_name, one.model_name), one.id]));
    const matched = new Map<number, number>();
    const missing: Record<string, string> = {};
    for (const { id, provider, name } of wanted) {
      const found = chosen.get(id) ?? known.get(keyOf(provider, name));
      if (found !== undefined) matched.set(id, found);
      else if (needed.has(id)) missing[id] = `${provider} / ${name}`;
    }
    const names = Object.values(missing);
    if (names.length > 0)
      throw new AppError(
        "refused",
        `this server lacks models that agents of the workspace use: ${names.join(", ")}; choose others with the parameter models`,
        { models: missing },
      );
    return matched;
  }

  #chosen(choices: string | undefined): Map<number, number> {
    const chosen = new Map<number, number>();
    for (const choice of choices?.split(",") ?? []) {
      const [, number, id] = CHOICE.exec(choice) ?? [];
      if (id === undefined) throw badParameter("models", "expected pairs like 1:14,2:15");
      if (chosen.has(Number(number))) throw badParameter("models", `names model ${number} of the file twice`);
      chosen.set(Number(number), this.#deps.models.existing(Number(id)).id);
    }
    return chosen;
  }
}

function keyOf(provider: string, model: string): string {
  return `${nameKey(provider)}\n${model}`;
}

function charactersOf(record: AnyRecord): number {
  let characters = 0;
  for (const value of Object.values(record)) if (typeof value === "string") characters += value.length;
  return characters;
}
