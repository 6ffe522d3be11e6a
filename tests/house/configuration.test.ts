// Goal: docs/configuration.md names exactly the flags, variables, keys, defaults and refusals that there are, and its example is valid.

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { loadConfig } from "../../src/service/config/config.ts";
import { ConfigFile, DEFAULT_LISTEN } from "../../src/service/config/schema.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { codeFiles } from "./source.ts";

const document = await Bun.file(join(ROOT, "docs/configuration.md")).text();
const example = /```yaml\n(.+?)```/s.exec(document)![1]!;
const chapter = (title: string) =>
  new RegExp(`^## ${title}\\n(.+?)(?=^## |$(?![\\s\\S]))`, "ms").exec(document)![1]!;
const cellsOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

interface Schema {
  properties?: Record<string, Schema>;
}

/** Every key with those inside it: `memory.server.url`. */
function keysOf(schema: Schema, above = ""): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => [
    above + key,
    ...keysOf(inner, `${above}${key}.`),
  ]);
}

function keysOfValue(value: unknown, above = ""): string[] {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    above + key,
    ...keysOfValue(inner, `${above}${key}.`),
  ]);
}

describe("docs/configuration.md", () => {
  test("the example has every key, and no other", () => {
    // The second kind of memory is shown as a comment, since only one of the two may be set.
    const all = Bun.YAML.parse(example.replaceAll(/^( *)# ( *(?:server|url|space|token_file):)/gm, "$1$2"));
    expect(keysOfValue(all).toSorted()).toEqual(keysOf(ConfigFile as unknown as Schema).toSorted());
  });

  test("the example is accepted as it stands, and its values are the defaults where there are any", async () => {
    await using folder = await temporaryFolder();
    const config = await folder.write("config.yaml", example);
    const { data, secretsKey, memory, sandboxImages, ...shown } = loadConfig(
      { config },
      { HOME: folder.path },
    );
    const fresh = loadConfig({}, { HOME: folder.path });
    expect({ ...fresh, data, secretsKey, memory, sandboxImages }).toEqual({
      ...shown,
      data,
      secretsKey,
      memory,
      sandboxImages,
    });
    expect([data, secretsKey, memory, Object.keys(sandboxImages)]).toEqual([
      "/var/lib/cairn",
      "/var/lib/cairn/secrets.key",
      { space: "/home/cairn/space" },
      ["python", "node", "bash", "binary"],
    ]);
  });

  test("the table has every flag, every variable and the default of each", async () => {
    const rows = cellsOf(chapter("Flags and variables"));
    const column = (index: number) =>
      rows.map((row) => row[index]!.replaceAll("`", "")).filter((cell) => cell !== "–");
    const help = (await Bun.file(join(ROOT, "tests/golden/help/service-serve.txt")).text()).replace(
      /\s+/g,
      " ",
    );
    const flags = [...help.matchAll(/--([a-z-]+) </g)].map((match) => `--${match[1]}`);
    expect(column(1).toSorted()).toEqual(flags.toSorted());

    const product = (await codeFiles()).filter(({ path }) => /^src\/(?:kit|service)\//.test(path));
    const read = product.flatMap(({ text }) =>
      [...text.matchAll(/environment(?:\.|\[")(SERVICE_[A-Z_]+)/g)].map((match) => match[1]!),
    );
    expect(column(2).toSorted()).toEqual([...new Set(read)].toSorted());

    const keys = keysOf(ConfigFile as unknown as Schema);
    expect(column(3).filter((key) => !keys.includes(key))).toEqual([]);
    expect(column(4)).toContain(DEFAULT_LISTEN);
    const helpDefaults = [...help.matchAll(/\(default: ([^)]+)\)/g)].map((match) => match[1]!);
    expect(helpDefaults.filter((value) => !column(4).some((cell) => cell.startsWith(value)))).toEqual([]);
  });

  test("no variable of ours is named anywhere in the documents that the product does not read", async () => {
    const names = [...document.matchAll(/SERVICE_[A-Z_]+/g)].map((match) => match[0]);
    const known = cellsOf(chapter("Flags and variables")).map((row) => row[2]!.replaceAll("`", ""));
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });

  test("each refusal that it quotes is one that the tests of the start have seen", async () => {
    const tests = (
      await Promise.all(
        ["tests/binary/startup.test.ts", "tests/binary/flags.test.ts", "tests/unit/kit/migrate.test.ts"].map(
          (path) => Bun.file(join(ROOT, path)).text(),
        ),
      )
    ).join("\n");
    const quoted = cellsOf(chapter("Startup errors")).map((row) => /`Error: ([^`]+)`/.exec(row[1]!)![1]!);
    expect(quoted.length).toBeGreaterThan(8);
    // The parts between the placeholders.
    const missing = quoted.filter(
      (text) =>
        !text
          .split(/<[a-z]+>/)
          .every((part) => tests.includes(part.trim().replace(/^"|"$/g, "")) || /^\d+$/.test(part)),
    );
    expect(missing).toEqual([]);
  });
});
