// The problems of front matter in words, for people.

import type { FreshnessProblem } from "./schema.ts";

const PROBLEMS: Readonly<Record<FreshnessProblem["code"], string>> = {
  no_end: "the front matter has no closing ---",
  too_complex: "the front matter is too complex to read",
  not_yaml: "the front matter is not valid YAML",
  doubled_key: "the front matter has a key twice",
  no_fields: "the front matter has no fields",
  bad_value: "bad value",
  in_future: "in the future",
};
const EXPECTED: Readonly<Record<NonNullable<FreshnessProblem["field"]>, string>> = {
  "stale-after": "a number and d, w, m or y, for example 90d",
  "last-validated": "a date, for example 2026-11-22",
  owner: "a name or a list of names",
  importance: "high, normal or low",
};

export function problemText({ field, code, value }: FreshnessProblem): string {
  if (field === null) return PROBLEMS[code];
  const expected = code === "bad_value" ? `expected ${EXPECTED[field]}` : PROBLEMS[code];
  return `${field} "${value}": ${expected}`;
}
