// The hook that runs a command of ours when a session begins, in a settings file of the form
// {"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "…"}]}]}}. Everything else in the file is a person's and stays.

import { commandWords } from "../../kit/terminal/command-text.ts";
import { AppError } from "../../kit/error.ts";
import { lineAt, parseJsonc, type JsonEntry, type JsonNode } from "../../kit/text/jsonc.ts";
import { createdObject, replaced, withEntry, withoutEntry } from "./json-edit.ts";

/** How the tool starts it: one line for a shell, or a program with its arguments. */
export interface HookCommand {
  readonly command: string;
  readonly args?: readonly string[];
}

const EVENT = "SessionStart";
/** A session waits for its hooks. */
const TIMEOUT_SECONDS = 15;
/** The words that make a hook ours, wherever the program is. */
const OUR_WORDS = ["context", "inject", "--format", "claude-hook"];
const OURS_MAX = 100;

interface Found {
  /** From the root to the group of hooks, and from there to the hook. */
  readonly way: readonly JsonEntry[];
  readonly hook: JsonNode;
}

/** Returns the same text if the hook is there already. Raises `invalid` with the line for a file of another form. */
export function withHook(text: string | undefined, command: HookCommand): string {
  let current = text;
  for (let tries = 0; tries < OURS_MAX; tries++) {
    const root = current === undefined ? undefined : parseJsonc(current);
    if (current === undefined || !root) return createdObject(current, hooksEntry(command));
    const [first, second] = ours(current, root);
    if (!first) return addedTo(current, root, command);
    if (!second)
      return isSame(first.hook, command) ? current : replaced(current, first.hook, hookOf(command));
    current = withoutEntry(current, root, second.way);
  }
  throw tooMany();
}

/** Returns the same text if there is no hook of ours; undefined if nothing else remains of a file that we created. */
export function withoutHook(text: string): string | undefined {
  let current = text;
  for (let tries = 0; tries < OURS_MAX; tries++) {
    const root = parseJsonc(current);
    const found = root && ours(current, root)[0];
    if (!root || !found) return current;
    const rest = withoutEntry(current, root, found.way);
    if (rest === undefined) return undefined;
    current = rest;
  }
  throw tooMany();
}

export function hasHook(text: string): boolean {
  const root = parseJsonc(text);
  return root !== undefined && ours(text, root).length > 0;
}

function hooksEntry(command: HookCommand) {
  return { key: "hooks", value: { [EVENT]: [groupOf(command)] } };
}

function groupOf(command: HookCommand) {
  return { hooks: [hookOf(command)] };
}

function hookOf({ command, args }: HookCommand) {
  return { type: "command", command, ...(args && { args }), timeout: TIMEOUT_SECONDS };
}

function addedTo(text: string, root: JsonNode, command: HookCommand): string {
  const hooks = member(text, root, "hooks");
  if (!hooks) return withEntry(text, root, hooksEntry(command));
  const groups = member(text, expected(text, hooks.node, "object", "hooks"), EVENT);
  if (!groups) return withEntry(text, hooks.node, { key: EVENT, value: [groupOf(command)] });
  return withEntry(text, expected(text, groups.node, "array", `hooks.${EVENT}`), { value: groupOf(command) });
}

/** Every hook of ours, in order. Groups of an unknown form are another program's concern. */
function ours(text: string, root: JsonNode): Found[] {
  const hooks = member(text, expected(text, root, "object", "the file"), "hooks");
  const groups = hooks && member(text, expected(text, hooks.node, "object", "hooks"), EVENT);
  if (!groups) return [];
  return expected(text, groups.node, "array", `hooks.${EVENT}`).entries.flatMap((group) => {
    const list = group.node.kind === "object" ? member(text, group.node, "hooks") : undefined;
    if (list?.node.kind !== "array") return [];
    return list.node.entries
      .filter(({ node }) => isOurs(node))
      .map((hook) => ({
        // A group without hooks would be of no use, so the last hook takes its group along.
        way: list.node.entries.length === 1 ? [hooks, groups, group] : [hooks, groups, group, list, hook],
        hook: hook.node,
      }));
  });
}

function isOurs(hook: JsonNode): boolean {
  const words = wordsOf(hook);
  return (
    words.some((_, index) => OUR_WORDS.slice(0, 2).every((word, next) => words[index + next] === word)) &&
    OUR_WORDS.every((word) => words.includes(word))
  );
}

function isSame(hook: JsonNode, { command, args }: HookCommand): boolean {
  return (
    textOf(hook, "command") === command &&
    JSON.stringify(argumentsOf(hook)) === JSON.stringify(args ?? undefined)
  );
}

function wordsOf(hook: JsonNode): readonly string[] {
  const command = textOf(hook, "command");
  if (command === undefined) return [];
  const args = argumentsOf(hook);
  if (args) return [command, ...args];
  try {
    return commandWords("command", command);
  } catch {
    return [];
  }
}

function textOf(node: JsonNode, key: string): string | undefined {
  const value = node.entries.findLast((entry) => entry.key === key)?.node.value;
  return typeof value === "string" ? value : undefined;
}

function argumentsOf(hook: JsonNode): string[] | undefined {
  const list = hook.entries.findLast((entry) => entry.key === "args")?.node;
  return list?.kind === "array" ? list.entries.map(({ node }) => String(node.value)) : undefined;
}

function member(text: string, object: JsonNode, key: string): JsonEntry | undefined {
  const [first, second] = object.entries.filter((entry) => entry.key === key);
  if (!second) return first;
  const line = lineAt(text, second.start);
  throw new AppError("invalid", `line ${line}: "${key}" appears twice; remove one`, { line });
}

function expected(text: string, node: JsonNode, kind: "object" | "array", name: string): JsonNode {
  if (node.kind === kind) return node;
  const line = lineAt(text, node.start);
  const wanted = kind === "object" ? "an object {…}" : "an array […]";
  throw new AppError("invalid", `line ${line}: ${name}: expected ${wanted}`, { line });
}

function tooMany(): AppError {
  return new AppError("invalid", `more than ${OURS_MAX} hooks of cairn; remove them by hand`);
}
