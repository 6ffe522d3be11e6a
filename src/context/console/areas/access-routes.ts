// Access rules of a user, edited as rows, and the page that explains a decision.

import { h } from "preact";
import { AppError, fieldError } from "../../../kit/error.ts";
import { capabilities, WriteAcl, type AclRule } from "../../access/schema.ts";
import type { Caller } from "../../identity/caller.ts";
import type { AccessRules } from "../../people/access-rules.ts";
import { page, to, type Answer, type PageRoute } from "../area.ts";
import { failureOf, type Failure } from "../failure.ts";
import type { Form } from "../form.ts";
import { counted } from "../../../kit/text/amounts.ts";
import { PAGE_ROWS, withQuery } from "../format.ts";
import { given } from "../form-input.ts";
import { ExplainBody, RulesBody, type RuleRow } from "../pages/access.tsx";
import { attempt, get, post } from "../routes.ts";
import { ACCESS, crumbsOf, userPath, USERS } from "../user-addresses.ts";
import type { Visit } from "../visit.ts";

interface AccessPagesDeps {
  readonly rules: AccessRules;
  readonly spaceNames: () => readonly string[];
}

const BLANK: RuleRow = { effect: "allow", space: "", pattern: "", capabilities: ["list", "read"] };

export function accessRoutes(deps: AccessPagesDeps): PageRoute[] {
  const path = `${USERS}/:user/access`;
  const { rules } = deps;
  return [
    get(ACCESS, ({ visit, query }) => explained(deps, visit.caller, query), ["user", "space", "path"]),
    get(
      path,
      ({ visit, params, query }) => {
        const { user, rules: all, revision } = rules.get(visit.caller, params["user"]!);
        const from = pageStart(query.get("from"), all.length);
        const rows = [...all.slice(from, from + PAGE_ROWS).map(rowOf), BLANK];
        return rulesPage(deps, { visit, user, revision, from, total: all.length, rows });
      },
      ["from"],
    ),
    post(path, ({ visit, params, form }) => {
      const { user, rules: all, revision: current } = rules.get(visit.caller, params["user"]!);
      const from = pageStart(form.text("from"), all.length);
      const revision = form.text("revision");
      const typed = rowsIn(form, from);
      const shown = { visit, user, revision, from, total: all.length };
      if (form.text("do") === "row") return rulesPage(deps, { ...shown, rows: [...typed, BLANK] });
      const kept = typed.filter(({ space, pattern }) => space !== "" || pattern !== "");
      return attempt(
        async () => {
          // Rows of other pages are those that the revision stands for.
          if (revision !== current)
            throw new AppError("stale", `the rules of ${user} have changed in the meantime`);
          const next = [...all.slice(0, from), ...kept.map(ruleOf), ...all.slice(from + PAGE_ROWS)];
          const done = await rules.set(visit.caller, user, given(WriteAcl, { rules: next, revision }));
          const text = `Saved ${counted(done.rules.length, "rule")}. They apply from the next request.`;
          return to(pageAt(user, pageStart(String(from), done.rules.length)), text);
        },
        (failure) => rulesPage(deps, { ...shown, rows: [...kept, BLANK], failure }),
      );
    }),
  ];
}

interface ShownRules {
  readonly visit: Visit;
  readonly user: string;
  readonly revision: string;
  readonly from: number;
  readonly total: number;
  readonly rows: readonly RuleRow[];
  readonly failure?: Failure;
}

function rulesPage({ spaceNames }: AccessPagesDeps, { total, ...shown }: ShownRules): Answer {
  const { user, from, failure } = shown;
  const base = userPath(user, "/access");
  const next = from + PAGE_ROWS < total ? pageAt(user, from + PAGE_ROWS) : undefined;
  const first = from > 0 ? base : undefined;
  const body = h(RulesBody, { ...shown, spaces: spaceNames(), next, first, failure });
  return page(`Access rules of ${user}`, body, { crumbs: crumbsOf(user), status: failure?.status ?? 200 });
}

function pageAt(user: string, from: number): string {
  return withQuery(userPath(user, "/access"), { from: from === 0 ? undefined : from });
}

function pageStart(text: string | null, total: number): number {
  const index = Math.floor(Number(text ?? 0) / PAGE_ROWS);
  return Number.isSafeInteger(index) && index > 0 && index * PAGE_ROWS < total ? index * PAGE_ROWS : 0;
}

function rowsIn(form: Form, from: number): RuleRow[] {
  const count = Math.min(form.number("rows") ?? 0, PAGE_ROWS * 2);
  return Array.from({ length: count }, (_, index) => {
    const name = `rules.${from + index}`;
    return {
      effect: form.text(`${name}.effect`),
      space: form.text(`${name}.space`).trim(),
      pattern: form.text(`${name}.pattern`).trim(),
      capabilities: capabilities.filter((one) => form.has(`${name}.${one}`)),
    };
  });
}

function rowOf({ effect, path, capabilities: allowed }: AclRule): RuleRow {
  const slash = path.indexOf("/");
  return { effect, space: path.slice(0, slash), pattern: path.slice(slash + 1), capabilities: allowed };
}

/** Without a pattern it is no rule yet, and the check of patterns says so. */
function ruleOf({ effect, space, pattern, capabilities: allowed }: RuleRow) {
  return { effect, path: pattern === "" ? space : `${space}/${pattern}`, capabilities: allowed };
}

function explained({ rules, spaceNames }: AccessPagesDeps, caller: Caller, query: URLSearchParams): Answer {
  const spaces = spaceNames();
  const user = query.get("user") ?? "";
  const space = query.get("space") ?? spaces[0] ?? "";
  const path = query.get("path") ?? "";
  const shown = { user, space, path, spaces };
  if (user === "" || path === "")
    return page("Explain access", h(ExplainBody, { ...shown, answers: [], failure: undefined }));
  try {
    const answers = rules.explainEach(caller, user, `${space}/${path}`, capabilities);
    return page("Explain access", h(ExplainBody, { ...shown, answers, failure: undefined }));
  } catch (error) {
    const failure = failureOf(unknownUser(error, user), "path");
    const body = h(ExplainBody, { ...shown, answers: [], failure });
    return page("Explain access", body, { status: failure.status });
  }
}

/** Here, somebody who does not exist is a mistake in the form, not a missing page. */
function unknownUser(error: unknown, user: string): unknown {
  const isMissing = error instanceof AppError && error.code === "not_found";
  return isMissing ? fieldError("invalid", "user", `no user "${user}"`) : error;
}
