// The block `tls` of `server.yaml`: a certificate and its key, or an authority that issues them (ACME), never both.

import { isIP } from "node:net";
import { join, resolve } from "node:path";
import { AppError } from "../../kit/error.ts";
import { hostProblem, listenProblem, PORT_MAX } from "../../kit/network/hosts.ts";
import {
  DEFAULT_ACME_CACHE,
  DEFAULT_ACME_DIRECTORY,
  DEFAULT_ACME_HTTP_ADDRESS,
  DEFAULT_CERT_FILE,
  DEFAULT_KEY_FILE,
  DNS_PROVIDER_NAMES,
  type AcmeConfig,
  type ConfigFile,
  type TlsConfig,
} from "./schema.ts";

type TlsFile = NonNullable<ConfigFile["tls"]>;
type AcmeFile = NonNullable<TlsFile["acme"]>;

const EMAIL = /^[^\s@,<>]+@[^\s@,<>]+$/;
const WILDCARD = "*.";
export const CERTIFICATE_NAME = "certificate.pem";

/**
 * `path`: of the file, for errors. `typed`: the flags that stand for keys, for errors of a command that has them. Undefined: plain HTTP. Raises
 * `invalid` with the key or the flag.
 */
export function tlsOf(
  path: string,
  directory: string,
  file: TlsFile = {},
  typed: Flags = {},
): TlsConfig | undefined {
  const refuse = refusal(path, typed);
  const { enabled, cert_file, key_file, acme } = file;
  if (acme?.enabled === true) {
    const both = cert_file !== undefined ? "cert_file" : key_file !== undefined ? "key_file" : undefined;
    if (both !== undefined)
      throw refuse(
        `tls.${both}`,
        "cannot be used with ACME; remove tls.cert_file and tls.key_file, or set tls.acme.enabled to false",
      );
    if (enabled === undefined)
      throw refuse("tls.enabled", "missing; ACME applies only if it is true, so set it to true or false");
    const settings = acmeOf(refuse, directory, acme);
    const certificate = join(authorityFolder(settings), CERTIFICATE_NAME);
    return enabled ? { certFile: certificate, keyFile: certificate, acme: settings } : undefined;
  }
  if ((cert_file === undefined) !== (key_file === undefined))
    throw refuse(
      `tls.${cert_file === undefined ? "cert_file" : "key_file"}`,
      "missing; name a certificate and its key together",
    );
  return enabled === true
    ? { certFile: cert_file ?? DEFAULT_CERT_FILE, keyFile: key_file ?? DEFAULT_KEY_FILE }
    : undefined;
}

/** Each authority has a folder, so that a change to another one neither loses an account nor serves a certificate of the former. */
export function authorityFolder({
  cacheDirectory,
  authority,
}: Pick<AcmeConfig, "cacheDirectory" | "authority">): string {
  const { host, pathname } = new URL(authority);
  return join(cacheDirectory, `${host}${pathname}`.replaceAll(/[^a-z0-9.]+/gi, "-").replace(/-$/, ""));
}

/** By the keys that they set. */
export type Flags = Readonly<Record<string, string>>;

interface Refuse {
  /** `value`: the part of the setting that is wrong. */
  (key: string, why: string, value?: string): AppError;
  /** Names a setting as a person would write it here. */
  readonly setting: (key: string, value: string) => string;
}

function refusal(path: string, typed: Flags): Refuse {
  const refuse = (key: string, why: string, value?: string) => {
    const [flag, shown] = [typed[key], value === undefined ? "" : `"${value}"`];
    const where =
      flag === undefined
        ? `config ${path}: ${key}${shown && `: ${shown}`}`
        : `${flag}${shown && ` ${shown}`}`;
    return new AppError("invalid", `${where}: ${why}`);
  };
  const setting = (key: string, value: string) =>
    key in typed ? `${typed[key]} ${value}` : `${key}: ${value}`;
  return Object.assign(refuse, { setting });
}

function acmeOf(refuse: Refuse, directory: string, file: AcmeFile): AcmeConfig {
  const challenge = file.challenge ?? "http-01";
  const { email = "" } = file;
  if (!EMAIL.test(email))
    throw email === ""
      ? refuse("tls.acme.email", "missing; the authority needs an address for warnings about the certificate")
      : refuse("tls.acme.email", "not an email address", email);
  const provider = file.dns?.provider;
  if (challenge === "dns-01" && provider === undefined)
    throw refuse("tls.acme.dns.provider", `missing; dns-01 needs one of: ${DNS_PROVIDER_NAMES.join(", ")}`);
  return {
    email,
    domains: domainsOf(refuse, challenge, file.domains ?? []),
    challenge,
    cacheDirectory: resolve(directory, file.cache_dir ?? DEFAULT_ACME_CACHE),
    httpAddress: httpAddressOf(refuse, file.http_addr ?? DEFAULT_ACME_HTTP_ADDRESS),
    authority: authorityOf(refuse, file.directory ?? DEFAULT_ACME_DIRECTORY),
    dnsProvider: challenge === "dns-01" ? provider : undefined,
  };
}

function domainsOf(
  refuse: Refuse,
  challenge: AcmeConfig["challenge"],
  given: readonly string[],
): AcmeConfig["domains"] {
  const [first, ...rest] = [...new Set(given.map((domain) => domain.toLowerCase()))];
  if (first === undefined)
    throw refuse("tls.acme.domains", "missing; name at least one domain of this server");
  for (const domain of [first, ...rest]) {
    const problem = domainProblem(domain, challenge, refuse.setting);
    if (problem !== undefined) throw refuse("tls.acme.domains", problem, domain);
  }
  return [first, ...rest];
}

/** Returns why an authority issues no certificate for it, in a few words; otherwise undefined. */
function domainProblem(
  domain: string,
  challenge: AcmeConfig["challenge"],
  setting: Refuse["setting"],
): string | undefined {
  const isWildcard = domain.startsWith(WILDCARD);
  const name = isWildcard ? domain.slice(WILDCARD.length) : domain;
  if (isIP(name.replaceAll(/[[\]]/g, "")) !== 0)
    return "an address, not a domain; name the domain that resolves to it";
  if (name.includes(":")) return "expected a domain without a port";
  if (hostProblem(name) !== undefined || name.includes("_")) return "not a domain";
  if (!name.includes(".")) return "not a public domain; authorities issue certificates only for full names";
  return isWildcard && challenge === "http-01"
    ? `a wildcard needs ${setting("tls.acme.challenge", "dns-01")}; http-01 can only prove single names`
    : undefined;
}

function httpAddressOf(refuse: Refuse, text: string): AcmeConfig["httpAddress"] {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:[\]]*)):([0-9]{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? "";
  const port = Number(digits);
  const isGood =
    digits !== undefined && port <= PORT_MAX && (host === "" || listenProblem(host) === undefined);
  if (isGood) return { host, port };
  throw refuse("tls.acme.http_addr", "expected an address with a port, such as :80 or 10.0.0.5:80", text);
}

function authorityOf(refuse: Refuse, text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === "https:" && url.username === "" && url.password === "") return url.href;
  throw refuse(
    "tls.acme.directory",
    "expected the https URL of an authority's ACME directory, without credentials",
  );
}
