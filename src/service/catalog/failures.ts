// Describes a provider's failure by its status and its own message, without the key and without raw network errors, which would reveal
// the internal network.

import { systemCode } from "../../kit/error.ts";
import { isObject, parsedJson, type Fields } from "../../kit/text/parsed-json.ts";

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

/** Both protocols send `{"error":{"message"}}`; other servers use these fields, nested, in lists, or as JSON in a text. */
const MESSAGE_FIELDS = ["error", "message", "detail", "errors", "msg", "fault", "faultstring"] as const;
const NESTED_MAX = 8;

function sentenceOf(body: string): string | undefined {
  return sentenceIn(parsedJson(body), 0);
}

function sentenceIn(value: unknown, depth: number): string | undefined {
  if (depth > NESTED_MAX) return undefined;
  if (typeof value === "string") return sentenceOfText(value, depth);
  if (Array.isArray(value)) return sentenceIn(value[0], depth + 1);
  if (!isObject(value)) return undefined;
  const said = MESSAGE_FIELDS.values()
    .map((field) => sentenceIn(value[field], depth + 1))
    .find((one) => one !== undefined);
  return said === undefined ? undefined : located(value, withUpstream(value, said, depth));
}

function sentenceOfText(text: string, depth: number): string | undefined {
  if (text.trim() === "") return undefined;
  const inner = /^\s*[{[]/.test(text) ? parsedJson(text) : undefined;
  return (inner === undefined ? undefined : sentenceIn(inner, depth + 1)) ?? text;
}

/** A validator names the field in a list of its own. */
function located({ loc }: Fields, said: string): string {
  const steps = Array.isArray(loc)
    ? loc.filter((one) => typeof one === "string" || Number.isInteger(one))
    : [];
  return steps.length > 0 ? `${steps.join(".")}: ${said}` : said;
}

/** A router's own words say nothing; those of the server behind it are in `metadata.raw`. */
function withUpstream({ metadata }: Fields, said: string, depth: number): string {
  const upstream = isObject(metadata) ? sentenceIn(metadata["raw"], depth + 1) : undefined;
  return upstream === undefined || upstream === said ? said : `${said}: ${upstream}`;
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
