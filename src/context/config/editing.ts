// Changes single settings in the text of `server.yaml`, so that comments, order and everything else stay as the operator wrote them.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../kit/error.ts";
import { replaceFile } from "../../kit/disk/replace-file.ts";
import { parseConfig } from "./config.ts";
import { CONFIG_FILE_NAME } from "./directory.ts";
import type { ConfigFile } from "./schema.ts";
import { tlsOf, type Flags } from "./tls-settings.ts";

interface ListenChange {
  readonly address?: string | undefined;
  readonly port?: number | undefined;
}

/** Applies from the next start of the server. Raises `invalid` for a file that is broken, `refused` for one that cannot be edited safely. */
export async function changeListen(directory: string, { address, port }: ListenChange): Promise<void> {
  const change = { ...(address !== undefined && { address }), ...(port !== undefined && { port }) };
  await edit(directory, { listen: change }, "listen.address and listen.port");
}

type AcmeChange = NonNullable<NonNullable<ConfigFile["tls"]>["acme"]>;

/** The same, for TLS with a certificate of an authority. Raises `invalid` as well for settings that the server would refuse; see `tlsOf` for `typed`. */
export async function enableAcme(directory: string, acme: AcmeChange, typed: Flags = {}): Promise<string> {
  const change = { tls: { enabled: true, acme: { enabled: true, ...acme } } };
  return edit(directory, change, "tls.enabled and tls.acme", (path, { tls }) =>
    tlsOf(path, directory, tls, typed),
  );
}

type Value = string | number | boolean | readonly string[];
/** Settings by their blocks. */
interface Change {
  readonly [name: string]: Value | Change;
}

/** `keys`: for the refusal. `check` raises for a result that the server would refuse. Returns the path of the file. */
async function edit(
  directory: string,
  change: Change,
  keys: string,
  check: (path: string, config: ConfigFile) => unknown = () => {},
): Promise<string> {
  const path = join(directory, CONFIG_FILE_NAME);
  const before = readFileSync(path, "utf8");
  const config = parseConfig(path, before);
  const wanted = laidOver(config, change) as ConfigFile;
  check(path, wanted);
  const text = settingsOf(change).reduce(withSetting, before);
  // Appended to another form of a block, ours would replace it without a word.
  const isPlain = Object.keys(change).every((name) => !(name in config) || blockLine("", name).test(before));
  if (!isPlain || !Bun.deepEquals(Bun.YAML.parse(text), wanted))
    throw new AppError("refused", `cannot edit ${path} safely; change ${keys} there by hand`);
  await replaceFile(path, text);
  return path;
}

function isValue(value: Value | Change): value is Value {
  return typeof value !== "object" || Array.isArray(value);
}

function laidOver(config: object, change: Change): object {
  const over = Object.entries(change).map(([name, value]) => {
    const present = (config as Record<string, object | undefined>)[name] ?? {};
    return [name, isValue(value) ? value : laidOver(present, value)];
  });
  return { ...config, ...Object.fromEntries(over) };
}

interface Setting {
  readonly blocks: readonly string[];
  readonly key: string;
  readonly value: Value;
}

/** From last to first, because new keys go to the head of their block. */
function settingsOf(change: Change, blocks: readonly string[] = []): Setting[] {
  return Object.entries(change)
    .toReversed()
    .flatMap(([key, value]) =>
      isValue(value) ? [{ blocks, key, value }] : settingsOf(value, [...blocks, key]),
    );
}

/** The content of a block. */
interface Region {
  readonly start: number;
  readonly end: number;
  readonly indent: string;
}

const IS_EMPTY = /^\s*(?:#.*)?$/;

/** Replaces the value of a key, or adds the key and its blocks. Knows the plain form of YAML only: the caller checks the result. */
function withSetting(text: string, { blocks, key, value }: Setting): string {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  let region: Region = { start: 0, end: lines.length, indent: "" };
  for (const block of blocks) {
    let inner = blockIn(lines, region, block);
    if (inner === undefined) {
      lines.splice(region.indent === "" ? lines.length : region.start, 0, `${region.indent}${block}:`);
      inner = blockIn(lines, { ...region, end: region.end + 1 }, block)!;
    }
    region = inner;
  }
  setIn(lines, region, `${region.indent}${key}:`, JSON.stringify(value));
  return `${lines.join("\n")}\n`;
}

function blockLine(indent: string, name: string): RegExp {
  return new RegExp(`^${indent}${name}:\\s*(?:#.*)?$`, "m");
}

function blockIn(
  lines: readonly string[],
  { start, end: last, indent }: Region,
  name: string,
): Region | undefined {
  const line = blockLine(indent, name);
  const at = lines.findIndex((text, index) => index >= start && index < last && line.test(text));
  if (at < 0) return undefined;
  let inside: string | undefined;
  let end = at + 1;
  for (; end < last; end += 1) {
    if (IS_EMPTY.test(lines[end]!)) continue;
    const own = /^\s*/.exec(lines[end]!)![0];
    if (own.length <= indent.length) break;
    inside ??= own;
  }
  return { start: at + 1, end, indent: inside ?? `${indent}  ` };
}

/** `head`: the key with its indentation and colon. */
function setIn(lines: string[], region: Region, head: string, value: string): void {
  const { start } = region;
  let { end } = region;
  const at = lines.findIndex(
    (line, index) => index >= start && index < end && (line === head || line.startsWith(`${head} `)),
  );
  if (at < 0) {
    lines.splice(start, 0, `${head} ${value}`);
    return;
  }
  const [, present = "", comment = ""] =
    /^\s*("[^"]*"|'[^']*'|\[[^\]#]*\]|[^#]*?)(\s+#.*|\s*)$/.exec(lines[at]!.slice(head.length)) ?? [];
  lines[at] = `${head} ${value}${comment.trimEnd()}`;
  if (present !== "") return;
  // The items of a list, one a line.
  const isItem = (line: string) => /^\s*- /.test(line);
  while (at + 1 < end && isItem(lines[at + 1]!)) {
    lines.splice(at + 1, 1);
    end -= 1;
  }
}
