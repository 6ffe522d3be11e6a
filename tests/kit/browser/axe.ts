// Runs axe in a page. Its source is evaluated by the browser itself, past the page's CSP, which would refuse another script.

import { join } from "node:path";
import type { Page } from "playwright-core";
import { ROOT } from "../../../release/step.ts";

interface Violation {
  id: string;
  help: string;
  nodes: { target: unknown[]; failureSummary: string }[];
}

let source: string | undefined;

/** The rules whose result depends on colours; a theme changes nothing else. */
const RULES_OF_COLOUR = ["color-contrast", "link-in-text-block"];

/** One line for each broken rule, with the elements; `[]` is what a test expects. Without `rules`, all of them with best practices. */
export async function accessibilityProblems(page: Page, rules?: readonly string[]): Promise<string[]> {
  source ??= await Bun.file(join(ROOT, "node_modules/axe-core/axe.min.js")).text();
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(source);
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  const violations = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then((result) => result.violations)`,
  )) as Violation[];
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes.map(({ target, failureSummary }) => `${target.join(" ")} (${failureSummary.replaceAll("\n", " ")})`).join("; ")}`,
  );
}

/** Colours change by transitions, which even at no length take a frame to begin. */
const TRANSITIONS_OVER = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() =>
  Promise.allSettled(
    document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished)))`;

/** The same in the light and in the dark theme of the system; the page stays as it is otherwise. */
export async function problemsInBothThemes(page: Page): Promise<string[]> {
  const problems: string[] = [];
  for (const [colorScheme, rules] of [["dark", RULES_OF_COLOUR], ["light"]] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(TRANSITIONS_OVER);
    problems.push(
      ...(await accessibilityProblems(page, rules)).map((problem) => `${colorScheme}: ${problem}`),
    );
  }
  return problems;
}
