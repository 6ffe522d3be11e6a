// The audit record of a server, for admins: newest first, in pages, and verified on request.

import type { AuditRecord, AuditVerification } from "../../audit/schema.ts";
import { breakText } from "../../audit/schema.ts";
import type { ServerDesk } from "../desk.ts";
import { TablePage } from "../table-page.ts";
import { TextPage } from "../text-page.ts";
import { countText } from "../words.ts";

const RECORDS_PER_PAGE = 200;
/** Older ones are read with `cairn audit list` or exported. */
const RECORDS_MAX = 5_000;
const SECOND_END = 19;

export function auditPage(server: ServerDesk): TablePage<AuditRecord> {
  let wanted = RECORDS_PER_PAGE;
  let isWhole = false;
  let records: AuditRecord[] = [];
  return new TablePage<AuditRecord>({
    title: "Audit",
    columns: [
      { title: "TIME (UTC)", width: 19, of: ({ time }) => time.slice(0, SECOND_END).replace("T", " ") },
      { title: "WHO", width: 14, of: ({ actor }) => actor.name || "—" },
      { title: "ACTION", width: 16, of: ({ action }) => action },
      { title: "RESULT", width: 6, of: ({ result }) => result },
      { title: "TARGET", of: targetText },
      { title: "ADDRESS", width: 15, of: ({ actor }) => actor.address || "—", fromColumns: 110 },
    ],
    rows: async () => {
      records = [];
      isWhole = false;
      while (records.length < wanted && !isWhole) {
        const before = records.at(-1)?.seq;
        const page = await server.audit({
          limit: RECORDS_PER_PAGE,
          ...(before === undefined ? {} : { before }),
        });
        isWhole = page.length < RECORDS_PER_PAGE;
        records.push(...page);
      }
      return records;
    },
    text: ({ seq, actor, action, space, target, result }) =>
      `${seq} ${actor.name} ${action} ${space ?? ""} ${target ?? ""} ${result}`,
    empty: "no records",
    note: () => (isWhole ? undefined : "m shows older records"),
    open: (record, stage) => stage.open(recordPage(record)),
    actions: [
      {
        key: "m",
        does: "older",
        run: (_, stage) => {
          wanted = Math.min(wanted + RECORDS_PER_PAGE, RECORDS_MAX);
          stage.reload();
        },
      },
      { key: "v", does: "verify", run: (_, stage) => stage.open(verifyPage(server)) },
    ],
  });
}

function targetText({ space, target, version, error }: AuditRecord): string {
  const place = [space, target].filter((part) => part !== null).join("/");
  return `${place}${version === null ? "" : ` v${version}`}${error === null ? "" : ` · ${error}`}`;
}

function recordPage(record: AuditRecord): TextPage {
  const { actor, ...rest } = record;
  const fields = {
    ...rest,
    who: actor.name,
    role: actor.role,
    signed_in_by: actor.auth,
    address: actor.address,
  };
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return new TextPage({
    title: `Audit record ${record.seq}`,
    text: async () =>
      Object.entries(fields)
        .map(([name, value]) => `${name.padEnd(width)}  ${value === null || value === "" ? "—" : value}`)
        .join("\n"),
  });
}

function verifyPage(server: ServerDesk): TextPage {
  return new TextPage({ title: "Audit verification", text: async () => report(await server.verify()) });
}

function report({
  ok,
  entries,
  skipped,
  acknowledged,
  line,
  problem,
  anchored,
  breaks,
}: AuditVerification): string {
  return [
    ok ? `intact: ${countText(entries, "record")} verified` : `BROKEN at line ${line}: ${problem}`,
    anchored
      ? "the end matches the server's own count"
      : "the end was not compared with the server's own count",
    ...(skipped > 0 ? [`${countText(skipped, "record")} from before the chain existed`] : []),
    ...(acknowledged > 0 ? [`${countText(acknowledged, "broken line")} acknowledged by an admin`] : []),
    ...breaks.map((one) => breakText(one)),
  ].join("\n");
}
