// Shapes of secrets. Each has letters that its issuer put there so that it can be found, which keeps false alarms rare, and a text without
// them cheap: looking for a few letters costs a fraction of trying an expression at every place.

export interface FoundSecret {
  readonly rule: string;
  readonly line: number;
  readonly snippet: string;
}

interface Rule {
  readonly name: string;
  /** One of these is in everything that has the shape. */
  readonly needles: readonly string[];
  /** Within one line. */
  readonly shape: RegExp;
}

/** On the line itself or the one above it. */
const CHECKED = /\b(?:cairn|secret)[:-](?:allow|checked)\b/i;
const SHOWN_BEFORE = 20;

const RULES: readonly Rule[] = [
  {
    name: "private key",
    needles: ["PRIVATE KEY"],
    shape: /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/,
  },
  { name: "AWS access key", needles: ["AKIA", "ASIA"], shape: /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/ },
  {
    name: "GitHub token",
    needles: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    shape: /\b(?:gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9_]{60,120})\b/,
  },
  {
    name: "GitLab token",
    needles: ["glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glsoat-"],
    shape: /\bgl(?:pat|dt|rt|ptt|ft|soat)-[A-Za-z0-9_-]{20,64}\b/,
  },
  { name: "Slack token", needles: ["xox"], shape: /\bxox[abeoprs]-[A-Za-z0-9-]{10,200}\b/ },
  {
    name: "Slack webhook",
    needles: ["hooks.slack.com"],
    shape: /\bhooks\.slack\.com\/services\/T[A-Z0-9]{8,}\/B[A-Z0-9]{8,}\/[A-Za-z0-9]{20,}/,
  },
  { name: "Google API key", needles: ["AIza"], shape: /\bAIza[A-Za-z0-9_-]{35}\b/ },
  { name: "Google OAuth secret", needles: ["GOCSPX-"], shape: /\bGOCSPX-[A-Za-z0-9_-]{28}\b/ },
  { name: "Anthropic key", needles: ["sk-ant-"], shape: /\bsk-ant-[A-Za-z0-9_-]{20,200}\b/ },
  {
    name: "OpenAI key",
    needles: ["T3BlbkFJ"],
    shape: /\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,}\b/,
  },
  {
    name: "Stripe key",
    needles: ["k_live_", "k_test_"],
    shape: /\b[sr]k_(?:live|test)_[A-Za-z0-9]{20,247}\b/,
  },
  { name: "SendGrid key", needles: ["SG."], shape: /\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}\b/ },
  { name: "npm token", needles: ["npm_"], shape: /\bnpm_[A-Za-z0-9]{36}\b/ },
  { name: "PyPI token", needles: ["pypi-"], shape: /\bpypi-[A-Za-z0-9_-]{50,200}\b/ },
  { name: "Hugging Face token", needles: ["hf_"], shape: /\bhf_[A-Za-z]{34}\b/ },
  { name: "DigitalOcean token", needles: ["_v1_"], shape: /\bdo[opr]_v1_[a-f0-9]{64}\b/ },
  { name: "Telegram bot token", needles: [":AA"], shape: /\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b/ },
  {
    name: "JSON web token",
    needles: ["eyJ"],
    shape: /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}\b/,
  },
  { name: "token of this server", needles: ["cairn_"], shape: /\bcairn_[A-Za-z0-9_-]{43}\b/ },
  {
    name: "password in an address",
    needles: ["://"],
    shape: /\b[a-z][a-z0-9+.-]{2,20}:\/\/[^\s/:@"'<>{}$]{1,64}:[^\s/@"'<>{}$*]{6,128}@[a-z0-9.-]+/i,
  },
];

/** The first one; undefined when there is none that nobody has checked. */
export function findSecret(_path: string, text: string): FoundSecret | undefined {
  const rules = RULES.filter(
    ({ needles, shape }) => needles.some((needle) => text.includes(needle)) && shape.test(text),
  );
  if (rules.length === 0) return undefined;
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    for (const { name, shape } of rules) {
      const match = shape.exec(line);
      if (!match || CHECKED.test(line) || CHECKED.test(lines[index - 1] ?? "")) continue;
      return { rule: name, line: index + 1, snippet: redacted(line, match.index, match[0]) };
    }
  }
  return undefined;
}

/** What stands before it, without other secrets, and how it begins. Nothing of what follows: a key may go on there. */
function redacted(line: string, start: number, found: string): string {
  let before = line.slice(0, start);
  for (const { shape } of RULES)
    before = before.replace(new RegExp(shape.source, `${shape.flags}g`), (text) => `${text.slice(0, 4)}…`);
  return `${before.slice(-SHOWN_BEFORE)}${found.slice(0, 4)}…`.trim();
}
