// Changes single settings in the text of `server.yaml`, so that comments, order and everything else stay as the operator wrote them.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../kit/error.ts";
import { replaceFile } from "../../kit/disk/replace-file.ts";
import { parseConfig } from "./config.ts";
import { CONFIG_FILE_NAME } from "./directory.ts";

interface ListenChange {
  readonly address?: string | undefined;
  readonly port?: number | undefined;
}

/** Applies from the next start of the server. Raises `invalid` for a file that is broken, `refused` for one that cannot be edited safely. */
export async function changeListen(directory: string, change: ListenChange): Promise<void> {
  const path = join(directory, CONFIG_FILE_NAME);
  const before = readFileSync(path, "utf8");
  const config = parseConfig(path, before);
  const wanted = { ...config.listen };
  // Appended to another form of the block, ours would replace it without a word.
  const isPlain = config.listen === undefined || blockOf("listen").test(before);
  let text = before;
  for (const key of ["address", "port"] as const) {
    const value = change[key];
    if (value === undefined) continue;
    Object.assign(wanted, { [key]: value });
    text = withSetting(text, "listen", key, JSON.stringify(value));
  }
  if (!isPlain || !Bun.deepEquals(Bun.YAML.parse(text), { ...config, listen: wanted }))
    throw new AppError(
      "refused",
      `cannot edit ${path} safely; change listen.address and listen.port there by hand`,
    );
  await replaceFile(path, text);
}

function blockOf(name: string): RegExp {
  return new RegExp(`^${name}:\\s*(?:#.*)?$`, "m");
}

/** Replaces the value of `block.key`, or adds the key or the block. Knows the plain form of YAML only: the caller checks the result. */
function withSetting(text: string, block: string, key: string, value: string): string {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => blockOf(block).test(line));
  if (start < 0)
    return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${block}:\n  ${key}: ${value}\n`;
  let indent: string | undefined;
  for (let at = start + 1; at < lines.length; at += 1) {
    const line = lines[at]!;
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    if (/^\S/.test(line)) break;
    const own = /^(\s+)([\w-]+):(\s*)(?:"[^"]*"|'[^']*'|[^#]*?)(\s+#.*|\s*)$/.exec(line);
    indent ??= /^\s+/.exec(line)![0];
    if (own?.[1] !== indent || own[2] !== key) continue;
    lines[at] = `${indent}${key}: ${value}${own[4]!.trimEnd()}`;
    return lines.join("\n");
  }
  lines.splice(start + 1, 0, `${indent ?? "  "}${key}: ${value}`);
  return lines.join("\n");
}
