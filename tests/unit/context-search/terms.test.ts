// Goal: a query means what people expect of words, phrases and prefixes, whatever it contains, and a query that cannot be one says why.

import { expect, test } from "bun:test";
import { QUERY_CHARACTERS_MAX, TERMS_MAX } from "../../../src/context/search/schema.ts";
import { indexExpression } from "../../../src/context/search/terms.ts";
import { refusal } from "../../kit/http/refusal.ts";

const MEANS: Readonly<Record<string, string>> = {
  plan: '"plan"',
  "retry budget": '"retry" AND "budget"',
  '"retry budget" plan': '"retry budget" AND "plan"',
  'say "hello wor': '"say" AND "hello wor"',
  "deploy*": '"deploy" *',
  '"error bud"*': '"error bud" *',
  "foo-bar don't": `"foo-bar" AND "don't"`,
  "“typographic quotes” „deutsch“": '"typographic quotes" AND "deutsch"',
  "plan -- ...": '"plan"',
  "cafe\u0301": '"caf\u00e9"',
  "a OR b NOT c NEAR(d)": '"a" AND "OR" AND "b" AND "NOT" AND "c" AND "NEAR(d)"',
  "text:x {y} ^z": '"text:x" AND "{y}" AND "^z"',
  "nul\0byte": '"nul" AND "byte"',
};

test("words, phrases and prefixes become quoted terms, so that nothing is syntax", () => {
  expect(Object.keys(MEANS).map((query) => [query, indexExpression(query)])).toEqual(Object.entries(MEANS));
});

test("a query that cannot be one is refused with what to do", async () => {
  const cases: [query: string, why: RegExp][] = [
    ["", /contains no word to search for; search for punctuation with a regular expression/],
    ['"" -- *!', /\* stands at the end of a word only|contains no word/],
    ["a*", /"a\*": write at least 2 letters before \*/],
    ["x-a*", /write at least 2 letters/],
    ["mid*dle", /"mid\*dle": \* stands at the end of a word only/],
    ["x ".repeat(TERMS_MAX + 1), /at most 32 words and phrases/],
    ["x".repeat(QUERY_CHARACTERS_MAX + 1), /at most 1000 characters/],
  ];
  for (const [query, why] of cases)
    await refusal(() => indexExpression(query), "invalid", why, expect.anything());
});
