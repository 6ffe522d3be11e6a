// `cairn acl …`: rules of individual users, and explanations of decisions.

import { capabilities, type Acl, type AclRule, type Explanation } from "../../context/access/schema.ts";
import { listedSpaces } from "../../context/space/listed-spaces.ts";
import type { Client } from "../../context/client/client.ts";
import { foldedPath } from "../../kit/text/paths.ts";
import { printWarning } from "../../kit/terminal/output.ts";
import { oneOfWords } from "../../kit/terminal/arguments.ts";
import { AppError } from "../../kit/error.ts";
import { serverCommand } from "../command.ts";
import { patiently } from "../retrying-client.ts";
import { table } from "../tables.ts";

/** Another admin may change the rules between the read and the write. */
const TRIES_MAX = 5;

const user = {
  type: "positional",
  required: true,
  valueHint: "user",
  description: "Name of the user",
} as const;
const pattern = {
  type: "positional",
  required: true,
  valueHint: "space/glob",
  description: "Space and paths, such as main/docs/**; * matches within one segment, ** any depth",
} as const;
const can = {
  type: "string",
  valueHint: "list",
  description: `Capabilities, separated by commas: ${capabilities.join(", ")} (default: all)`,
} as const;

const place = (name: string) => `/users/${encodeURIComponent(name)}/acl`;

/** A rule may come before its space, but one with a mistyped space protects nothing. */
async function unknownSpace(client: Client, effect: AclRule["effect"], path: string) {
  const space = path.split("/", 1)[0]!.normalize("NFC");
  if (space.includes("*")) return undefined;
  const { spaces, unopened } = await listedSpaces(client);
  const names = [...spaces.map(({ name }) => name), ...unopened];
  // A deny rule covers every spelling of a name.
  const asMatched = (name: string) => (effect === "deny" ? foldedPath(name) : name);
  return names.some((name) => asMatched(name) === asMatched(space)) ? undefined : space;
}

/** Page by page. */
async function allRules(client: Client): Promise<Acl[]> {
  const all: Acl[] = [];
  for (;;) {
    const page = await client.get<Acl[]>("/acl", { after: all.at(-1)?.user });
    if (page.length === 0) return all;
    all.push(...page);
  }
}

const rulesText = ({ user: name, rules }: Acl) =>
  table(
    rules.map((rule) => [rule.effect, rule.path, rule.capabilities.join(", ")]),
    ["EFFECT", "PATH", "CAPABILITIES"],
    `${name} has no rules; the role decides`,
  );

export const aclList = serverCommand({
  name: "list",
  description: "List the rules of one user or of all users",
  args: { user: { ...user, required: false } },
  ask: async (client, args) => {
    if (args.user !== undefined) return [await client.get<Acl>(place(args.user))];
    return allRules(patiently(client));
  },
  show: (all) =>
    all.length === 0
      ? "no user has rules; roles decide"
      : all
          .map((one) => (one.rules.length === 0 ? rulesText(one) : `${one.user}\n${rulesText(one)}`))
          .join("\n\n"),
});

function ruleCommand(effect: "allow" | "deny", description: string) {
  return serverCommand({
    name: effect,
    description,
    args: { user, pattern, can },
    ask: async (client, args) => {
      const added = { effect, path: args.pattern, capabilities: capabilitiesIn(args.can) };
      const unknown = await unknownSpace(client, effect, args.pattern);
      const changed = await change(client, args.user, (rules) => [
        ...rules.filter((rule) => !(rule.effect === effect && rule.path === args.pattern)),
        added,
      ]);
      if (unknown !== undefined)
        await printWarning(`warning: no space "${unknown}" found; the rule applies once there is one`);
      return changed;
    },
    show: rulesText,
  });
}

export const aclAllow = ruleCommand("allow", "Allow a user paths beyond their role");
export const aclDeny = ruleCommand("deny", "Deny a user paths; overrides the role and all allow rules");

export const aclUnset = serverCommand({
  name: "unset",
  description: "Remove the rules of a user for one pattern, or all rules",
  args: { user, pattern: { ...pattern, required: false } },
  ask: (client, args) =>
    change(client, args.user, (rules) => {
      if (args.pattern === undefined) return [];
      const kept = rules.filter((rule) => rule.path !== args.pattern);
      if (kept.length === rules.length)
        throw new AppError("not_found", `${args.user} has no rule for ${args.pattern}`);
      return kept;
    }),
  show: rulesText,
});

export const aclExplain = serverCommand({
  name: "explain",
  description: "Explain whether a user may access a path",
  args: {
    user,
    path: {
      type: "positional",
      required: true,
      valueHint: "space/path",
      description: "Space and path of the file",
    },
    capability: oneOfWords(capabilities, {
      type: "string",
      valueHint: "word",
      description: `One of ${capabilities.join(", ")} (default: read)`,
    }),
  },
  ask: (client, args) =>
    client.get<Explanation>("/acl/explain", {
      user: args.user,
      path: args.path,
      capability: args.capability,
    }),
  show: (answer) =>
    `${answer.user} ${answer.allowed ? "may" : "may not"} ${answer.capability} ${answer.path}\n${answer.reason}`,
});

/** Reads the rules, changes them and writes them back; retries if they changed in the meantime. Raises `stale` at last. */
async function change(
  client: Client,
  name: string,
  changed: (rules: readonly AclRule[]) => readonly AclRule[],
): Promise<Acl> {
  for (let tries = 1; ; tries += 1) {
    const { rules, revision } = await client.get<Acl>(place(name));
    try {
      return await client.json<Acl>("PUT", place(name), { body: { rules: changed(rules), revision } });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "stale" || tries === TRIES_MAX) throw error;
    }
  }
}

function capabilitiesIn(text: string | undefined): AclRule["capabilities"] {
  if (text === undefined) return [...capabilities];
  return text.split(",").map((word) => {
    const known = capabilities.find((one) => one === word.trim());
    if (!known)
      throw new AppError("invalid", `--can "${word.trim()}": expected one of ${capabilities.join(", ")}`);
    return known;
  });
}
