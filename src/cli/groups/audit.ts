// `cairn audit …`: what was changed and what was refused, by whom; and whether the record still holds.

import { defineCommand } from "citty";
import { resolve } from "node:path";
import {
  auditResults,
  exportFormats,
  type AuditRecord,
  type AuditStats,
  type AuditVerification,
} from "../../context/audit/schema.ts";
import { oneOfWords } from "../../kit/arguments.ts";
import { AppError } from "../../kit/error.ts";
import { formatOf, printBytes, printData } from "../../kit/output.ts";
import { serverCommand } from "../command.ts";
import { connected, connectionArgs } from "../connection.ts";
import { plural, table } from "../text.ts";

const filters = {
  actor: { type: "string", valueHint: "name", description: "Only what this user did" },
  action: { type: "string", valueHint: "word", description: "Only this, for example file.write" },
  space: { type: "string", valueHint: "name", description: "Only in this space" },
  result: oneOfWords(auditResults, {
    type: "string",
    valueHint: "word",
    description: "Only ok, denied or error",
  }),
  since: { type: "string", valueHint: "time", description: "Not before: a time (RFC 3339) or a date" },
  until: { type: "string", valueHint: "time", description: "Not after: a time (RFC 3339) or a date" },
} as const;

export const auditList = serverCommand({
  name: "list",
  description: "List what was changed and what was refused, newest first",
  args: {
    ...filters,
    limit: { type: "string", valueHint: "count", description: "At most so many (default: 100)" },
  },
  ask: (client, args) => {
    const { actor, action, space, result, since, until, limit } = args;
    return client.get<AuditRecord[]>("/audit", { actor, action, space, result, since, until, limit });
  },
  show: (records) =>
    table(
      records.map((one) => [
        one.seq,
        one.time,
        one.actor.name || null,
        one.actor.auth,
        one.action,
        [one.space, one.target].filter(Boolean).join("/"),
        one.result === "ok" ? "ok" : `${one.result}: ${one.error}`,
      ]),
      ["SEQ", "TIME", "WHO", "BY", "WHAT", "WHERE", "RESULT"],
      "nothing on record",
    ),
});

export const auditStats = serverCommand({
  name: "stats",
  description: "Count the record by action and result",
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
    description: "Recompute the chain and name the first line that was edited, removed or moved",
  },
  args: {
    file: { type: "string", valueHint: "file", description: "Check a file by itself, without a server" },
    ...connectionArgs,
  },
  async run({ args }) {
    const found =
      args.file === undefined
        ? await connected(args, (client) => client.get<AuditVerification>("/audit/verify"))
        : await verifyFile(resolve(args.file));
    await printData(found, formatOf(args), verificationText);
    if (!found.ok)
      throw new AppError("refused", `the audit record does not hold: line ${found.line}: ${found.problem}`);
  },
});

async function verifyFile(path: string): Promise<AuditVerification> {
  const [{ verifyAuditFile }, { existsSync }] = await Promise.all([
    import("../../context/audit/verify.ts"),
    import("node:fs"),
  ]);
  if (!existsSync(path)) throw new AppError("not_found", `${path}: no such file`);
  return verifyAuditFile(path);
}

function verificationText(found: AuditVerification): string {
  const skipped = found.skipped > 0 ? `, ${found.skipped} without a hash skipped` : "";
  const anchored = found.anchored ? "" : "; whether its end was cut off can't be told without the server";
  if (found.ok)
    return `the chain holds: ${plural(found.entries, "entry", "entries")} verified${skipped}${anchored}`;
  return `line ${found.line}: ${found.problem} (${plural(found.entries, "entry", "entries")} before it hold${skipped})`;
}

export const auditExport = defineCommand({
  meta: { name: "export", description: "Print the record as JSON lines or CSV" },
  args: {
    format: oneOfWords(exportFormats, {
      type: "string",
      valueHint: "word",
      description: "jsonl (default) or csv",
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
