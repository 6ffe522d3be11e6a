// Describes a provider's failure by its status and its own message, without the key and without raw network errors, which would reveal
// the internal network.

import { systemCode } from "../../kit/error.ts";
import { parsedJson } from "../../kit/text/parsed-json.ts";

const MESSAGE_CHARACTERS_MAX = 500;
const SCRUBBED = "[api key]";

/** A key that is a short word (`ollama`, `none`) is a placeholder, and may be part of another word. Real keys are longer and have digits. */
const PLACEHOLDER = /^[A-Za-z]{1,8}$/;

/**
 * Replaces every occurrence of `key` in `text`, including any mixture of JSON, URL and HTML escapes; a placeholder only where it is not part of a
 * word.
 */
export function scrubKey(text: string, key: string): string {
  if (key === "") return text;
  const runs = key.match(/\\+|[^\\]/g) ?? [];
  const anywhere = runs.map(anyForm).join("");
  const pattern = PLACEHOLDER.test(key) ? `(?<![A-Za-z])${anywhere}(?![A-Za-z])` : anywhere;
  return text.replace(new RegExp(pattern, "g"), SCRUBBED);
}

/** Tries the longest form first, so that no part of it remains. A run of backslashes is one unit: each level of escaping doubles it. */
function anyForm(run: string): string {
  const code = run.charCodeAt(0);
  const hex = code.toString(16).replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const escaped = `%(?:25)?${hex}|\\\\{1,2}u00${hex}|&#(?:x0?${hex}|0?${code});`;
  if (run.startsWith("\\")) {
    const doubled = [4, 2, 1].map((times) => `\\\\{${times * run.length}}`);
    return `(?:(?:${escaped}){${run.length}}|${doubled.join("|")})`;
  }
  const named = HTML_NAMES.get(run);
  return `(?:${named === undefined ? "" : `${named}|`}${escaped}|\\\\{0,3}${RegExp.escape(run)})`;
}

const HTML_NAMES = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&apos;"],
]);

/** Returns the message in a provider's error body as one line, scrubbed and bounded; undefined when there is none. */
export function providerMessage(body: string, key: string): string | undefined {
  const said = sentenceOf(body) ?? (/^\s*[<{[]/.test(body) ? "" : body);
  // Scrub before truncating: half a key would not match.
  const line = scrubKey(said, key)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  if (line === "") return undefined;
  return line.length > MESSAGE_CHARACTERS_MAX ? `${line.slice(0, MESSAGE_CHARACTERS_MAX)}…` : line;
}

/** Both protocols send `{"error":{"message"}}`; other servers send `{"error"}`, `{"message"}` or `{"detail"}`, some of them in a list. */
function sentenceOf(body: string): string | undefined {
  const value = [parsedJson(body)].flat()[0] as
    { error?: unknown; message?: unknown; detail?: unknown } | null | undefined;
  const error = value?.error as { message?: unknown } | string | null | undefined;
  const candidates = [typeof error === "string" ? error : error?.message, value?.message, value?.detail];
  return candidates.find((candidate): candidate is string => typeof candidate === "string");
}

export const HOST_NOT_FOUND = "host not found";

const SENTENCES = new Map([
  ["ECONNREFUSED", "connection refused"],
  ["ECONNRESET", "the connection was closed before an answer"],
  ["EPIPE", "the connection was closed before an answer"],
  ["ENOTFOUND", HOST_NOT_FOUND],
  ["EAI_AGAIN", HOST_NOT_FOUND],
  ["ENODATA", HOST_NOT_FOUND],
  ["ETIMEDOUT", "no answer in time"],
  ["EHOSTUNREACH", "host not reachable"],
  ["ENETUNREACH", "host not reachable"],
  ["ZlibError", "the answer could not be decompressed"],
]);

/** OpenSSL's error codes for certificates and handshakes. */
const TLS_CODES = /CERT|^ERR_(?:TLS|SSL)|^EPROTO$|SIGNATURE|ISSUER|^HOSTNAME_MISMATCH$|^CRL_/;

/** Returns a fixed sentence for an error thrown by `fetch`. */
export function networkFailure(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return "no answer in time";
  const code = systemCode(error) ?? "";
  if (TLS_CODES.test(code)) return "TLS failure: the certificate or the handshake was not accepted";
  return SENTENCES.get(code) ?? "connection failed";
}
