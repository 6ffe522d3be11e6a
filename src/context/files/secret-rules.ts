// The secret patterns: the rules of secretlint's recommended preset, and patterns that it lacks. The rules are called directly rather than by
// secretlint's engine, which keeps data about every text for the lifetime of the process.

import { decodeUtf8 } from "../../kit/text/utf8.ts";
import { mayAssignPassword, secretAssignments } from "./secret-assignments.ts";

export interface FoundSecret {
  /** `<issuer>/<kind>` from the preset, or the name of one of our patterns. */
  readonly rule: string;
  /** From 1. */
  readonly line: number;
  /** The line up to the secret, and the first characters of the secret. */
  readonly snippet: string;
}

/** Returns the first unchecked secret in a text; undefined if there is none. Raises nothing. */
type FindSecret = (path: string, text: string) => FoundSecret | undefined;

/** As FindSecret, for bytes; also undefined if they are not text. */
export type Scan = (input: {
  readonly path: string;
  readonly content: Uint8Array;
}) => FoundSecret | undefined;

export async function loadScan(): Promise<Scan> {
  const findSecret = await loadSecretRules();
  return ({ path, content }) => {
    const mayHold = mayHoldSecret(content);
    if (!mayHold && !mayAssignPassword(content)) return undefined;
    const text = decodeUtf8(content);
    if (text === undefined) return undefined;
    return mayHold ? findSecret(path, text) : firstUnchecked(text, assigned(text));
  };
}

/** Loaded lazily, because it takes more memory than an idle server should use. */
export async function loadSecretRules(): Promise<FindSecret> {
  const { rules } = await import("@secretlint/secretlint-rule-preset-recommend");
  const kept = (rules as readonly KeptRule[]).filter(({ meta }) => !LEFT_OUT.includes(meta.id));
  let reported: Candidate[] = [];
  const active = kept.map((rule) => {
    const issuer = rule.meta.id.slice(rule.meta.id.indexOf(PREFIX) + PREFIX.length);
    return rule.create(
      {
        createTranslator: () => (kind) => kind,
        report: ({ message, range: [start, end] }) =>
          reported.push({ rule: `${issuer}/${message}`, start, end }),
      },
      {},
    );
  });
  return (path, text) => {
    reported = [];
    const source = { content: text, filePath: path, ext: extensionOf(path) };
    for (const rule of active) rule.file(source);
    return firstUnchecked(text, [...reported, ...ownCandidates(text), ...assigned(text)]);
  };
}

/** No issuer has shorter keys, and few words are this long. */
const UNBROKEN_MIN = 16;
/** 1 for each byte that occurs in keys, tokens and Base64. */
const OF_KEYS = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(/[\w+/=.-]/.test(String.fromCharCode(byte)) && byte < 128),
);
const AT_SIGN = 0x40;

/** A pre-check at a tenth of the cost of all rules. False for most prose: no long unbroken string, no `@`, no private key. */
export function mayHoldSecret(bytes: Uint8Array): boolean {
  let unbroken = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    unbroken = OF_KEYS[byte] === 1 ? unbroken + 1 : 0;
    if (unbroken === UNBROKEN_MIN || byte === AT_SIGN) return true;
  }
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes("PRIVATE KEY");
}

/** The interface of the preset's rules (https://github.com/secretlint/secretlint, SecretLintRuleCreator). */
interface KeptRule {
  readonly meta: { readonly id: string };
  create(context: RuleContext, options: object): { file(source: RuleSource): unknown };
}

interface RuleContext {
  createTranslator(messages: unknown): (kind: string) => string;
  report(report: { readonly message: string; readonly range: readonly [number, number] }): void;
}

interface RuleSource {
  readonly content: string;
  readonly filePath: string;
  readonly ext: string;
}

interface Candidate {
  readonly rule: string;
  readonly start: number;
  readonly end: number;
}

const PREFIX = "secretlint-rule-";
/** Comments that disable rules. Here, a line is marked as checked instead. */
const DIRECTIVES = "@secretlint/secretlint-rule-filter-comments";
/** Backtracks over every split of 256 characters at every start. OWN_SHAPES has a linear equivalent. */
const SENDGRID = "@secretlint/secretlint-rule-sendgrid";
const LEFT_OUT = [DIRECTIVES, SENDGRID];
/** The rule for this extension reads the path from this machine's disk. A text is never such a file. */
const READ_FROM_DISK = ".p12";

function extensionOf(path: string): string {
  const extension = /\.[^./]+$/.exec(path)?.[0].toLowerCase() ?? "";
  return extension === READ_FROM_DISK ? "" : extension;
}

interface Shape {
  readonly name: string;
  /** Every match contains one of these. Searching for a few letters is cheaper than matching the expression. */
  readonly needles: readonly string[];
  /** Matches within one line. */
  readonly expression: RegExp;
}

const OWN_SHAPES: readonly Shape[] = [
  {
    name: "sendgrid/SENDGRID_KEY",
    needles: ["SG."],
    expression: /(?<!\p{L})SG\.\w{1,128}\.(?:\w{2,257}|\w{1,128}-\w{1,128})(?!\w)/gu,
  },
  // Also matches a truncated or partly quoted key.
  {
    name: "private key",
    needles: ["PRIVATE KEY"],
    expression: /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/g,
  },
  // The preset requires the other half of the pair.
  { name: "AWS access key", needles: ["AKIA", "ASIA"], expression: /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/g },
  {
    name: "GitLab token",
    needles: ["gldt-", "glrt-", "glptt-", "glft-", "glsoat-"],
    expression: /\bgl(?:dt|rt|ptt|ft|soat)-[A-Za-z0-9_-]{20,64}\b/g,
  },
  { name: "Google API key", needles: ["AIza"], expression: /\bAIza[A-Za-z0-9_-]{35}\b/g },
  { name: "Google OAuth secret", needles: ["GOCSPX-"], expression: /\bGOCSPX-[A-Za-z0-9_-]{28}\b/g },
  { name: "Anthropic key", needles: ["sk-ant-"], expression: /\bsk-ant-[A-Za-z0-9_-]{20,200}\b/g },
  {
    name: "Stripe key",
    needles: ["k_live_", "k_test_"],
    expression: /\b[sr]k_(?:live|test)_[A-Za-z0-9]{20,247}\b/g,
  },
  { name: "PyPI token", needles: ["pypi-"], expression: /\bpypi-[A-Za-z0-9_-]{50,200}\b/g },
  { name: "DigitalOcean token", needles: ["_v1_"], expression: /\bdo[opr]_v1_[a-f0-9]{64}\b/g },
  { name: "Telegram bot token", needles: [":AA"], expression: /\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b/g },
  // Each attempt ends where the next begins. Otherwise a text of nothing but starts would take quadratic time.
  {
    name: "JSON web token",
    needles: ["eyJ"],
    expression: /\beyJ(?:(?!\beyJ)[A-Za-z0-9_-]){10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}\b/g,
  },
  { name: "token of this server", needles: ["cairn_"], expression: /\bcairn_[A-Za-z0-9_-]{43}\b/g },
  // For any scheme.
  {
    name: "password in an address",
    needles: ["://"],
    expression: /\b[a-z][a-z0-9+.-]{2,20}:\/\/[^\s/:@"'<>{}$]{1,64}:[^\s/@"'<>{}$*]{6,128}@[a-z0-9.-]+/gi,
  },
];

function ownCandidates(text: string): Candidate[] {
  const found: Candidate[] = [];
  for (const { name, needles, expression } of OWN_SHAPES) {
    if (!needles.some((needle) => text.includes(needle))) continue;
    for (const { index, 0: match } of text.matchAll(expression))
      found.push({ rule: name, start: index, end: index + match.length });
  }
  return found;
}

function assigned(text: string): Candidate[] {
  return Array.from(secretAssignments(text), (found) => ({ rule: "assigned secret", ...found }));
}

/** Marks the secret's line, from that line or the one above. */
const CHECKED = /\b(?:cairn|secret)[:-](?:allow|checked)\b/i;
const SHOWN_BEFORE = 20;
const SHOWN_OF_IT = 4;

function firstUnchecked(text: string, candidates: readonly Candidate[]): FoundSecret | undefined {
  // The sort is stable, so at the same position an issuer's rule comes before a general pattern.
  const inOrder = candidates.toSorted((a, b) => a.start - b.start);
  let line = lineAt(text, 0);
  for (const { rule, start, end } of inOrder) {
    // A line may have many candidates, but is examined once.
    if (start > line.end) line = lineAt(text, start);
    if (line.isChecked) continue;
    const number = text.slice(0, start).split("\n").length;
    return { rule, line: number, snippet: redacted(text.slice(line.start, start), text.slice(start, end)) };
  }
  return undefined;
}

/** Returns the line at this position. */
function lineAt(text: string, place: number): { start: number; end: number; isChecked: boolean } {
  const start = place === 0 ? 0 : text.lastIndexOf("\n", place - 1) + 1;
  const above = start < 2 ? 0 : text.lastIndexOf("\n", start - 2) + 1;
  const next = text.indexOf("\n", place);
  const end = next < 0 ? text.length : next;
  return { start, end, isChecked: CHECKED.test(text.slice(above, end)) };
}

/** Omits everything after the start of the secret, because the key may continue. The text before it contains no other secret. */
function redacted(before: string, secret: string): string {
  const shown = Math.min(SHOWN_OF_IT, Math.floor(secret.length / SHOWN_OF_IT));
  const begins = secret.slice(0, shown).split("\n", 1)[0]!;
  return `${before.slice(-SHOWN_BEFORE)}${begins}…`.trim();
}
