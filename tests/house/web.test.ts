// Goal: the interface's code keeps the rules that are about the browser, and every such rule is able to fail.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { describeRules, type RuleCase } from "./rule-cases.ts";
import { codeFiles, repositoryFiles } from "./source.ts";
import * as rules from "./web-rules.ts";

const purpose = "/* What this sheet is for, in a sentence. */\n";

const cases: Readonly<Record<string, RuleCase>> = {
  "no inline styles": {
    rule: rules.noInlineStyles,
    refused: [
      ["web/kit/a.tsx", '<i style="width: 1px" />'],
      ["web/kit/a.tsx", "<i style={`width: ${x}px`} />"],
      ["web/kit/a.tsx", "<style>{css}</style>"],
    ],
    allowed: [
      ["web/kit/a.tsx", '<i style={{ "--x": `${x}px` }} />'],
      ["tests/kit/a.ts", '<i style="width: 1px">'],
    ],
  },
  "colours are tokens": {
    rule: rules.coloursAreTokens,
    refused: [
      ["web/screens/chat/chat.css", ".chat { color: #fff }"],
      ["web/screens/chat/chat.css", ".chat { color: rgb(1 2 3) }"],
      ["web/screens/chat/chat.css", ".chat { color: hsl(1 2% 3%) }"],
      ["web/kit/a.ts", 'export const a = "#2c6e55";'],
    ],
    allowed: [
      ["web/styles/tokens.css", ":root { --bg: #ffffff }"],
      ["web/screens/chat/chat.css", "/* as #fff */ .chat { color: var(--text) }"],
      ["web/kit/a.ts", '// was #2c6e55\nexport const a = "#main";'],
    ],
  },
  "sizes of text are tokens": {
    rule: rules.textSizesAreTokens,
    refused: [
      ["web/screens/chat/chat.css", ".chat { font-size: 13px }"],
      ["web/screens/chat/chat.css", ".chat { font: 500 0.9rem/1.5 var(--mono) }"],
    ],
    allowed: [
      ["web/screens/chat/chat.css", ".chat { font: 500 var(--t-sm)/1.5 var(--mono); padding: 3px }"],
      ["web/styles/tokens.css", ":root { font-size: 13px }"],
    ],
  },
  "code has no ligatures": {
    rule: rules.codeHasNoLigatures,
    refused: [
      ["web/screens/chat/chat.css", ".chat { font-family: var(--mono) }"],
      ["web/screens/chat/chat.css", ".chat { font: var(--t-sm)/1.5 var(--mono) }"],
    ],
    allowed: [
      ["web/screens/chat/chat.css", ".chat { font-family: var(--mono); font-variant-ligatures: none }"],
      ["web/screens/chat/chat.css", ".chat { font-family: var(--font) }"],
      ["web/styles/tokens.css", ":root { --mono: monospace; --code: var(--mono) }"],
    ],
  },
  "no dialogs of the browser": {
    rule: rules.noBrowserDialogs,
    refused: [
      ["web/kit/a.ts", 'if (window.confirm("x")) go();'],
      ["web/kit/a.ts", 'if (confirm("x")) go();'],
      ["web/kit/a.ts", 'import { confirm } from "./dialog.tsx";\nconfirm(alert("x"));'],
    ],
    allowed: [
      ["web/kit/a.ts", 'import { confirm } from "./dialog.tsx";\nawait confirm(question);'],
      ["web/kit/a.ts", "agent.prompt(x); // never window.prompt"],
    ],
  },
  "HTML is written in one place": {
    rule: rules.htmlIsWrittenInOnePlace,
    refused: [
      ["web/kit/a.tsx", "export const A = () => <div innerHTML={text} />;"],
      ["web/screens/chat/markdown.ts", "node.outerHTML = text;"],
    ],
    allowed: [
      ["web/kit/markdown.tsx", "export const A = () => <div innerHTML={clean(text)} />;"],
      ["web/kit/a.ts", "node.textContent = text; // not innerHTML"],
    ],
  },
  "sheets open with their purpose": {
    rule: rules.sheetsOpenWithPurpose,
    refused: [
      ["web/kit/a.css", ".a { gap: 0 }"],
      ["web/kit/a.css", "/* A. */\n.a { gap: 0 }"],
    ],
    allowed: [["web/kit/a.css", `${purpose}.a { gap: 0 }`]],
  },
  "sheets stay readable": {
    rule: rules.sheetsStayReadable,
    refused: [["web/kit/a.css", "\n".repeat(901)]],
    allowed: [["web/kit/a.css", "\n".repeat(900)]],
  },
  "screens import nothing from each other": {
    rule: rules.screensStayApart,
    refused: [
      ["web/screens/chat/a.tsx", 'import { B } from "../gears/b.tsx";'],
      ["web/screens/chat/a.tsx", 'const b = () => import("../gears/b.tsx");'],
      ["web/screens/chat/a.tsx", 'import type { B } from "../gears/b.tsx";'],
    ],
    allowed: [
      ["web/screens/chat/a.tsx", 'import { B } from "./b.tsx";\nimport { C } from "../../kit/c.tsx";'],
      ["web/main.tsx", 'const b = () => import("./screens/gears/b.tsx");'],
    ],
  },
  "a screen's sheet styles its screen": {
    rule: rules.sheetsStyleTheirScreen,
    refused: [
      ["web/screens/chat/chat.css", ".btn { gap: 0 }"],
      ["web/screens/chat/chat.css", "@media (max-width: 1px) { .chat-a { gap: 0 } .title .end { gap: 0 } }"],
      ["web/screens/chat/chat.css", ".chatter { gap: 0 }"],
      ["web/parts/budget/budget.css", ".chat { gap: 0 }"],
    ],
    allowed: [
      ["web/screens/chat/chat.css", ".chat, .chat-a > .btn, h2.chat-b:is(.x, .y) { gap: 0 }"],
      ["web/screens/chat/chat.css", "@keyframes chat-in { from { opacity: 0 } 50% { opacity: 1 } }"],
      ["web/screens/gears/form.css", ".gears-a { gap: 0 } .gear-b { gap: 0 } .form-c { gap: 0 }"],
      ["web/parts/budget/budget.css", ".budget-a { gap: 0 }"],
      ["web/kit/a.css", ".btn { gap: 0 }"],
    ],
  },
};

describeRules("the interface's code", repositoryFiles, cases);

test("a class has its looks from one sheet: in this repository", async () => {
  expect(rules.classesHaveOneSheet(await repositoryFiles())).toEqual([]);
});

test("a class has its looks from one sheet: the rule tells wrong from right", () => {
  const sheet = (path: string, text: string) => ({ path, text });
  const first = sheet("web/kit/a.css", ".card {\n  gap: 0;\n}\n.row {\n  gap: 0;\n}\n");
  const other = sheet(
    "web/kit/b.css",
    ".card {\n  margin: 0;\n}\n@media print {\n  .row {\n    gap: 1px;\n  }\n}\n",
  );
  expect(rules.classesHaveOneSheet([first, other])).toEqual([
    "web/kit/a.css, web/kit/b.css: both style the class card",
  ]);
});

test("every class of a sheet is written by code: in this repository", async () => {
  expect(rules.classesAreUsed(await repositoryFiles())).toEqual([]);
});

test("every class of a sheet is written by code: the rule tells wrong from right", () => {
  const sheet = { path: "web/kit/a.css", text: ".card, .row-1 .cm-line, .gone:is(.lost) { gap: 0.5rem }" };
  const code = { path: "web/kit/a.tsx", text: "// gone\nexport const a = (n) => [`row-${n}`, 'card open'];" };
  expect(rules.classesAreUsed([sheet, code])).toEqual([
    "web/kit/a.css: no code writes the class gone",
    "web/kit/a.css: no code writes the class lost",
  ]);
});

test("docs/interface.md names every address", async () => {
  const read = (path: string) => Bun.file(join(ROOT, path)).text();
  const [main, here, document] = await Promise.all(
    ["web/main.tsx", "web/state/here.ts", "docs/interface.md"].map(read),
  );
  const paths = [...main!.matchAll(/path="\/([a-z]+)(?:\/[^"]*)?"/g)].map(([, first]) => first!);
  const views = /workspaceViews = \[([^\]]+)\]/.exec(here!)![1]!.match(/[a-z]+/g)!;
  expect(paths.length).toBeGreaterThan(8);
  const named = (address: string) => document!.includes(`\`/${address}`);
  // The login has no address of its own: it stands where one wanted to go.
  expect(paths.filter((path) => path !== "login" && !named(path))).toEqual([]);
  expect(views.filter((view) => view !== "chat" && !named(`workspaces/ID/${view}`))).toEqual([]);
});

test("docs/interface.md names controls by their labels", async () => {
  const document = await Bun.file(join(ROOT, "docs/interface.md")).text();
  const code = (await codeFiles())
    .filter(({ path }) => path.startsWith("web/"))
    .map(({ text }) => text.replaceAll(/\s+/g, " "))
    .join("\n");
  // A bold beginning of a paragraph or an item names its subject.
  const prose = document.replaceAll(/^(?:- )?\*\*[^*]+\*\*/gm, (bold, at: number) =>
    bold.startsWith("- ") || document.slice(0, at).endsWith("\n\n") ? "" : bold,
  );
  const labels = [...prose.matchAll(/\*\*([^*]+)\*\*/g)].map(([, label]) => label!.replaceAll(/\s+/g, " "));
  expect(labels.length).toBeGreaterThan(15);
  expect(labels.filter((label) => !code.includes(label))).toEqual([]);
});
