// The one answer to "may this person do that there". Compiled once for a user and a state of their rules; every surface asks it: API,
// console, listings, search, graph, events, webhooks, sync.
//
// Order: a rule that denies refuses, however broad; else a rule that allows grants; else the role decides, where it counts.

import { foldedPath } from "../../kit/paths.ts";
import { compilePattern, type Pattern } from "./pattern.ts";
import type { AclRule, Capability, Role } from "./schema.ts";

/** Below this, who a person is: seeded once, changed by leads only. */
const IDENTITY = "identity/";

/** How deep `mayListBelow` looks for a path that no rule denies. */
const LEVELS_BELOW_MAX = 8;

export type Verdict =
  | { readonly allowed: boolean; readonly by: "deny" | "allow"; readonly rule: AclRule }
  | { readonly allowed: boolean; readonly by: "role" | "scope" };

/** What is not about a path. */
export type SpaceDuty = "lead" | "admin";

interface CompiledRule {
  readonly rule: AclRule;
  readonly pattern: Pattern;
}

export class Rights {
  readonly role: Role;
  /** Null: every space. */
  readonly #spaces: ReadonlySet<string> | null;
  readonly #denies: readonly CompiledRule[];
  readonly #allows: readonly CompiledRule[];

  /** Raises `invalid` for a rule whose pattern is none: then nobody gets in by a rule that was not understood. */
  constructor(role: Role, spaces: readonly string[] | null, rules: readonly AclRule[]) {
    this.role = role;
    this.#spaces = spaces && new Set(spaces);
    const compiled = rules.map((rule) => ({ rule, pattern: compilePattern(rule.path) }));
    this.#denies = compiled.filter(({ rule }) => rule.effect === "deny");
    this.#allows = compiled.filter(({ rule }) => rule.effect === "allow");
  }

  may(capability: Capability, space: string, path: string): boolean {
    // Nobody has rules, nearly always.
    if (this.#denies.length === 0 && this.#allows.length === 0)
      return this.#counts(space) && roleMay(this.role, capability, path);
    return this.verdict(capability, space, path).allowed;
  }

  verdict(capability: Capability, space: string, path: string): Verdict {
    const target = `${space}/${path}`;
    const folded = foldedPath(target);
    const applies = ({ rule }: CompiledRule) => rule.capabilities.includes(capability);
    const denied = this.#denies.find((one) => applies(one) && one.pattern.matchesFolded(folded));
    if (denied) return { allowed: false, by: "deny", rule: denied.rule };
    const granted = this.#allows.find((one) => applies(one) && one.pattern.matches(target));
    if (granted) return { allowed: true, by: "allow", rule: granted.rule };
    if (!this.#counts(space)) return { allowed: false, by: "scope" };
    return { allowed: roleMay(this.role, capability, path), by: "role" };
  }

  /** Is the space there for this person at all? A rule that allows something in it makes it so. */
  sees(space: string): boolean {
    return this.#counts(space) || this.#allows.some(({ pattern }) => pattern.reaches(space));
  }

  /**
   * Could there be anything below the directory that this person may list? Decided for every name there could be, not for the files that there
   * are. Deeper than a few levels only a rule of that depth could tell otherwise.
   */
  mayListBelow(space: string, directory: string): boolean {
    const isListed = ({ rule }: CompiledRule) => rule.capabilities.includes("list");
    const denies = this.#denies.filter(isListed);
    if (this.#counts(space) && denies.length === 0) return true;
    const sources = this.#allows.filter(isListed).map(({ pattern }) => pattern);
    if (this.#counts(space)) sources.push(compilePattern("*/**"));
    for (let depth = 1; depth <= LEVELS_BELOW_MAX; depth += 1)
      for (const source of sources) {
        const example = source.exampleBelow(`${space}/${directory}`, depth);
        if (example === undefined) continue;
        const folded = foldedPath(example);
        if (!denies.some(({ pattern }) => pattern.matchesFolded(folded))) return true;
      }
    return false;
  }

  /** Is there anything in the space that this person may create, update or delete? Rules that deny are left to the single path. */
  mayChange(space: string): boolean {
    if (this.#counts(space) && this.role !== "viewer") return true;
    return this.#allows.some(
      ({ rule, pattern }) =>
        pattern.reaches(space) && rule.capabilities.some((one) => one !== "list" && one !== "read"),
    );
  }

  /** Where the role counts; null: everywhere. */
  spaces(): string[] | null {
    return this.#spaces && [...this.#spaces];
  }

  /** Quotas, sync rules, snapshots, destroying; and what only admins do. */
  has(duty: SpaceDuty, space: string): boolean {
    if (!this.#counts(space)) return false;
    return this.role === "admin" || (duty === "lead" && this.role === "space-lead");
  }

  #counts(space: string): boolean {
    return this.#spaces === null || this.#spaces.has(space);
  }
}

function roleMay(role: Role, capability: Capability, path: string): boolean {
  if (capability === "list" || capability === "read") return true;
  if (role === "admin" || role === "space-lead") return true;
  return role === "contributor" && !foldedPath(path).startsWith(IDENTITY) && path !== IDENTITY.slice(0, -1);
}
