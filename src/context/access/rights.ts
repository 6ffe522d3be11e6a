// Decides whether a user may do something with a path. Compiled once per user and revision of their rules, and used by every surface: API,
// console, listings, search, graph, events, webhooks, sync.
//
// Precedence: any matching deny rule refuses; otherwise any matching allow rule grants; otherwise the role decides, in the spaces where it applies.

import { sha256Hex } from "../../kit/crypto.ts";
import { foldedPath } from "../../kit/text/paths.ts";
import { compilePattern, type Pattern } from "./pattern.ts";
import type { AclRule, Capability, Role } from "./schema.ts";

/** Personal identity files: seeded once, then changed only by leads. */
const IDENTITY = "identity";

/** More answers than a change of a thousand files needs, so that the checks inside its transaction repeat those before it at no cost. */
const JUDGED_MAX = 5_000;

const VIEW_CHARACTERS = 16;

/** The depth to which `mayListBelow` searches for a path that no rule denies. */
const LEVELS_BELOW_MAX = 8;

export type Verdict =
  | { readonly allowed: boolean; readonly by: "deny" | "allow"; readonly rule: AclRule }
  | { readonly allowed: boolean; readonly by: "role" | "scope" };

/** Permissions that do not depend on a path. */
type SpaceDuty = "lead" | "admin";

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
  readonly #given: readonly unknown[];
  /** The last answers of `may`, because a user may have a thousand rules. */
  readonly #judged = new Map<string, boolean>();

  /** Raises `invalid` for a rule with a malformed pattern, so that such a rule never grants anything. */
  constructor(role: Role, spaces: readonly string[] | null, rules: readonly AclRule[]) {
    this.role = role;
    this.#given = [role, spaces, rules];
    this.#spaces = spaces && new Set(spaces);
    const compiled = rules.map((rule) => ({ rule, pattern: compilePattern(rule.path) }));
    this.#denies = compiled.filter(({ rule }) => rule.effect === "deny");
    this.#allows = compiled.filter(({ rule }) => rule.effect === "allow");
  }

  may(capability: Capability, space: string, path: string): boolean {
    // The common case: no rules at all.
    if (this.#denies.length === 0 && this.#allows.length === 0)
      return this.#counts(space) && roleMay(this.role, capability, path);
    const key = `${capability} ${space}/${path}`;
    const known = this.#judged.get(key);
    if (known !== undefined) return known;
    const { allowed } = this.verdict(capability, space, path);
    this.#judged.set(key, allowed);
    if (this.#judged.size > JUDGED_MAX) this.#judged.delete(this.#judged.keys().next().value!);
    return allowed;
  }

  verdict(capability: Capability, space: string, path: string): Verdict {
    const target = `${space}/${path}`;
    const applies = ({ rule }: CompiledRule) => rule.capabilities.includes(capability);
    const folded = foldedPath(target).split("/");
    const denied = this.#denies.find((one) => applies(one) && one.pattern.matchesFolded(folded));
    if (denied) return { allowed: false, by: "deny", rule: denied.rule };
    const segments = target.split("/");
    const granted = this.#allows.find((one) => applies(one) && one.pattern.matches(segments));
    if (granted) return { allowed: true, by: "allow", rule: granted.rule };
    if (!this.#counts(space)) return { allowed: false, by: "scope" };
    return { allowed: roleMay(this.role, capability, path), by: "role" };
  }

  /** Reports whether an answer may name the file and tell of its content. */
  shows(space: string, path: string): boolean {
    return this.may("list", space, path) && this.may("read", space, path);
  }

  /** Reports whether no rule hides any path of the space. False if there are rules at all. */
  readsAll(space: string): boolean {
    return this.#denies.length === 0 && this.#allows.length === 0 && this.#counts(space);
  }

  /** Reports whether the space is visible to this user. Any allow rule that reaches into it makes it visible. */
  sees(space: string): boolean {
    return this.#counts(space) || this.#allows.some(({ pattern }) => pattern.reaches(space));
  }

  /**
   * Reports whether this user could list anything below the directory. Considers all possible names, not the files that exist. Searches only a
   * few levels; beyond them, only a rule of that depth could change the answer.
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
        const folded = foldedPath(example).split("/");
        if (!denies.some(({ pattern }) => pattern.matchesFolded(folded))) return true;
      }
    return false;
  }

  /** Reports whether this user may create, update or delete anything in the space. Ignores deny rules, which are checked per path. */
  mayChange(space: string): boolean {
    if (this.#counts(space) && this.role !== "viewer") return true;
    return this.#allows.some(
      ({ rule, pattern }) =>
        pattern.reaches(space) && rule.capabilities.some((one) => one !== "list" && one !== "read"),
    );
  }

  /** Returns a text that changes whenever this user's rights in the space may have changed. */
  view(space: string): string {
    const rules = [...this.#denies, ...this.#allows].filter(({ pattern }) => pattern.reaches(space));
    const about = [this.#counts(space) ? this.role : null, rules.map(({ rule }) => rule)];
    return sha256Hex(JSON.stringify(about)).slice(0, VIEW_CHARACTERS);
  }

  /** Reports whether both allow the same, as they are written. */
  isSame(other: Rights): boolean {
    return JSON.stringify(this.#given) === JSON.stringify(other.#given);
  }

  /** The spaces where the role applies; null: all. */
  spaces(): string[] | null {
    return this.#spaces && [...this.#spaces];
  }

  /** `lead` covers quotas, sync rules, snapshots and destroying versions; `admin` covers everything that only admins may do. */
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
  const [directory] = foldedPath(path).split("/", 1);
  return role === "contributor" && directory !== IDENTITY;
}
