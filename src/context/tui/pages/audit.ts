// The audit record of a server, for admins: newest first, in pages, narrowed by the server, and verified on request.

import { visibleInLine } from "../../../kit/text/visible.ts";
import type { AuditQuery, AuditRecord, AuditVerification } from "../../audit/schema.ts";
import { breakText } from "../../audit/schema.ts";
import type { ServerDesk } from "../desk.ts";
import type { Stage } from "../page.ts";
import { TablePage } from "../table-page.ts";
import { TextPage } from "../text-page.ts";
import { plural } from "../../../kit/text/amounts.ts";

const RECORDS_PER_PAGE = 200;
/** Older ones are exported: a list of more is not read by anyone. */
const RECORDS_MAX = 20_000;
const SECOND_END = 19;

/** The part of the record that is shown. */
interface Shown {
  readonly records: readonly AuditRecord[];
  readonly isWhole: boolean;
}

const NOTHING: Shown = { records: [], isWhole: false };

export function auditPage(server: ServerDesk): TablePage<AuditRecord> {
  let shown = NOTHING;
  let isAdding = false;
  let only: Pick<AuditQuery, "actor" | "result"> = {};
  const narrow = (stage: Stage, change: typeof only) => {
    only = change;
    stage.reload();
  };
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
      // A reload begins with the newest record; older ones are added to what is there.
      const { records } = isAdding ? shown : NOTHING;
      isAdding = false;
      const before = records.at(-1)?.seq;
      const page = await server.audit({
        ...only,
        limit: RECORDS_PER_PAGE,
        ...(before === undefined ? {} : { before }),
      });
      shown = { records: [...records, ...page], isWhole: page.length < RECORDS_PER_PAGE };
      return shown.records;
    },
    text: ({ seq, actor, action, space, target, result }) =>
      `${seq} ${actor.name} ${action} ${space ?? ""} ${target ?? ""} ${result}`,
    empty: "no records",
    note: () => noteText(shown, only),
    open: (record, stage) => stage.open(recordPage(record)),
    actions: [
      {
        key: "m",
        does: "older",
        always: (stage) => {
          isAdding = !shown.isWhole && shown.records.length < RECORDS_MAX;
          if (isAdding) stage.reload();
        },
      },
      { key: "v", does: "verify", always: (stage) => stage.open(verifyPage(server)) },
      {
        key: "f",
        does: "refusals only",
        always: (stage) => {
          const { result, ...rest } = only;
          narrow(stage, result === undefined ? { ...rest, result: "denied" } : rest);
        },
      },
      {
        key: "w",
        does: "this person only",
        run: ({ actor }, stage) => {
          const { actor: now, ...rest } = only;
          narrow(stage, now === undefined && actor.name !== "" ? { ...rest, actor: actor.name } : rest);
        },
      },
    ],
  });
}

function noteText(
  { records, isWhole }: Shown,
  { actor, result }: Pick<AuditQuery, "actor" | "result">,
): string {
  const parts = [
    ...(actor === undefined ? [] : [`only ${actor}`]),
    ...(result === undefined ? [] : ["only refusals"]),
    ...(isWhole || records.length === 0
      ? []
      : [records.length < RECORDS_MAX ? "m shows older records" : "cairn audit export has the older ones"]),
  ];
  return parts.join(" · ");
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
    // Strangers write some of these texts: none may look like another field.
    text: async () =>
      Object.entries(fields)
        .map(([name, value]) => `${name.padEnd(width)}  ${visibleInLine(String(value ?? "")) || "—"}`)
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
    ok ? `intact: ${plural(entries, "record")} verified` : `BROKEN at line ${line}: ${problem}`,
    anchored
      ? "the end matches the server's own count"
      : "the end was not compared with the server's own count",
    ...(skipped > 0 ? [`${plural(skipped, "record")} from before the chain existed`] : []),
    ...(acknowledged > 0 ? [`${plural(acknowledged, "broken line")} acknowledged by an admin`] : []),
    ...breaks.map((one) => breakText(one)),
  ].join("\n");
}
