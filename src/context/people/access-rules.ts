// Access rules per user: read, replaced as a whole, explained. Rules that do not compile are refused before they are stored.

import { Stretch, turnOfOthers } from "../../kit/clock.ts";
import { sha256Hex } from "../../kit/crypto.ts";
import { AppError } from "../../kit/error.ts";
import { nameKey } from "../../kit/text/names.ts";
import { parseDocumentPath } from "../../kit/text/paths.ts";
import { compilePattern } from "../access/pattern.ts";
import type { Verdict } from "../access/rights.ts";
import type { Acl, Capability, Explanation, WriteAcl } from "../access/schema.ts";
import { requireAdmin, type Caller } from "../identity/caller.ts";
import { aclOf, type Authentication } from "./authentication.ts";
import type { Changes, Write } from "./changes.ts";
import type { PeopleRecords } from "./records.ts";
import type { PeopleStore, UserRow } from "./store.ts";

const REVISION_CHARACTERS = 16;
/** A page has as many at most, unless its first user has more. */
const RULES_PER_PAGE = 1_000;
/** A thousand of them take a few milliseconds to store, so they are a commit of their own. */
const RULES_AS_WRITE = 4;

interface AclDeps {
  readonly store: PeopleStore;
  readonly records: PeopleRecords;
  readonly authentication: Authentication;
  readonly changes: Changes;
}

export class AccessRules {
  readonly #deps: AclDeps;

  constructor(deps: AclDeps) {
    this.#deps = deps;
  }

  get(caller: Caller, user: string): Acl {
    requireAdmin(caller);
    return this.#shown(this.#deps.records.row(user));
  }

  /** One page of the users who have rules, by name. `after`: the last name of the previous page. Empty after the last page. */
  async page(caller: Caller, after = ""): Promise<Acl[]> {
    // To read, check and send a thousand rules takes a few milliseconds.
    await turnOfOthers();
    requireAdmin(caller);
    const page: Acl[] = [];
    let left = RULES_PER_PAGE;
    for (const row of this.#deps.store.ruledAfter.all(nameKey(after), RULES_PER_PAGE)) {
      const shown = this.#shown(row);
      left -= shown.rules.length;
      if (left < 0 && page.length > 0) break;
      page.push(shown);
    }
    return page;
  }

  /** Replaces all rules. Raises `stale` if the rules have changed since `revision`. */
  set(caller: Caller, user: string, { rules, revision }: WriteAcl): Promise<Acl> {
    const { store, records, changes } = this.#deps;
    const deed = { action: "acl.change", target: user };
    const replace = async (write: Write<Acl>) => {
      const stretch = new Stretch();
      for (const [index, { path }] of rules.entries()) {
        requirePattern(index, path);
        if (stretch.isOver()) await turnOfOthers();
      }
      return write(() => {
        const row = records.row(user);
        const current = this.#shown(row).revision;
        if (revision !== undefined && revision !== current)
          throw new AppError("stale", `the rules of ${row.name} have changed; read them again`, { current });
        store.deleteRules.run(row.id);
        for (const { effect, path, capabilities } of rules)
          store.insertRule.run({
            user_id: row.id,
            effect,
            path: path.normalize("NFC"),
            capabilities: JSON.stringify(capabilities),
          });
        return this.#shown(row);
      });
    };
    return changes.byAdmin(caller, deed, replace, {
      event: (done) => ({ type: deed.action, actor: caller.name, data: { user: done.user } }),
      weight: 1 + Math.floor(rules.length / RULES_AS_WRITE),
    });
  }

  /** `target`: `<space>/<path>`. */
  async explain(caller: Caller, user: string, target: string, capability: Capability): Promise<Explanation> {
    await turnOfOthers();
    return this.explainEach(caller, user, target, [capability])[0]!;
  }

  /** As `explain`, for several capabilities. Compiles the rules of the user once. */
  explainEach(caller: Caller, user: string, target: string, asked: readonly Capability[]): Explanation[] {
    requireAdmin(caller);
    const row = this.#deps.records.row(user);
    const [space = "", ...rest] = parseDocumentPath("path", target).split("/");
    const path = rest.join("/");
    const about = { user: row.name, path: `${space}/${path}` };
    const rights = row.disabled !== 0 ? undefined : this.#deps.authentication.rightsOf(row);
    return asked.map((capability) => {
      if (!rights) {
        const reason = `${row.name} is disabled`;
        return { ...about, capability, allowed: false, by: "disabled" as const, rule: null, reason };
      }
      const verdict = rights.verdict(capability, space, path);
      return {
        ...about,
        capability,
        allowed: verdict.allowed,
        by: verdict.by,
        rule: "rule" in verdict ? verdict.rule : null,
        reason: reasonOf(verdict, row, capability, space),
      };
    });
  }

  #shown(row: UserRow): Acl {
    const rules = aclOf(this.#deps.store, row);
    return {
      user: row.name,
      rules,
      revision: sha256Hex(JSON.stringify(rules)).slice(0, REVISION_CHARACTERS),
    };
  }
}

/** Raises `invalid` with the place of the rule as the field. */
function requirePattern(index: number, path: string): void {
  try {
    compilePattern(path);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError(error.code, error.message, { ...error.details, field: `rules.${index}.path` });
  }
}

function reasonOf(verdict: Verdict, row: UserRow, capability: Capability, space: string): string {
  switch (verdict.by) {
    case "deny":
      return `the rule "deny ${verdict.rule.path}" denies it; deny rules take precedence`;
    case "allow":
      return `the rule "allow ${verdict.rule.path}" allows it, and no rule denies it`;
    case "scope":
      return `no rule matches, and the role ${row.role} does not apply in ${space}`;
    case "role":
      return `no rule matches, and the role ${row.role} ${verdict.allowed ? "may" : "may not"} ${capability} there`;
  }
}
