// Proof: `kill -9` at any moment of a busy context server loses no acknowledged write, exposes no partial push, lets no compare-and-swap succeed
// twice, and leaves an audit record and a working tree that agree with the versions, and an audit record that agrees with the users and tokens.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../src/kit/crypto.ts";
import { SPACE, filePath, type ContextClient } from "../kit/context/context-server.ts";
import { auditRecords, runContext, type RunningContext } from "../kit/context/running-context.ts";
import { chooser, type Proof, type Share } from "./proof.ts";

const WRITERS = 8;
const FILES_OF_A_PUSH = 3;
/** How long a server runs before it is killed, in ms. */
const LIFE_MS = { min: 20, max: 500 };

interface Acknowledged {
  readonly path: string;
  readonly version: number;
  readonly hash: string;
}

interface HistoryView {
  readonly path: string;
  readonly current: number | null;
  readonly versions: readonly { readonly version: number; readonly hash: string }[];
}

interface Tally {
  kills: number;
  readonly acknowledged: Acknowledged[];
  /** Names of acknowledged users. */
  readonly users: string[];
  /** Acknowledged increments of the shared counter. */
  counted: number;
  /** Requests in flight when the server was killed. Each may have incremented the counter without a response. */
  unanswered: number;
}

export async function killContext({ until, seed }: Share): Promise<Proof> {
  const choose = chooser(seed);
  const tally: Tally = { kills: 0, acknowledged: [], users: [], counted: 0, unanswered: 0 };
  const broken: string[] = [];
  await using server = await runContext();
  await server.admin.write("counter.txt", "0");
  do {
    await lifeAndDeath(server, tally, LIFE_MS.min + choose(LIFE_MS.max - LIFE_MS.min));
    await server.start();
    broken.push(...(await brokenIn(server, tally)));
  } while (broken.length === 0 && performance.now() < until);
  const { kills, acknowledged, users } = tally;
  const tried = `${kills} kills, ${acknowledged.length} acknowledged writes, ${users.length} acknowledged users`;
  return { tried, broken };
}

/** Runs writers until the server is gone. */
async function lifeAndDeath(server: RunningContext, tally: Tally, lifeMs: number): Promise<void> {
  const writers = Array.from({ length: WRITERS }, (_, index) => writeOn(server.admin, index, tally));
  await Bun.sleep(lifeMs);
  await server.end("SIGKILL");
  tally.kills += 1;
  await Promise.all(writers);
}

async function writeOn(client: ContextClient, writer: number, tally: Tally): Promise<void> {
  const deeds = [write, count, push, addUser];
  try {
    for (let turn = writer; ; turn += 1)
      await deeds[turn % deeds.length]!(client, `${tally.kills}-${writer}-${turn}`, tally);
  } catch {
    // The server was killed during a request.
    tally.unanswered += 1;
  }
}

/** Writes a file with many versions. */
async function write(client: ContextClient, text: string, tally: Tally): Promise<void> {
  const path = `own/${text.split("-")[1]}.md`;
  const { version, hash } = await client.write(path, text);
  tally.acknowledged.push({ path, version, hash });
}

/** Increments the counter with compare-and-swap; does nothing if another writer was faster. */
async function count(client: ContextClient, _text: string, tally: Tally): Promise<void> {
  const read = await client.raw("GET", filePath("counter.txt"));
  const number = Number(await read.text());
  const written = await client.raw("PUT", filePath("counter.txt"), {
    body: String(number + 1),
    headers: { "Content-Type": "text/plain", "If-Match": read.headers.get("ETag")! },
  });
  if (written.status === 412) return void (await written.body?.cancel());
  const { path, version, hash } = (await written.json()) as Acknowledged;
  tally.acknowledged.push({ path, version, hash });
  tally.counted += 1;
}

/** Pushes a set of new files. */
async function push(client: ContextClient, text: string, tally: Tally): Promise<void> {
  const ops = Array.from({ length: FILES_OF_A_PUSH }, (_, index) => ({
    op: "put",
    path: `together/${text}/${index}.md`,
    content_b64: Buffer.from(text).toString("base64"),
    expected: null,
  }));
  const { versions } = await client.post<{ versions: Acknowledged[] }>(`/spaces/${SPACE}/push`, { ops });
  tally.acknowledged.push(...versions);
}

/** Creates a user, who gets a first token, and a second token. */
async function addUser(client: ContextClient, text: string, tally: Tally): Promise<void> {
  const name = `u${text}`;
  await client.post("/users", { name, role: "viewer" });
  tally.users.push(name);
  await client.post(`/users/${name}/tokens`, {});
}

async function brokenIn(server: RunningContext, tally: Tally): Promise<string[]> {
  const files = await server.admin.get(`/spaces/${SPACE}/files`);
  const histories = new Map<string, HistoryView>();
  for (const { path } of files) histories.set(path, await server.admin.get(filePath(path, "history")));
  return [
    ...lost(histories, tally),
    ...miscounted(await server.admin.read("counter.txt"), tally),
    ...torn(files.map(({ path }) => path)),
    ...treeProblems(server.directory, files),
    ...(await recordProblems(server, histories)),
    ...(await peopleProblems(server, tally)),
  ];
}

function lost(histories: ReadonlyMap<string, HistoryView>, { acknowledged }: Tally): string[] {
  return acknowledged
    .filter(
      ({ path, version, hash }) =>
        !histories.get(path)?.versions.some((one) => one.version === version && one.hash === hash),
    )
    .map(({ path, version }) => `${path} v${version} was acknowledged and is lost`);
}

function miscounted(text: string, { counted, unanswered }: Tally): string[] {
  const number = Number(text);
  if (number >= counted && number <= counted + unanswered) return [];
  return [
    `the counter is at ${number}, after ${counted} acknowledged and at most ${unanswered} unanswered steps`,
  ];
}

function torn(paths: readonly string[]): string[] {
  const pushes = Map.groupBy(
    paths.filter((path) => path.startsWith("together/")),
    (path) => path.split("/")[1]!,
  );
  return [...pushes]
    .filter(([, files]) => files.length !== FILES_OF_A_PUSH)
    .map(([name, files]) => `only ${files.length} of ${FILES_OF_A_PUSH} files of push ${name} are there`);
}

function treeProblems(
  directory: string,
  files: readonly { path: string; hash: string; state: string }[],
): string[] {
  return files.flatMap(({ path, hash, state }) => {
    const inTree = sha256Hex(readFileSync(join(directory, "spaces", SPACE, path)));
    return state === "live" && inTree === hash
      ? []
      : [`${path} is ${state}, and the working tree differs from its live version`];
  });
}

/** Checks that the audit chain is intact and every version has its record. */
async function recordProblems(
  server: RunningContext,
  histories: ReadonlyMap<string, HistoryView>,
): Promise<string[]> {
  const verified = await server.admin.get("/audit/verify");
  if (!verified.ok) return [`audit verify: ${verified.problem}`];
  const recorded = new Set(
    auditRecords(server.directory)
      .filter(({ result }) => result === "ok")
      .map(({ target, version }) => `${target} v${version}`),
  );
  return [...histories.values()].flatMap(({ path, versions }) =>
    versions
      .filter(({ version }) => !recorded.has(`${path} v${version}`))
      .map(({ version }) => `${path} v${version} has no audit record`),
  );
}

/** Checks that every user and every token has exactly one record. */
async function peopleProblems({ admin, directory }: RunningContext, tally: Tally): Promise<string[]> {
  const records = auditRecords(directory).filter(({ result }) => result === "ok");
  const recorded = new Map<string, number>();
  for (const { action, target } of records)
    recorded.set(`${action} ${target}`, (recorded.get(`${action} ${target}`) ?? 0) + 1);
  const users = (await admin.get("/users")).map(({ name }) => name);
  const broken = tally.users
    .filter((name) => !users.includes(name))
    .map((name) => `${name} was acknowledged and is lost`);
  for (const name of users.filter((one) => one.startsWith("u"))) {
    const tokens = await admin.get(`/users/${name}/tokens`);
    // The first token belongs to the record of the user.
    const made = { "user.add": 1, "token.create": tokens.length - 1 };
    for (const [action, expected] of Object.entries(made)) {
      const found = recorded.get(`${action} ${name}`) ?? 0;
      if (found !== expected) broken.push(`${name}: ${expected} of ${action}, ${found} on record`);
    }
  }
  return broken;
}
