// Two nodes of the compiled context server with a scripted object storage: writes through the one that leads, beside the same server with one node, and
// the time until the other node answers after a stop and after a kill.

import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { configure } from "../kit/context/context-server.ts";
import { runContext, serveContext } from "../kit/context/running-context.ts";
import { until } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { ScriptedStorage } from "../kit/object-storage.ts";
import { rate, writes } from "./context-writes.ts";
import { figure, timed, type Row } from "./row.ts";

const MANY = 64;

export async function run(): Promise<Row[]> {
  await using storage = await ScriptedStorage.start();
  await using folder = await temporaryFolder();
  await using first = await runContext();
  const { bootstrap, directory } = first;
  await writes(first.url, bootstrap, MANY);
  const alone = {
    one: await writes(first.url, bootstrap, 1),
    many: await writes(first.url, bootstrap, MANY),
  };
  await first.end("SIGTERM");
  const { bucket, endpoint, region, credentials } = storage;
  const { accessKeyId, secretAccessKey } = credentials;
  const behind = ["env", `AWS_ACCESS_KEY_ID=${accessKeyId}`, `AWS_SECRET_ACCESS_KEY=${secretAccessKey}`];
  const node = (name: string) => ({ replication: { bucket, endpoint, region, node: name } });
  configure(directory, node("first"));
  await first.start({ behind });
  await writes(first.url, bootstrap, MANY);
  const one = await writes(first.url, bootstrap, 1);
  const many = await writes(first.url, bootstrap, MANY);
  const other = join(folder.path, "other");
  mkdirSync(other, { mode: 0o700 });
  for (const name of ["server.yaml", "secrets.key"]) cpSync(join(directory, name), join(other, name));
  configure(other, node("second"));
  await using second = await serveContext(other, bootstrap, { behind, says: "on standby" });
  const answers = (url: () => string) => until(async () => (await statusOf(url())) === 200);
  await until(async () => (await statusOf(second.url)) === 503);
  await until(() => storage.requests.some((asked) => asked.includes("manifest.json")));
  const stopped = await timed(async () => {
    await first.end("SIGTERM");
    await answers(() => second.url);
  });
  await first.start({ behind, says: "on standby" });
  // Before it has copied everything, no node can take over.
  await until(() => existsSync(join(directory, "spaces/team/.cairn/tree-shown.json")));
  const killed = await timed(async () => {
    await second.kill();
    await answers(() => first.url);
  });
  return [
    rate("replicated writes of 2 KB, 64 at once", many.rate, 2000, alone.many.rate),
    figure("  the same, p99", many.p99, { atMost: 100, limit: alone.many.p99 }),
    rate("replicated writes of 2 KB, one after the other", one.rate, 100, alone.one.rate),
    figure("the other node answers, after a stop", stopped, { atMost: 3_000 }),
    figure("the other node answers, after a kill", killed, { atMost: 20_000 }),
  ];
}

async function statusOf(url: string): Promise<number> {
  return fetch(`${url}/health`).then(
    ({ status }) => status,
    () => 0,
  );
}
