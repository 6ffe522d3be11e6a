// Goal: finds secrets of every known issuer, reports the first of a text with its line and only its first characters, and passes lookalikes, in
// bounded time.

import { describe, expect, test } from "bun:test";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import { threadTimeMs } from "../../../src/kit/clock.ts";
import { loadSecretRules, mayHoldSecret } from "../../../src/context/files/secret-rules.ts";

const findSecret = await loadSecretRules();

const word = (length: number) => "aB3dE5gH7jK9".repeat(110).slice(0, length);
const letters = (length: number) => "aBcDeFgHjKmN".repeat(20).slice(0, length);
const hex = (length: number) => "0a1b2c3d4e5f6789".repeat(20).slice(0, length);
const KEY = `AKIA${"QWERTYUIOPASDFGH".replaceAll(/[018]/g, "A")}`;
const lines = (text: string) => text.replaceAll(/(.{64})/g, "$1\n");
const pem = (kind: string) => `-----BEGIN ${kind}-----\n${lines(`MII${word(900)}`)}\n-----END ${kind}-----`;

/** Keyed by the rule of the preset. */
const OF_THE_SET: Record<string, { readonly path?: string; readonly text: string }> = {
  aws: { text: `AWS_SECRET_ACCESS_KEY = "${word(40)}"` },
  gcp: {
    path: "key.json",
    text: JSON.stringify({ private_key_id: hex(40), private_key: pem("PRIVATE KEY") }),
  },
  privatekey: { text: pem("RSA PRIVATE KEY") },
  npm: { text: `npm_${word(36)}` },
  basicauth: { text: "https://operator:correcthorsebattery@db.example.org/x" },
  slack: { text: `xoxb-123456789012-1234567890123-${word(24)}` },
  sendgrid: { text: `SG.${word(22)}.${word(43)}` },
  shopify: { text: `shpat_${hex(32)}` },
  github: { text: `ghp_${word(36)}` },
  gitlab: { text: `glpat-${word(20)}` },
  grafana: { text: `glsa_${word(32)}_${hex(8)}` },
  openai: { text: `sk-${word(20)}T3BlbkFJ${word(20)}` },
  anthropic: { text: `sk-ant-api03-${word(93)}AA` },
  groq: { text: `gsk_${word(52)}` },
  huggingface: { text: `hf_${letters(34)}` },
  linear: { text: `lin_api_${word(40)}` },
  notion: { text: `ntn_12345678901${word(35)}` },
  // Ends as the issuer's keys do: a closing brace alone in its last group.
  "1password": { text: `ops_${Buffer.from(`{"email":"${word(121)}"}`).toString("base64")}` },
  "database-connection-string": { text: "mongodb://operator:correcthorsebattery@db.example.org/x" },
  "hashicorp-vault": { text: `hvs.${word(95)}` },
  vercel: { text: `vcp_${word(56)}` },
  databricks: { text: `dapi${hex(32)}` },
  docker: { text: `dckr_pat_${word(27)}` },
  figma: { text: `figd_${word(40)}` },
};

const OUR_OWN: Record<string, string> = {
  "private key": "-----BEGIN OPENSSH PRIVATE KEY-----",
  "AWS access key": KEY,
  "GitLab token": `glrt-${word(20)}`,
  "Google API key": `AIza${word(35)}`,
  "Google OAuth secret": `GOCSPX-${word(28)}`,
  "Anthropic key": `sk-ant-${word(40)}`,
  "Stripe key": `sk_live_${word(24)}`,
  "PyPI token": `pypi-${word(60)}`,
  "DigitalOcean token": `dop_v1_${hex(64)}`,
  "Telegram bot token": `123456789:AA${word(33)}`,
  "JSON web token": `eyJ${word(20)}.eyJ${word(20)}.${word(30)}`,
  "token of this server": `cairn_${word(43)}`,
  "password in an address": "redis://admin:hunter2hunter2@db.example.org/x",
};

describe("finds", () => {
  test("a secret of every rule of the preset", () => {
    const names = rules.map(({ meta }) => meta.id.replace(/^.*secretlint-rule-/, ""));
    expect(Object.keys(OF_THE_SET).toSorted()).toEqual(
      names.filter((name) => name !== "filter-comments").toSorted(),
    );
    for (const [name, { path, text }] of Object.entries(OF_THE_SET)) {
      const found = findSecret(path ?? "a.md", text);
      expect([name, found?.rule.split("/")[0]]).toEqual([name, name]);
      expect([name, found!.line, found!.snippet.length]).toEqual([name, 1, 5]);
    }
  });

  test("a secret of each of our own patterns", () => {
    for (const [name, text] of Object.entries(OUR_OWN)) {
      const found = findSecret("a.md", `first line\n  key: ${text} # and more\n`);
      expect([name, found]).toEqual([name, { rule: name, line: 2, snippet: `key: ${text.slice(0, 4)}…` }]);
    }
  });

  test("the first of several; of two on a line, neither is shown", () => {
    const token = `ghp_${word(36)}`;
    expect(findSecret("a.md", `one\ntwo ${token}\n${KEY}`)).toMatchObject({ line: 2, snippet: "two ghp_…" });
    for (const line of [
      `${KEY} ${token}`,
      `${token} ${KEY}`,
      `"-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBg" ${token}`,
    ]) {
      const { snippet } = findSecret("a.md", line)!;
      for (const secret of [KEY, token, "MIIE"]) expect(snippet).not.toContain(secret);
    }
  });

  test("does not read a text named like a key file from this machine's disk", () => {
    // The rule would read the file, which takes too long for an immediate answer.
    expect(findSecret("/dev/zero.p12", "harmless")).toBeUndefined();
    expect(findSecret("keys/A.P12", `x ${KEY}`)).toMatchObject({ rule: "AWS access key" });
  });
});

test("the pre-check skips nothing that the rules would find", () => {
  const samples = [...Object.values(OF_THE_SET).map(({ text }) => text), ...Object.values(OUR_OWN)];
  for (const text of samples)
    for (const around of [text, `word ${text} word`, `${"word ".repeat(400)}\n${text}`])
      expect([text, mayHoldSecret(Buffer.from(around))]).toEqual([text, true]);
  for (const text of [
    "",
    "word ".repeat(400),
    "# Plans\n\n- one: two\n- „drei“ 日本語",
    "ünïcödé".repeat(100),
  ])
    expect([text, mayHoldSecret(Buffer.from(text))]).toEqual([text, false]);
});

describe("passes", () => {
  test("a line marked itself or by the line above; comments of other programs do not count", () => {
    expect(findSecret("a.md", `${KEY} <!-- secret:allow -->`)).toBeUndefined();
    expect(findSecret("a.md", `# cairn-checked\n${KEY}`)).toBeUndefined();
    expect(findSecret("a.md", `# secret:checked\n\n${KEY}`)).toMatchObject({ line: 3 });
    expect(findSecret("a.md", `${KEY} secret:allow\nother\n${KEY}`)).toMatchObject({ line: 3 });
    expect(findSecret("a.md", `# secretlint-disable\n${KEY}`)).toMatchObject({ line: 2 });
  });

  test("texts that merely resemble a secret", () => {
    for (const text of [
      "",
      "sk-learn and sk_test are words",
      "postgres://user:${PASSWORD}@db.example.org/x",
      "https://example.org/a:b@c",
      "AKIA is a prefix",
      hex(64),
    ])
      expect([text, findSecret("a.md", text)]).toEqual([text, undefined]);
    for (const text of ["{", "null", "[[[", "7", '{"private_key": 1, "private_key_id": 2}'])
      expect([text, findSecret("a.json", text)]).toEqual([text, undefined]);
  });

  test("adversarial texts take bounded time", () => {
    const bytes = 1024 * 1024;
    const start = threadTimeMs();
    for (const part of [
      "a",
      "eyJ",
      "-eyJ",
      "xoxb-",
      "xoxb-1-a-",
      "https://",
      "https://a:a",
      "SG.a.",
      "glc_",
      "ops_ey",
    ])
      findSecret("a.md", part.repeat(bytes / part.length));
    expect(threadTimeMs() - start).toBeLessThan(5_000);
  });

  test("examines a marked line full of keys once, and still examines what follows", () => {
    const marked = `${`${KEY} `.repeat(200_000)} secret:allow`;
    const start = threadTimeMs();
    expect(findSecret("a.md", marked)).toBeUndefined();
    expect(findSecret("a.md", `${marked}\n\n${KEY}`)).toMatchObject({ line: 3 });
    expect(threadTimeMs() - start).toBeLessThan(5_000);
  });
});
