// `cairn audit …`: reads, verifies and exports the audit record.

import { defineCommand } from "citty";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { auditPath } from "../../context/audit/audit-file.ts";
import { doorState } from "../../context/people/local-door.ts";
import {
  auditResults,
  breakText,
  exportFormats,
  type AuditBreak,
  type AuditRecord,
  type AuditStats,
  type AuditVerification,
} from "../../context/audit/schema.ts";
import { oneOfWords } from "../../kit/terminal/arguments.ts";
import { processEnvironment, temporaryDirectory } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { formatOf, printBytes, printData } from "../../kit/terminal/output.ts";
import { serverCommand } from "../command.ts";
import { connected, connectionArgs, tellServer, type ConnectionFlags } from "../connection.ts";
import { serverTarget } from "../target.ts";
import { plural, table, when } from "../tables.ts";
import { isAlive } from "./server-door.ts";

const filters = {
  actor: { type: "string", valueHint: "name", description: "Only records of this user" },
  action: { type: "string", valueHint: "word", description: "Only this action, for example file.write" },
  space: { type: "string", valueHint: "name", description: "Only records of this space" },
  result: oneOfWords(auditResults, {
    type: "string",
    valueHint: "word",
    description: "Only this result: ok, denied or error",
  }),
  since: { type: "string", valueHint: "time", description: "Start: a time (RFC 3339), or a date in UTC" },
  until: { type: "string", valueHint: "time", description: "End: a time (RFC 3339), or a date in UTC" },
} as const;

export const auditList = serverCommand({
  name: "list",
  description: "List changes and refusals, newest first",
  args: {
    ...filters,
    limit: { type: "string", valueHint: "count", description: "Maximum number of records (default: 100)" },
  },
  ask: (client, args) => {
    const { actor, action, space, result, since, until, limit } = args;
    return client.get<AuditRecord[]>("/audit", { actor, action, space, result, since, until, limit });
  },
  show: (records) =>
    table(
      records.map((one) => [
        one.seq,
        when(one.time),
        one.actor.name || null,
        one.actor.auth,
        one.action,
        [one.space, one.target].filter(Boolean).join("/"),
        one.result === "ok" ? "ok" : `${one.result}: ${one.error}`,
      ]),
      ["SEQ", "TIME", "WHO", "BY", "WHAT", "WHERE", "RESULT"],
      "no records",
    ),
});

export const auditStats = serverCommand({
  name: "stats",
  description: "Count records by action and result",
  args: {},
  ask: (client) => client.get<AuditStats>("/audit/stats"),
  show: (stats) =>
    [
      plural(stats.entries, "entry", "entries"),
      table(Object.entries(stats.results).sort(), ["RESULT", "COUNT"], ""),
      table(Object.entries(stats.actions).sort(), ["ACTION", "COUNT"], ""),
    ].join("\n"),
});

export const auditVerify = defineCommand({
  meta: {
    name: "verify",
    description: "Verify the hash chain, and name the first line that was edited, removed or moved",
  },
  args: {
    file: { type: "string", valueHint: "file", description: "Verify this file by itself, without a server" },
    ...connectionArgs,
  },
  async run({ args }) {
    const found = await (args.file === undefined ? verifyServer(args) : verifyFile(resolve(args.file)));
    await printData(found, formatOf(args), verificationText);
    if (found.ok) return;
    const place = found.line === null ? "" : `line ${found.line}: `;
    throw new AppError("refused", `the audit record is broken: ${place}${found.problem}`);
  },
});

/** Reads the files of a stopped server directly, since opening it would write. */
async function verifyServer(args: ConnectionFlags): Promise<AuditVerification> {
  const environment = processEnvironment();
  const target = serverTarget(args, environment);
  if (target.kind === "address" || isAlive(await doorState(target.directory)))
    return connected(args, (client) => client.get<AuditVerification>("/audit/verify"));
  const [{ verifyOffline }, { lookAt }, { DATABASE_NAME }] = await Promise.all([
    import("../../context/audit/audit.ts"),
    import("../../kit/storage/db-untouched.ts"),
    import("../../context/main.ts"),
  ]);
  const { directory } = target;
  const found = await lookAt(join(directory, DATABASE_NAME), temporaryDirectory(environment), (db) =>
    verifyOffline(auditPath(directory), db),
  );
  await tellServer(target);
  return found;
}

async function verifyFile(path: string): Promise<AuditVerification> {
  const { verifyAuditFile } = await import("../../context/audit/verify.ts");
  if (!existsSync(path)) throw new AppError("not_found", `${path}: no such file`);
  return verifyAuditFile(path);
}

function verificationText(found: AuditVerification): string {
  const lines = [verdictText(found), ...found.breaks.map(breakLine)];
  return lines.join("\n");
}

function breakLine(one: AuditBreak): string {
  const state =
    one.acknowledged_at === null ? "" : `; acknowledged ${one.acknowledged_at} by ${one.acknowledged_by}`;
  return `break ${one.id}, found ${one.noticed_at}: ${breakText(one)}${state}`;
}

function verdictText(found: AuditVerification): string {
  const { acknowledged } = found;
  const skipped = [
    found.skipped > 0 ? `, ${found.skipped} without a hash skipped` : "",
    acknowledged > 0 ? `, ${plural(acknowledged, "line")} as acknowledged` : "",
  ].join("");
  const anchored = found.anchored ? "" : "; without the server, a truncated end cannot be detected";
  if (found.ok)
    return `the chain is intact: ${plural(found.entries, "entry", "entries")} verified${skipped}${anchored}`;
  if (found.line === null) return found.problem ?? "";
  return `line ${found.line}: ${found.problem} (${plural(found.entries, "entry is", "entries are")} intact before it${skipped})`;
}

export const auditAcknowledge = serverCommand({
  name: "acknowledge",
  description:
    "Accept a break that audit verify reports: the acknowledgement is recorded, and the break is no longer reported",
  args: {},
  ask: async (client) => {
    const { breaks } = await client.get<AuditVerification>("/audit/verify");
    const newest = breaks.at(-1);
    if (!newest) throw new AppError("conflict", "nothing to acknowledge: the audit record is intact");
    return client.json<AuditBreak[]>("POST", "/audit/acknowledge", { body: { up_to: newest.id } });
  },
  show: (breaks) => breaks.map(breakLine).join("\n"),
});

export const auditExport = defineCommand({
  meta: { name: "export", description: "Print the audit record as JSON lines or CSV" },
  args: {
    format: oneOfWords(exportFormats, {
      type: "string",
      valueHint: "word",
      description: "jsonl or csv (default: jsonl)",
    }),
    ...filters,
    ...connectionArgs,
  },
  async run({ args }) {
    const { format, actor, action, space, result, since, until } = args;
    await connected(args, async (client) => {
      const query = { format, actor, action, space, result, since, until };
      const { body } = await client.request("GET", "/audit/export", { query });
      for await (const chunk of body ?? []) await printBytes(chunk);
    });
  },
});
