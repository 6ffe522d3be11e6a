// The certificate of a server and its key, read when it starts to listen.

import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import { resolve } from "node:path";
import { accessProblem } from "../../kit/disk/disk.ts";
import { readRegularFile } from "../../kit/disk/regular-file.ts";
import { AppError, systemCode } from "../../kit/error.ts";
import { DEFAULT_CERT_FILE, type ServerConfig } from "./schema.ts";

export interface Tls {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

type Setting = "cert_file" | "key_file";

/** Undefined: plain HTTP. Raises `invalid` for a file that cannot be read, or that is no certificate or not its key. */
export function readTls({ directory, tls }: Pick<ServerConfig, "directory" | "tls">): Tls | undefined {
  if (tls === undefined) return undefined;
  const paths = { cert_file: resolve(directory, tls.certFile), key_file: resolve(directory, tls.keyFile) };
  const refused = (setting: Setting, problem: string) =>
    new AppError("invalid", `tls.${setting}: ${paths[setting]}: ${problem}`);
  const read = (setting: Setting) => {
    try {
      return readRegularFile(paths[setting]).toString("utf8");
    } catch (error) {
      const isGone = systemCode(error) === "ENOENT";
      throw refused(setting, `${accessProblem(error)}${isGone ? goneHint(tls.certFile) : ""}`);
    }
  };
  const [cert, key] = [read("cert_file"), read("key_file")];
  const certificate = parsedCertificate(cert);
  if (!certificate) throw refused("cert_file", "not a certificate in PEM");
  const own = parsedKey(key);
  if (typeof own === "string") throw refused("key_file", own);
  if (!certificate.checkPrivateKey(own))
    throw refused("key_file", `not the key of the first certificate in ${paths.cert_file}`);
  return { cert, key };
}

/** `cairn server tls gen` writes only the files of the default settings. */
function goneHint(certFile: string): string {
  const make = "create a self-signed pair with cairn server tls gen --host <host>";
  return `; restore your copy of it, or ${certFile === DEFAULT_CERT_FILE ? make : "name another file"}`;
}

/** Returns what clients object to in a few words, and the first certificate. The server itself serves one that has expired. */
export function validity({ cert }: Pick<Tls, "cert">, now: number) {
  const certificate = new X509Certificate(cert);
  const [from, until] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  let problem: string | undefined;
  if (until <= now) problem = `the certificate expired on ${day(until)}`;
  else if (from > now) problem = `the certificate is not valid before ${new Date(from).toISOString()}`;
  return { certificate, until, day: day(until), problem };
}

function parsedCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

/** Or what is wrong with it. */
function parsedKey(pem: string): KeyObject | string {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    return systemCode(error) === "ERR_MISSING_PASSPHRASE"
      ? "encrypted; the server needs a key without a passphrase"
      : "not a private key in PEM";
  }
}
