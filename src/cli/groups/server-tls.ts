// `cairn server tls gen`: a self-signed certificate for a server on this machine.

import { defineCommand } from "citty";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { serverDirectory } from "../../context/config/directory.ts";
import { DEFAULT_CERT_FILE, DEFAULT_KEY_FILE } from "../../context/config/schema.ts";
import { systemClock } from "../../kit/clock.ts";
import { PRIVATE_DIRECTORY_MODE } from "../../kit/disk/modes.ts";
import { replaceFile } from "../../kit/disk/replace-file.ts";
import { processEnvironment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { literalAddress } from "../../kit/network/addresses.ts";
import { hostProblem } from "../../kit/network/hosts.ts";
import { selfSigned } from "../../kit/secrets/self-signed.ts";
import { repeatable } from "../../kit/terminal/arguments.ts";
import { formatOf, printData } from "../../kit/terminal/output.ts";
import { serverDirArg } from "../connection.ts";
import { wholeNumber } from "../tables.ts";

const DEFAULT_DAYS = 365;
/** Browsers refuse certificates that are valid for longer. */
const DAYS_MAX = 825;
/** Clients refuse certificates that are too long. */
const HOSTS_MAX = 100;

export const tlsGen = defineCommand({
  meta: {
    name: "gen",
    description: "Create a self-signed certificate for a lab, in the data directory",
  },
  args: {
    host: repeatable({
      type: "string",
      required: true,
      valueHint: "host",
      description: "Hostname or address that clients use; repeatable",
    }),
    days: {
      type: "string",
      valueHint: "count",
      description: `Days of validity, at most ${DAYS_MAX} (default: ${DEFAULT_DAYS})`,
    },
    force: { type: "boolean", description: "Replace an existing certificate" },
    ...serverDirArg,
  },
  async run({ args }) {
    const hosts = args.host.split(",");
    if (hosts.length > HOSTS_MAX)
      throw new AppError("invalid", `--host: expected at most ${HOSTS_MAX} hosts`);
    for (const host of hosts) checkHost(host);
    const days =
      args.days === undefined ? DEFAULT_DAYS : wholeNumber("--days", args.days, { min: 1, max: DAYS_MAX });
    const directory = serverDirectory(args["server-dir"], processEnvironment());
    const [cert_file, key_file] = [join(directory, DEFAULT_CERT_FILE), join(directory, DEFAULT_KEY_FILE)];
    for (const path of [cert_file, key_file])
      if (existsSync(path) && args.force !== true)
        throw new AppError("conflict", `${path} already exists; pass --force to replace it`);
    const { cert, key } = selfSigned(hosts as [string, ...string[]], { now: systemClock.now(), days });
    mkdirSync(join(directory, "tls"), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
    await replaceFile(key_file, key);
    await replaceFile(cert_file, cert);
    await printData({ cert_file, key_file, hosts, days }, formatOf(args), madeText);
  },
});

function madeText({
  cert_file,
  key_file,
}: {
  readonly cert_file: string;
  readonly key_file: string;
}): string {
  return [
    `created ${cert_file}`,
    `created ${key_file}`,
    "",
    "next: set tls.enabled to true in server.yaml, and listen.address to an address that clients reach; restart the server;",
    "clients trust it with NODE_EXTRA_CA_CERTS=<copy of cert.pem>",
  ].join("\n");
}

function checkHost(host: string): void {
  if (literalAddress(host) !== undefined) return;
  const problem = host.includes(":") ? "expected a name or an address, without a port" : hostProblem(host);
  if (problem !== undefined) throw new AppError("invalid", `--host "${host}": ${problem}`);
}
