// Goal: a provider's failure is shown without the key in any form, and without raw network errors.

import { expect, test } from "bun:test";
import { assert, integer, property, string } from "fast-check";
import { networkFailure, providerMessage, scrubKey } from "../../../src/service/catalog/failures.ts";

const PRINTABLE = string({
  unit: integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 40,
});
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const unicode = (text: string) =>
  text.replace(/[^A-Za-z0-9]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
const html = (text: string) => Bun.escapeHTML(text);
const FORMS: [string, (key: string) => string][] = [
  ["unchanged", (key) => key],
  ["JSON", json],
  ["JSON in JSON", (key) => json(json(key))],
  ["JSON with escaped slashes", (key) => json(key).replaceAll("/", "\\/")],
  ["JSON with \\u escapes", unicode],
  ["URL", encodeURIComponent],
  ["URL in lower case", (key) => encodeURIComponent(key).replace(/%../g, (code) => code.toLowerCase())],
  ["URL encoded twice", (key) => encodeURIComponent(encodeURIComponent(key))],
  ["a form", (key) => new URLSearchParams({ key }).toString().slice("key=".length)],
  ["HTML", html],
];

test.each(FORMS)("scrubs a key: %s", (_, form) => {
  // Goal: any printable key is removed twice from a text, completely, and nothing else changes.
  assert(
    property(PRINTABLE, (key) => {
      const text = `\u00e4 ${form(key)} \u00f6 ${form(key)} \u00fc`;
      expect(scrubKey(text, key)).toBe("\u00e4 [api key] \u00f6 [api key] \u00fc");
    }),
  );
});

test("scrubs a placeholder only as a word, and a key also within one", () => {
  expect(scrubKey("Incorrect API key: k (k, 'k')", "k")).toBe(
    "Incorrect API key: [api key] ([api key], '[api key]')",
  );
  expect(scrubKey("nonexistent: none", "none")).toBe("nonexistent: [api key]");
  expect(scrubKey("abcdefghijklmnopqrst", "bcdefghijklmnop")).toBe("a[api key]qrst");
  expect(scrubKey("xs-kx", "s-k")).toBe("x[api key]x");
  expect(scrubKey("xk1x Bearer%20none", "k1")).toBe("x[api key]x Bearer%20none");
  expect(scrubKey("Bearer%20none", "none")).toBe("Bearer%20[api key]");
});

test("scrubs nothing for an empty key", () => {
  // Goal: the empty key does not match between all characters.
  expect(scrubKey("text", "")).toBe("text");
});

test("scrubs the longest keys from the worst texts in time", () => {
  // Goal: no key that an admin can save makes the search slow.
  const longest = Array.from({ length: 4096 }, (_, index) => String.fromCharCode(0x21 + (index % 94))).join(
    "",
  );
  expect(scrubKey(`<${json(longest)}>`, longest)).toBe("<[api key]>");
  const slashes = "\\".repeat(4096);
  expect(scrubKey("\\".repeat(4095), slashes)).toBe("\\".repeat(4095));
  const percents = "%25".repeat(1365);
  expect(scrubKey("%25".repeat(1364), percents)).toBe("%25".repeat(1364));
});

test.each([
  ['{"error":{"message":"no credit"}}', "no credit"],
  ['[{"error":{"message":"no credit"}}]', "no credit"],
  ['{"error":"no credit"}', "no credit"],
  ['{"message":"no credit"}', "no credit"],
  ['{"detail":"no credit"}', "no credit"],
  ["  no\n\tcredit\u0000 ", "no credit"],
  ["<!doctype html><p>no credit", undefined],
  [
    '{"detail":[{"type":"extra_forbidden","loc":["body","n"],"msg":"not permitted"}]}',
    "body.n: not permitted",
  ],
  [
    '{"object":"error","message":{"detail":[{"loc":["body","n"],"msg":"not permitted"}]},"code":null}',
    "body.n: not permitted",
  ],
  ['{"message":"{\\"detail\\":[{\\"msg\\":\\"no credit\\"}]}"}', "no credit"],
  ['{"success":false,"errors":[{"code":7,"message":"no credit"}]}', "no credit"],
  [
    '{"error":{"message":"Provider returned error","metadata":{"raw":"{\\"error\\":{\\"message\\":\\"no credit\\"}}"}}}',
    "Provider returned error: no credit",
  ],
  [
    '{"error":{"message":"Provider returned error","metadata":{"raw":"slow down, sk-1"}}}',
    "Provider returned error: slow down, [api key]",
  ],
  ['{"error":{"message":"[7] no credit"}}', "[7] no credit"],
  ['{"detail":[{"loc":["body",{"toString":1},0],"msg":"no credit"}]}', "body.0: no credit"],
  [`{"error":${'{"error":'.repeat(20)}"x"${"}".repeat(20)}}`, undefined],
  ['{"error":{"type":"x"}}', undefined],
  ['{"error":null}', undefined],
  ["", undefined],
])("the message in %p", (body, message) => {
  // Goal: shows the message if there is one, never a page or raw structure.
  expect(providerMessage(body, "sk-1")).toBe(message as string);
});

test("truncates a long message after scrubbing it", () => {
  // Goal: half a key at the cut would no longer match.
  const said = providerMessage(`${"x".repeat(495)}sk-secret`, "sk-secret")!;
  expect(said).toBe(`${"x".repeat(495)}[api …`);
});

test.each([
  ["ECONNREFUSED", "connection refused"],
  ["ECONNRESET", "the connection was closed before an answer"],
  ["ENOTFOUND", "host not found"],
  ["EAI_AGAIN", "host not found"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "TLS failure: the certificate or the handshake was not accepted"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "TLS failure: the certificate or the handshake was not accepted"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "TLS failure: the certificate or the handshake was not accepted"],
  ["EPROTO", "TLS failure: the certificate or the handshake was not accepted"],
  ["toString", "connection failed"],
])("%s is told as a fixed sentence", (code, sentence) => {
  // Goal: the system's text, which contains addresses, is never shown.
  const error = Object.assign(new Error("connect 10.0.0.7:5432 failed"), { code });
  expect(networkFailure(error)).toBe(sentence);
});
