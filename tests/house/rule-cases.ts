// Tests of rules: the repository keeps each of them, and each is able to fail.

import { describe, expect, test } from "bun:test";
import type { Rule, SourceFile } from "./source.ts";

export interface RuleCase {
  readonly rule: Rule;
  /** One by one: each breaks the rule once. */
  readonly refused: readonly (readonly [path: string, text: string])[];
  readonly allowed: readonly (readonly [path: string, text: string])[];
}

export function describeRules(
  title: string,
  files: () => Promise<SourceFile[]>,
  cases: Readonly<Record<string, RuleCase>>,
): void {
  describe(title, () => {
    for (const [name, { rule, refused, allowed }] of Object.entries(cases)) {
      test(`${name}: in this repository`, async () => {
        expect(rule(await files())).toEqual([]);
      });

      test(`${name}: the rule tells wrong from right`, () => {
        expect(refused.map(([path, text]) => rule([{ path, text }]).length)).toEqual(refused.map(() => 1));
        expect(allowed.flatMap(([path, text]) => rule([{ path, text }]))).toEqual([]);
      });
    }
  });
}
