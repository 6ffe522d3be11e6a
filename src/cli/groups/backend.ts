// `cairn backend list`: the storage engines and the one that the local server uses. Reads its configuration only.

import { defineCommand } from "citty";
import { readServerConfig } from "../../context/config/config.ts";
import type { ServerConfig } from "../../context/config/schema.ts";
import { serverDirectory } from "../../context/config/directory.ts";
import { engineDescriptions } from "../../context/versioned-store/engines.ts";
import { ENGINE_NAMES } from "../../context/versioned-store/schema.ts";
import { processEnvironment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { formatOf, printData } from "../../kit/terminal/output.ts";
import { serverDirArg } from "../connection.ts";
import { fields, table, type Cell } from "../tables.ts";

interface Backend {
  readonly name: string;
  readonly description: string;
  /** Null if there is no local server. */
  readonly in_use: boolean | null;
  /** From `server.yaml`, or the defaults; null for an engine that is not in use. */
  readonly settings: Readonly<Record<string, Cell>> | null;
}

export const backendList = defineCommand({
  meta: { name: "list", description: "List the storage engines and the one in use" },
  args: serverDirArg,
  async run({ args }) {
    const format = formatOf(args);
    const directory = serverHere(args["server-dir"]);
    const config = directory === undefined ? undefined : readServerConfig(directory);
    const backends = ENGINE_NAMES.map((name): Backend => {
      const isUsed = name === config?.backend;
      return {
        name,
        description: engineDescriptions[name],
        in_use: config === undefined ? null : isUsed,
        settings: config !== undefined && isUsed ? settingsOf(config) : null,
      };
    });
    await printData(backends, format, backendsText);
  },
});

/** Undefined if no standard directory has a server. Raises `not_found` for a named directory. */
function serverHere(flag: string | undefined): string | undefined {
  const environment = processEnvironment();
  try {
    return serverDirectory(flag, environment);
  } catch (error) {
    const isNamed = flag !== undefined || Boolean(environment["SERVICE_SERVER_DIR"]);
    if (!isNamed && error instanceof AppError && error.code === "not_found") return undefined;
    throw error;
  }
}

function settingsOf({ directory, quotas, versionsKept }: ServerConfig): Record<string, Cell> {
  return { directory, "retention.max_versions": versionsKept, ...prefixed("quotas", quotas) };
}

function prefixed(above: string, values: Readonly<Record<string, Cell>>): Record<string, Cell> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [`${above}.${key}`, value]));
}

function backendsText(backends: readonly Backend[]): string {
  const list = table(
    backends.map(({ name, in_use, description }) => [name, in_use, description]),
    ["NAME", "IN USE", "DESCRIPTION"],
    "none",
  );
  const used = backends.flatMap(({ settings }) => (settings === null ? [] : [fields(settings)]));
  return [list, ...used].join("\n\n");
}
