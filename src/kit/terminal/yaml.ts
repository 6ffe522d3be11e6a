// YAML for programs: block style in which every text is in double quotes, because parsers disagree on plain ones. Those of YAML 1.1 take
// `2026-11-23` for a date and `12:30:45` for a number.

const INDENT = "  ";
/** Keys that no parser takes for anything else. */
const PLAIN_KEY = /^[a-z]+(?:_[a-z0-9]+)*$/;
const WORDS = new Set(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"]);
/** Characters that JSON leaves as they are, and that YAML does not allow (YAML 1.2.2, 5.1) or takes for a line break (1.1). */
const NOT_PRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** For a value as JSON has it: without cycles, functions, and members that are undefined. */
export function yamlOf(value: unknown): string {
  const lines: string[] = [];
  write(JSON.parse(JSON.stringify(value)), "", "", lines);
  return `${lines.join("\n")}\n`;
}

/** `lead`: what comes before the value on its line. */
function write(value: unknown, indent: string, lead: string, lines: string[]): void {
  if (typeof value !== "object" || value === null) lines.push(lead + scalar(value));
  else if (Array.isArray(value)) writeList(value, indent, lead, lines);
  else writeMembers(Object.entries(value), indent, lead, lines);
}

function writeList(items: readonly unknown[], indent: string, lead: string, lines: string[]): void {
  if (items.length === 0) return void lines.push(`${lead}[]`);
  if (lead.trim() !== "" && !lead.endsWith("- ")) lines.push(lead.trimEnd());
  items.forEach((item, at) => {
    const before = at === 0 && lead.endsWith("- ") ? lead : indent;
    write(item, indent + INDENT, `${before}- `, lines);
  });
}

function writeMembers(
  members: readonly (readonly [string, unknown])[],
  indent: string,
  lead: string,
  lines: string[],
): void {
  if (members.length === 0) return void lines.push(`${lead}{}`);
  if (lead.trim() !== "" && !lead.endsWith("- ")) lines.push(lead.trimEnd());
  members.forEach(([key, value], at) => {
    const before = at === 0 && lead.endsWith("- ") ? lead : indent;
    write(value, indent + INDENT, `${before}${name(key)}: `, lines);
  });
}

function name(key: string): string {
  return PLAIN_KEY.test(key) && !WORDS.has(key) ? key : quoted(key);
}

function scalar(value: unknown): string {
  return typeof value === "string" ? quoted(value) : String(value);
}

function quoted(text: string): string {
  return JSON.stringify(text).replace(
    NOT_PRINTABLE,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
