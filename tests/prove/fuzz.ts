// Proof: for any valid or invalid input, neither program returns 5xx or a response that its OpenAPI document does not declare; afterwards it is
// healthy, its audit record is intact and it stops cleanly. Runs as an admin and as users with few rights.

import { join } from "node:path";
import { createLocalSpace } from "../../src/context/space/local.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { brokenStorage } from "../kit/service/invariants.ts";
import { say } from "../kit/model/index.ts";
import { runContext } from "../kit/context/running-context.ts";
import type { LogLine } from "../kit/log-reader.ts";
import { localDeps } from "../kit/context/space-doors.ts";
import { prepared, type Existing } from "./document.ts";
import { attack, type Attacked } from "./fuzzer.ts";
import type { Proof, Share } from "./proof.ts";
import { compiledWorld } from "../kit/service/world.ts";

const PASS_SECONDS = 30;
const PASS_SECONDS_MIN = 5;
const MS_PER_SECOND = 1_000;

/** Streams and sockets do not end; the others would connect elsewhere or revoke the fuzzer's own credential. */
const WITHOUT = { context: /\/(events|backup|auth\/token)$/, service: /\/(events|terminal|test|logout)$/ };

const RECORDS = [1, 2, 3];
const EXISTING: { context: Existing; service: Existing } = {
  context: {
    space: ["team"],
    user: ["ada", "bob"],
    path: ["a.md", "notes/b.md"],
    id: RECORDS,
    version: RECORDS,
    from: RECORDS,
    to: RECORDS,
  },
  service: {
    id: RECORDS,
    workspace_id: [1],
    team_id: [1],
    user_id: [2],
    path: ["notes.md", "a/b.txt"],
  },
};

interface Pass {
  readonly who: string;
  readonly run: (
    fuzzer: string,
    seconds: number,
    seed: number,
  ) => Promise<{ attacked: Attacked; broken: string[] }>;
}

const PASSES: readonly Pass[] = [
  { who: "cairn server as admin", run: (...how) => contextPass("admin", ...how) },
  { who: "service as admin", run: (...how) => servicePass("admin", ...how) },
  { who: "cairn server as contributor", run: (...how) => contextPass("contributor", ...how) },
  { who: "service as member", run: (...how) => servicePass("member", ...how) },
];

/** `fuzzer`: the path of the program. */
export async function fuzz(fuzzer: string, { until, seed }: Share): Promise<Proof> {
  const broken: string[] = [];
  let cases = 0;
  let passes = 0;
  for (; passes < PASSES.length || performance.now() < until; passes += 1) {
    const { who, run } = PASSES[passes % PASSES.length]!;
    const passSeed = seed + passes;
    const { attacked, broken: found } = await run(fuzzer, secondsFor(passes, until), passSeed);
    cases += attacked.cases;
    const failures = attacked.failure === undefined ? found : [attacked.failure, ...found];
    broken.push(...failures.map((failure) => `${who}, seed ${passSeed}: ${failure}`));
  }
  return { tried: `${cases} requests in ${passes} passes`, broken };
}

/** Gives each kind of pass its share, however short the time. */
function secondsFor(passes: number, until: number): number {
  const left = (until - performance.now()) / MS_PER_SECOND / Math.max(1, PASSES.length - passes);
  return Math.round(Math.min(PASS_SECONDS, Math.max(PASS_SECONDS_MIN, left)));
}

async function contextPass(role: "admin" | "contributor", fuzzer: string, seconds: number, seed: number) {
  await using server = await runContext();
  const { token } = await server.admin.post("/users", { name: "fuzzer", role });
  for (const name of EXISTING.context["user"]!) await server.admin.post("/users", { name, role: "viewer" });
  for (const path of EXISTING.context["path"]!) {
    await server.admin.write(String(path), "one [[a]]");
    await server.admin.write(String(path), "two");
  }
  await server.admin.post("/spaces/team/snapshots", { name: "first" });
  const document = prepared(await server.admin.get("/openapi.json"), EXISTING.context);
  const attacked = await attack(fuzzer, {
    url: server.url,
    document,
    token,
    without: WITHOUT.context,
    seconds,
    seed,
  });
  const broken = [...failuresIn(server.log), ...tooFewAccepted(server.log)];
  const health = await fetch(`${server.url}/health`);
  if (health.status !== 200) broken.push(`/health: ${health.status} ${await health.text()}`);
  const ended = await server.end("SIGTERM");
  if (ended.exitCode !== 0) broken.push(`stopped with ${JSON.stringify(ended)}`);
  const verified = await server.cairn("audit", "verify");
  if (verified.exitCode !== 0) broken.push(`audit verify: ${verified.stdout}${verified.stderr}`);
  return { attacked, broken };
}

async function servicePass(role: "admin" | "member", fuzzer: string, seconds: number, seed: number) {
  await using home = await temporaryFolder();
  const space = { directory: join(home.path, ".cairn", "space"), name: "notes", template: "team" };
  await (await createLocalSpace(space, localDeps)).close();
  await using at = await compiledWorld({ model: true, environment: { HOME: home.path } });
  await at.addModel("worker");
  for (const name of ["boss", "worker"]) at.model.on(name, () => say("Done."));
  const service = at.program;
  // Uses a token, because requests with the fuzzer's headers lose the loopback privilege. The extra users give the fuzzer's user an id that it
  // rarely guesses.
  for (const name of ["ada", "bob", "cem", "dan", "eve"]) await service.admin.post("/users", { name });
  const { token } = await service.admin.post("/users", { name: "fuzzer", role });
  await service.admin.post("/teams", { name: "a team" });
  await service.admin.raw("PUT", `${at.own}/file?path=notes.md`, { body: "a note" });
  const document = prepared(await service.admin.get("/openapi.json"), EXISTING.service);
  const attacked = await attack(fuzzer, {
    url: service.url,
    document,
    token,
    without: WITHOUT.service,
    seconds,
    seed,
  });
  const broken = [...failuresIn(service.log), ...tooFewAccepted(service.log)];
  const health = await fetch(`${service.url}/health`);
  if (health.status !== 200) broken.push(`/health: ${health.status} ${await health.text()}`);
  const audit = await service.admin.get("/audit/verify");
  if (!audit.ok) broken.push(`audit verify: ${JSON.stringify(audit)}`);
  const ended = await service.end("SIGTERM");
  if (ended.exitCode !== 0) broken.push(`stopped with ${JSON.stringify(ended)}`);
  return { attacked, broken: [...broken, ...(await brokenStorage(service.data))] };
}

/** Returns the errors in the program's own log. */
function failuresIn(log: readonly LogLine[]): string[] {
  const errors = log.filter(({ level }) => level === "error");
  return [...new Set(errors.map(({ message, error }) => `the log says: ${message}: ${String(error)}`))];
}

/** The minimum share of accepted requests. A contributor reaches 2 % or more; with an invalid credential, none is accepted. */
const ACCEPTED_SHARE_MIN = 0.005;

/** Fails if nearly all requests were refused, because that would prove nothing. */
function tooFewAccepted(log: readonly LogLine[]): string[] {
  const statuses = log.filter(({ message }) => message === "answered").map(({ status }) => Number(status));
  const accepted = statuses.filter((status) => status < 300).length;
  return accepted >= statuses.length * ACCEPTED_SHARE_MIN
    ? []
    : [`only ${accepted} of ${statuses.length} requests were accepted`];
}
