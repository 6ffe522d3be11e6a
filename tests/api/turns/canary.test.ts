// Goal: the provider's key is in no response, event, log line, stored row or error, however a provider leaks it.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { DATABASE_NAME } from "../../../src/service/main.ts";
import { call, echoKey, errorInStream, httpError, redirect, say } from "../../kit/model/index.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { KEY, protocols, QUICK, type World, world } from "../../kit/service/world.ts";

/** Everything stored, except the columns of keys. */
function storedText(path: string): string {
  const db = new Database(path, { readonly: true });
  const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const rows = tables.flatMap(({ name }) =>
    db
      .query<Record<string, unknown>, []>(`SELECT * FROM "${name}"`)
      .all()
      .map((row) => ({ table: name, ...row })),
  );
  db.close();
  return JSON.stringify(rows.map((row) => (row.table === "providers" ? { ...row, api_key: "" } : row)));
}

async function everythingAnswered(lab: World, turnIds: readonly number[]): Promise<string> {
  const paths = [
    "/providers",
    "/models",
    "/audit",
    `${lab.own}/entries`,
    `${lab.own}/turns`,
    `${lab.own}/usage`,
  ];
  const answers = await Promise.all(paths.map((path) => lab.admin.get(path)));
  for (const id of turnIds) {
    const calls = await lab.calls(id);
    answers.push(calls, await Promise.all(calls.map((each) => lab.admin.get(`/calls/${each.id}`))));
  }
  return JSON.stringify(answers);
}

test.each(protocols)("%s: hides a key that the provider leaks", async (protocol) => {
  await using folder = await temporaryFolder();
  await using lab = await world({ protocol, data: folder.path, times: QUICK });
  await lab.addWorker("ann");
  lab.model.script("boss", [
    echoKey(),
    echoKey(500),
    echoKey(500),
    echoKey(500),
    httpError(400, `${"x".repeat(495)}{key}`),
    httpError(429, "{key}", { retryAfter: "{key}" }),
    echoKey(429),
    echoKey(400),
    redirect(`${lab.model.url}/{key}`),
    [say("some words"), errorInStream("wrong key {key}", "{key}")],
    errorInStream("wrong key {key}"),
    [call("delegate", { agent: "ann", task: "x" })],
    say("done"),
  ]);
  lab.model.script("ann", [echoKey()]);
  const turns = [];
  for (let n = 0; n < 8; n++) turns.push(await lab.chat(`try ${n}`));
  expect(turns.map(({ turn }) => turn.status)).toEqual([...Array(7).fill("failed"), "done"]);
  expect(turns.map(({ turn }) => turn.error).join()).toContain("[api key]");
  const answered = await everythingAnswered(
    lab,
    turns.map(({ turn }) => turn.id),
  );
  await lab.program.service.stop("test");
  const seen = {
    events: JSON.stringify(turns),
    answered,
    log: lab.program.log.join("\n"),
    stored: storedText(join(folder.path, DATABASE_NAME)),
  };
  expect(seen.stored).toContain("try 7");
  for (const [where, text] of Object.entries(seen)) {
    for (const form of [KEY, KEY.slice(0, 12), Buffer.from(KEY).toString("base64")])
      expect([where, text.includes(form)]).toEqual([where, false]);
  }
});
