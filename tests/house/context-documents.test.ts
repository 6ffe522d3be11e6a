// Goal: docs/context-server.md and docs/context-api.md say what there is: every key with its default, every route with who may call it.

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { loadServerConfig, parseConfig } from "../../src/context/config/config.ts";
import { ConfigFile } from "../../src/context/config/schema.ts";
import { Rights } from "../../src/context/access/rights.ts";
import { capabilities, roles } from "../../src/context/access/schema.ts";
import { eventTypes } from "../../src/context/events/schema.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { callerOf, declaredRoutes } from "../kit/http/declared-routes.ts";

interface Schema {
  properties?: Record<string, Schema>;
}

function keysOf(schema: Schema, above = ""): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
    const inside = keysOf(inner, `${above}${key}.`);
    return inside.length > 0 ? inside : [above + key];
  });
}

function keysOfValue(value: unknown, above = ""): string[] {
  return Object.entries(value as object).flatMap(([key, inner]) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? keysOfValue(inner, `${above}${key}.`)
      : [above + key],
  );
}

describe("docs/context-server.md", async () => {
  const text = await Bun.file(join(ROOT, "docs/context-server.md")).text();
  const example = /```yaml\n(.+?)```/s.exec(text)![1]!;

  test("its example has every key, and no other", () => {
    const shown = keysOfValue(parseConfig("server.yaml", example));
    expect(shown.toSorted()).toEqual(keysOf(ConfigFile as unknown as Schema).toSorted());
  });

  test("its values are the defaults", async () => {
    await using folder = await temporaryFolder();
    await folder.write("shown/server.yaml", example);
    await folder.write("default/server.yaml", "{}\n");
    const { directory: _, ...shown } = loadServerConfig(join(folder.path, "shown"));
    const { directory: __, ...defaults } = loadServerConfig(join(folder.path, "default"));
    expect(shown).toEqual(defaults);
  });
});

describe("docs/context-api.md", async () => {
  const text = await Bun.file(join(ROOT, "docs/context-api.md")).text();
  const rows = text
    .split("\n")
    .filter((line) => /^\| (GET|POST|PUT|PATCH|DELETE) /.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim()));

  test("has exactly the routes that there are, with who may call them", () => {
    const documented = rows.map(([, method, path, who]) => `${method} ${path} ${who}`);
    const there = declaredRoutes.context.routes.map((route) => {
      const shown = route.path
        .replace("/api/v1", "")
        .replace(/\/\*$/, "/{path}")
        .replaceAll(/:([a-z_]+)/g, "{$1}");
      return `${route.method} ${shown} ${callerOf(route)}`;
    });
    expect(documented.toSorted()).toEqual(there.toSorted());
  });

  test("its table has every event, and no other", () => {
    const [, events] = text.split("\n## Events\n");
    const cells = [...events!.matchAll(/^\| (`.+?) +\|/gm)].map(([, cell]) => cell!);
    const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, type]) => type!));
    expect(named.toSorted()).toEqual([...eventTypes].toSorted());
  });
});

describe("docs/access.md", async () => {
  const text = await Bun.file(join(ROOT, "docs/access.md")).text();
  const rows = text
    .split("\n")
    .filter((line) => /^\| (`|duty)/.test(line))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const shown = (answer: (rights: Rights) => boolean) =>
    roles.map((role) => (answer(new Rights(role, null, [])) ? "yes" : "no"));

  test("its table says what each role may, and nothing is left out", () => {
    const anywhere = capabilities.map((one) => [
      `\`${one}\``,
      ...shown((rights) => rights.may(one, "main", "a.md")),
    ]);
    const identity = capabilities
      .map((one) => [
        `\`${one}\` below \`identity/\``,
        ...shown((rights) => rights.may(one, "main", "identity/a.md")),
      ])
      // Named only where it differs.
      .filter((row, index) => row.slice(1).join() !== anywhere[index]!.slice(1).join());
    const duties = (["lead", "admin"] as const).map((duty) => [
      `duty \`${duty}\``,
      ...shown((rights) => rights.has(duty, "main")),
    ]);
    expect(rows).toEqual([...anywhere, ...identity, ...duties]);
  });
});
