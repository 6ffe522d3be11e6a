// The audit record: list, details, counts, export, verification, breaks. No page changes a record.

import { h } from "preact";
import { fieldError, notFound } from "../../../kit/error.ts";
import type { Audit } from "../../audit/audit.ts";
import { exportAnswer } from "../../audit/exporting.ts";
import { auditResults, type AuditQuery } from "../../audit/schema.ts";
import type { Caller } from "../../identity/caller.ts";
import { page, to, type Answer, type PageRoute } from "../area.ts";
import { ACKNOWLEDGE, AUDIT, AUDIT_CRUMBS, BREAKS, EXPORT, STATS, VERIFY } from "../audit-addresses.ts";
import type { Failure } from "../failure.ts";
import { counted } from "../../../kit/text/amounts.ts";
import { PAGE_ROWS, withQuery } from "../format.ts";
import { AuditBody, RecordBody, StatsBody, type AuditFilter } from "../pages/audit.tsx";
import { BreaksBody, VerifyBody } from "../pages/audit-breaks.tsx";
import { ConfirmBody } from "../pages/confirm.tsx";
import { attempt, get, idOf, post } from "../routes.ts";
import type { Visit } from "../visit.ts";

interface AuditPagesDeps {
  readonly audit: Audit;
  readonly spaceNames: () => readonly string[];
}

export function auditRoutes(deps: AuditPagesDeps): PageRoute[] {
  const { audit } = deps;
  return [
    get(AUDIT, ({ visit, query }) => listPage(deps, visit.caller, query), [...FILTER, "before"]),
    get(`${AUDIT}/records/:id`, async ({ visit, params }) => {
      const seq = idOf("record", params);
      const [record] = await audit.list(visit.caller, { before: seq + 1, limit: 1 });
      if (record?.seq !== seq) throw notFound("record", seq);
      return page(`Record ${seq}`, h(RecordBody, { record }), { crumbs: AUDIT_CRUMBS });
    }),
    get(STATS, async ({ visit }) =>
      page("Statistics", h(StatsBody, { stats: await audit.stats(visit.caller) }), { crumbs: AUDIT_CRUMBS }),
    ),
    get(
      EXPORT,
      async ({ visit, query, exchange }) => {
        const format = query.get("format") === "csv" ? "csv" : "jsonl";
        const filter = queryOf(filterIn(query));
        return {
          kind: "response",
          response: await exportAnswer(audit, visit.caller, { ...filter, format }, exchange),
        };
      },
      [...FILTER, "format"],
    ),
    get(VERIFY, ({ visit }) => verifyPage(visit, undefined)),
    post(VERIFY, async ({ visit }) => verifyPage(visit, await audit.verify(visit.caller))),
    get(BREAKS, ({ visit }) =>
      page("Breaks", h(BreaksBody, { breaks: audit.breaks(visit.caller).toReversed() }), {
        crumbs: AUDIT_CRUMBS,
      }),
    ),
    ...acknowledgeRoutes(audit),
  ];
}

function verifyPage(visit: Visit, found: Awaited<ReturnType<Audit["verify"]>> | undefined): Answer {
  return page("Verify the audit record", h(VerifyBody, { visit, found }), { crumbs: AUDIT_CRUMBS });
}

async function listPage({ audit, spaceNames }: AuditPagesDeps, caller: Caller, query: URLSearchParams) {
  const filter = filterIn(query);
  const before = Number(query.get("before") ?? 0);
  const shown = async (failure?: Failure): Promise<Answer> => {
    const from = { limit: PAGE_ROWS + 1, ...(before > 0 ? { before } : {}) };
    const rows = failure ? [] : await audit.list(caller, { ...queryOf(filter), ...from });
    const records = rows.slice(0, PAGE_ROWS);
    const chosen = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));
    const next =
      rows.length > PAGE_ROWS ? withQuery(AUDIT, { ...chosen, before: records.at(-1)!.seq }) : undefined;
    const first = before > 0 ? withQuery(AUDIT, chosen) : undefined;
    const body = h(AuditBody, { filter, records, spaces: spaceNames(), next, first, failure });
    return page("Audit", body, { status: failure?.status ?? 200 });
  };
  return attempt(() => shown(), shown);
}

const FILTER = ["actor", "action", "space", "result", "since", "until"] as const;

function filterIn(query: URLSearchParams): AuditFilter {
  const text = (name: string) => (query.get(name) ?? "").trim();
  return {
    actor: text("actor"),
    action: text("action"),
    space: text("space"),
    result: text("result"),
    since: text("since"),
    until: text("until"),
  };
}

/** Raises `invalid`. */
function queryOf({ result, until, ...filter }: AuditFilter): AuditQuery {
  const known = auditResults.find((one) => one === result);
  if (result !== "" && !known)
    throw fieldError("invalid", "result", `expected one of: ${auditResults.join(", ")}`);
  // A date includes its whole day.
  const end = /^\d{4}-\d{2}-\d{2}$/.test(until) ? `${until}T23:59:59.999Z` : until;
  const given = Object.entries({ ...filter, until: end }).filter(([, value]) => value !== "");
  return { ...Object.fromEntries(given), ...(known ? { result: known } : {}) };
}

function acknowledgeRoutes(audit: Audit): PageRoute[] {
  const asked = (visit: Visit, upTo: string, failure?: Failure): Answer => {
    const open = audit.breaks(visit.caller).filter((one) => one.acknowledged_at === null);
    const text =
      "The record's current content becomes the new baseline. The breaks stay listed, and your acknowledgement is recorded. First find out who changed the file.";
    const confirm = {
      visit,
      action: ACKNOWLEDGE,
      back: BREAKS,
      button: "Acknowledge",
      hidden: { up_to: upTo },
      children: [h("p", null, `${counted(open.length, "break")} not acknowledged.`), h("p", null, text)],
      failure,
    };
    return page("Acknowledge breaks", h(ConfirmBody, confirm), {
      crumbs: [...AUDIT_CRUMBS, { label: "Breaks", path: BREAKS }],
      status: failure?.status ?? 200,
    });
  };
  return [
    get(ACKNOWLEDGE, ({ visit, query }) => asked(visit, query.get("up_to") ?? ""), ["up_to"]),
    post(ACKNOWLEDGE, ({ visit, form }) =>
      attempt(
        async () => {
          const upTo = form.number("up_to") ?? 0;
          const done = await audit.acknowledge(visit.caller, { up_to: upTo });
          return to(BREAKS, `Acknowledged ${counted(done.length, "break")}.`);
        },
        (failure) => asked(visit, form.text("up_to"), failure),
      ),
    ),
  ];
}
