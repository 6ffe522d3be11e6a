// `cairn server tls acme …`: lets a server on this machine get its certificate from an authority, and shows how far it is.

import { defineCommand } from "citty";
import { readServerConfig } from "../../context/config/config.ts";
import { serverDirectory } from "../../context/config/directory.ts";
import { enableAcme } from "../../context/config/editing.ts";
import { ACME_CHALLENGES, DNS_PROVIDER_NAMES, DNS_PROVIDERS } from "../../context/config/schema.ts";
import type { AcmeStatus } from "../../context/certificates/status.ts";
import { systemClock } from "../../kit/clock.ts";
import { processEnvironment } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { oneOfWords, repeatable } from "../../kit/terminal/arguments.ts";
import { formatOf, printData } from "../../kit/terminal/output.ts";
import { serverDirArg } from "../connection.ts";
import { fields, when } from "../tables.ts";

type Challenge = (typeof ACME_CHALLENGES)[number];
type Provider = (typeof DNS_PROVIDER_NAMES)[number];

/** By the keys of `server.yaml` that they set. */
const FLAGS = {
  "tls.acme.email": "--email",
  "tls.acme.domains": "--domain",
  "tls.acme.challenge": "--challenge",
  "tls.acme.dns.provider": "--dns-provider",
};

export const acmeEnable = defineCommand({
  meta: {
    name: "enable",
    description: "Get the certificate from an authority (Let's Encrypt) and renew it, from the next start",
  },
  args: {
    email: {
      type: "string",
      required: true,
      valueHint: "email",
      description: "Where the authority sends warnings",
    },
    domain: repeatable({
      type: "string",
      required: true,
      valueHint: "domain",
      description: "Domain of the server; repeatable; *.<domain> needs dns-01",
    }),
    challenge: oneOfWords(ACME_CHALLENGES, {
      type: "string",
      valueHint: "challenge",
      description: `Proof of control over the domains: ${ACME_CHALLENGES.join(" or ")} (default: http-01)`,
    }),
    "dns-provider": oneOfWords(DNS_PROVIDER_NAMES, {
      type: "string",
      valueHint: "provider",
      description: `DNS provider of the domains, for dns-01: ${DNS_PROVIDER_NAMES.join(", ")}`,
    }),
    ...serverDirArg,
  },
  async run({ args }) {
    const provider = args["dns-provider"] as Provider | undefined;
    const challenge = (args.challenge as Challenge | undefined) ?? "http-01";
    if (provider !== undefined && challenge !== "dns-01")
      throw new AppError("invalid", "--dns-provider needs --challenge dns-01");
    const domains = args.domain.split(",");
    const directory = serverDirectory(args["server-dir"], processEnvironment());
    const settings = {
      email: args.email,
      domains,
      challenge,
      ...(provider !== undefined && { dns: { provider } }),
    };
    const file = await enableAcme(directory, settings, FLAGS);
    const token_variable = provider === undefined ? null : DNS_PROVIDERS[provider];
    await printData({ file, domains, challenge, token_variable }, formatOf(args), enabledText);
  },
});

interface Enabled {
  readonly file: string;
  readonly token_variable: string | null;
}

function enabledText({ file, token_variable }: Enabled): string {
  const before =
    token_variable === null
      ? "next: make port 80 of the domains reach this machine, and restart the server;"
      : `next: put the API token into ${token_variable} where the server starts, and restart the server;`;
  return [`changed ${file}`, "", before, "cairn server tls acme status shows the certificate"].join("\n");
}

export const acmeStatus = defineCommand({
  meta: {
    name: "status",
    description: "Show the certificate from the authority, its next renewal and the last error",
  },
  args: serverDirArg,
  async run({ args }) {
    const directory = serverDirectory(args["server-dir"], processEnvironment());
    const acme = readServerConfig(directory).tls?.acme;
    if (acme === undefined)
      throw new AppError(
        "conflict",
        `${directory}: ACME is not enabled; enable it with cairn server tls acme enable --email <email> --domain <domain>`,
      );
    const { acmeStatus: statusOf } = await import("../../context/certificates/status.ts");
    await printData(statusOf(acme, systemClock.now()), formatOf(args), statusText);
  },
});

function statusText(status: AcmeStatus): string {
  return fields({
    ...status,
    domains: status.domains.join(", "),
    expires_at: status.expires_at === null ? null : when(status.expires_at),
    next_renewal_at: status.next_renewal_at === null ? null : when(status.next_renewal_at),
  });
}
