// Goal: in a file that people write only our block changes; removing it restores the file exactly, and half a block is refused with its line.

import { describe, expect, test } from "bun:test";
import { array, assert, boolean, constantFrom, property } from "fast-check";
import { hasBlock, withBlock, withoutBlock } from "../../../src/context/integrations/marked-block.ts";
import { refusal } from "../../kit/http/refusal.ts";

const BEGIN = "<!-- cairn:begin -->";
const END = "<!-- cairn:end -->";
const BODY = "## Shared context\n\nRead it.\n";
const BLOCK = `${BEGIN}\n## Shared context\n\nRead it.\n${END}`;
const PREAMBLE = "---\nalwaysApply: true\n---\n";

describe("a file comes back byte for byte", () => {
  test.each([
    ["as an editor saves it", "# Agents\n\nRun the tests.\n"],
    ["without a line end", "# Agents"],
    ["with empty lines at the end", "# Agents\n\n\n"],
    ["with CRLF", "# Agents\r\n\r\nRun.\r\n"],
    ["with CRLF and no line end", "# Agents\r\nRun."],
    ["with a byte order mark", "\ufeff# Agents\n"],
    ["of a byte order mark", "\ufeff"],
    ["of zero bytes", ""],
    ["of one line end", "\n"],
    ["with an HTML comment of its own", "<!-- begin: mine -->\ntext\n<!-- end -->\n"],
  ])("%s", (_, before) => {
    const after = withBlock(before, BODY);
    expect(after.startsWith(before)).toBe(true);
    expect(after.includes("\r\n")).toBe(before.includes("\r\n"));
    if (before.includes("\r\n")) expect(after).not.toMatch(/[^\r]\n/);
    expect(withBlock(after, BODY)).toBe(after);
    expect(withoutBlock(after)).toBe(before);
  });

  test("whatever is in it", () => {
    const line = constantFrom("", "text", "# A", "```", "<!-- x -->", " ", "a\r");
    assert(
      property(array(line), boolean(), (lines, hasEnd) => {
        const before = lines.join("\n") + (hasEnd ? "\n" : "");
        expect(withoutBlock(withBlock(before, BODY))).toBe(before);
      }),
    );
  });
});

test("a file that we created goes, and stays once a person has written into it", () => {
  expect(withBlock(undefined, BODY)).toBe(`${BLOCK}\n`);
  expect(withoutBlock(`${BLOCK}\n`)).toBeUndefined();
  expect(withoutBlock(`${BLOCK}\nmine\n`)).toBe("mine\n");
  const rules = withBlock(undefined, BODY, PREAMBLE);
  expect(rules).toBe(`${PREAMBLE}\n${BLOCK}\n`);
  expect(withoutBlock(rules, PREAMBLE)).toBeUndefined();
  expect(withoutBlock(`${rules}mine\n`, PREAMBLE)).toBe(`${PREAMBLE}mine\n`);
  expect(withBlock("mine\n", BODY, PREAMBLE)).toBe(`mine\n\n${BLOCK}\n`);
});

test("a new body replaces the old one where it is", () => {
  const before = `# Top\n\n${BLOCK}\n\n# Below\n`;
  expect(withBlock(before, "other")).toBe(`# Top\n\n${BEGIN}\nother\n${END}\n\n# Below\n`);
  expect(withBlock(before.replaceAll("\n", "\r\n"), BODY)).toBe(before.replaceAll("\n", "\r\n"));
  expect(withoutBlock(before)).toBe("# Top\n\n# Below\n");
  expect([hasBlock(before), hasBlock("# Top\n")]).toEqual([true, false]);
});

test("the line above the block keeps its end, although someone removed the empty line between", () => {
  expect(withoutBlock(`# Top\n${BLOCK}\n# Below\n`)).toBe("# Top\n# Below\n");
  expect(withoutBlock(`# Top\n${BLOCK}\n# Below\n`.replaceAll("\n", "\r\n"))).toBe("# Top\r\n# Below\r\n");
  expect(withoutBlock(`# Top\n${BLOCK}\n`)).toBe("# Top\n");
});

describe("refuses", () => {
  const repair = "; repair or delete the block by hand";
  const inexact = `looks like a marker of cairn, but is not exactly ${BEGIN} or ${END}`;
  test.each([
    ["no end", `a\n${BEGIN}\ntext\n`, 2, `has ${BEGIN} without ${END} after it`],
    ["no begin", `a\n\n${END}\n`, 3, `has ${END} without ${BEGIN} before it`],
    ["two begins", `${BEGIN}\n${BEGIN}\n${END}\n`, 1, `has ${BEGIN} without ${END} after it`],
    ["a second block", `${BLOCK}\n${BLOCK}\n`, 6, "begins a second block of cairn"],
    ["the wrong order", `${END}\n${BEGIN}\n`, 1, `has ${END} without ${BEGIN} before it`],
    ["an unfinished marker", "<!-- cairn:begin\n", 1, inexact],
    ["text beside a marker", `text ${BEGIN}\n${END}\n`, 1, inexact],
    ["a marker in capitals", `<!-- CAIRN:BEGIN -->\n${END}\n`, 1, inexact],
  ])("%s", async (_, text, line, problem) => {
    for (const act of [() => withBlock(text, BODY), () => withoutBlock(text)])
      await refusal(act, "invalid", `line ${line} ${problem}${repair}`, { line });
  });

  test("a body that ends the block early", async () => {
    await refusal(
      () => withBlock("a\n", `x\n${END}\ny`),
      "invalid",
      "a path in the block looks like one of its markers",
    );
  });
});
