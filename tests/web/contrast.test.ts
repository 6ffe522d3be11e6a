// Goal: every pair of text and background has WCAG AA contrast in both themes; style sheets use only defined tokens and listed pairs.

import { Glob } from "bun";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import {
  colourTokens,
  contrast,
  mixed,
  propertiesRead,
  propertiesSet,
  rulesOf,
  themes,
} from "../kit/browser/stylesheet.ts";

const TEXT_MIN = 4.5;
/** Large text and graphics: rings, dots, bars. */
const GRAPHICS_MIN = 3;

/** Backgrounds of text; a hovered row mixes its background with the text colour. */
const PLAIN = ["bg", "rail", "surface", "raised"];
const TINTED = ["accent-bg", "wait-bg", "bad-bg", "info-bg", "add", "del"];
const ALL = [...PLAIN, ...TINTED];
const HOVER_SHARES = [0.04, 0.07];

const texts: Readonly<Record<string, readonly string[]>> = {
  text: [...ALL, "line"],
  muted: [...ALL, "line"],
  faint: ALL,
  accent: ALL,
  wait: ALL,
  bad: ALL,
  info: ALL,
  "agent-1": ALL,
  "agent-2": ALL,
  "agent-3": ALL,
  "agent-4": ALL,
  "agent-5": ALL,
  "agent-6": ALL,
  "on-accent": ["accent"],
  "on-bad": ["bad"],
  bg: ["text"],
};

const graphics: Readonly<Record<string, readonly string[]>> = {
  focus: ALL,
  accent: [...ALL, "line"],
  wait: [...ALL, "line"],
  bad: [...ALL, "line"],
  info: [...ALL, "line"],
  faint: ALL,
  edge: PLAIN,
  "agent-4": [...ALL, "line"],
  "agent-5": [...ALL, "line"],
  "agent-6": [...ALL, "line"],
};

/** Backgrounds without text: separators, fills of bars and dots, the backdrop of a dialog. */
const fills = [...Object.keys(graphics), "line-strong", "overlay"];

async function webFiles(pattern: string): Promise<{ path: string; text: string }[]> {
  const paths = [...new Glob(pattern).scanSync({ cwd: join(ROOT, "web") })].sort();
  return Promise.all(
    paths.map(async (path) => ({ path, text: await Bun.file(join(ROOT, "web", path)).text() })),
  );
}

const tokensCss = await Bun.file(join(ROOT, "web/styles/tokens.css")).text();
const sheets = (await webFiles("**/*.css")).filter(({ path }) => path !== "styles/tokens.css");
const code = await webFiles("**/*.{ts,tsx}");

for (const theme of themes) {
  describe(theme, () => {
    const colours = colourTokens(tokensCss, theme);
    const colour = (name: string) => {
      const found = colours.get(name);
      if (!found) throw new Error(`the token --${name} is no colour of both themes`);
      return found;
    };

    test("keeps the contrast of texts", () => {
      const low = Object.entries(texts).flatMap(([text, grounds]) =>
        grounds.flatMap((ground) => {
          const ratio = contrast(colour(text), colour(ground));
          return ratio < TEXT_MIN ? [`--${text} on --${ground}: ${ratio.toFixed(2)}`] : [];
        }),
      );
      expect(low).toEqual([]);
    });

    test("keeps the contrast of texts in a hovered row or button", () => {
      const low = ["text", "muted"].flatMap((text) =>
        PLAIN.flatMap((ground) =>
          HOVER_SHARES.flatMap((share) => {
            const ratio = contrast(colour(text), mixed(colour("text"), share, colour(ground)));
            return ratio < TEXT_MIN
              ? [`--${text} on --${ground} under the pointer: ${ratio.toFixed(2)}`]
              : [];
          }),
        ),
      );
      expect(low).toEqual([]);
    });

    test("keeps the contrast of graphics", () => {
      const low = Object.entries(graphics).flatMap(([what, grounds]) =>
        grounds.flatMap((ground) => {
          const ratio = contrast(colour(what), colour(ground));
          return ratio < GRAPHICS_MIN ? [`--${what} on --${ground}: ${ratio.toFixed(2)}`] : [];
        }),
      );
      expect(low).toEqual([]);
    });
  });
}

test("defines every used token", () => {
  const known = new Set([tokensCss, ...sheets, ...code].flatMap((file) => propertiesSet(textOf(file))));
  const missing = [...sheets, ...code].flatMap((file) =>
    propertiesRead(file.text)
      .filter((name) => !known.has(name) && !name.startsWith("kb-") && !name.endsWith("-"))
      .map((name) => `${file.path}: --${name}`),
  );
  expect(missing).toEqual([]);
});

test("finds only listed pairs in the style sheets", () => {
  expect(sheets.flatMap(({ path, text }) => unlisted(text).map((what) => `${path}: ${what}`))).toEqual([]);
});

test("outlines fields and wires with a colour of that contrast", () => {
  const strokes = sheets.flatMap(({ path, text }) =>
    rulesOf(text).flatMap(({ selector, declarations }) =>
      /^(?:\.input|\.chat-box|\.blueprint-wire-line)$/.test(selector)
        ? declarations
            .filter(([property]) => property === "border" || property === "stroke")
            .map(([, value]) => `${path} ${selector}: ${value}`)
        : [],
    ),
  );
  expect(strokes.sort()).toEqual([
    "screens/blueprint/links.css .blueprint-wire-line: var(--edge)",
    "screens/chat/composer.css .chat-box: 1px solid var(--edge)",
    "styles/field.css .input: 1px solid var(--edge)",
  ]);
});

test("detects an unlisted pair, text or background", () => {
  expect(unlisted(".a { color: var(--muted); background: var(--accent) }")).toEqual([
    ".a: --muted on --accent is not listed",
  ]);
  expect(unlisted(".b { color: var(--line) }")).toEqual([".b: --line is no text colour"]);
  expect(unlisted(".c { background-color: var(--shade) }")).toEqual([".c: --shade is no ground"]);
  expect(unlisted(".d { color: var(--on-accent); background: var(--accent) }")).toEqual([]);
});

test("detects a token without contrast", () => {
  const colours = colourTokens(
    ":root { --a: light-dark(#777777, #888888); --b: light-dark(#ffffff, #000000) }",
    "light",
  );
  expect(contrast(colours.get("a")!, colours.get("b")!)).toBeCloseTo(4.48, 2);
  expect(contrast(colours.get("b")!, colours.get("b")!)).toBe(1);
});

function textOf(file: string | { text: string }): string {
  return typeof file === "string" ? file : file.text;
}

/** The colour declarations of a sheet that the lists above do not contain. */
function unlisted(css: string): string[] {
  return rulesOf(css).flatMap(({ selector, declarations }) => {
    const of = (wanted: RegExp) =>
      declarations.flatMap(([property, value]) => {
        const token = /^var\(--([\w-]+)\)$/.exec(value);
        return wanted.test(property) && token ? [token[1]!] : [];
      });
    const colours = of(/^color$/);
    const grounds = of(/^background(-color)?$/);
    const said = (what: string) => [`${selector}: ${what}`];
    const isGround = (name: string) =>
      ALL.includes(name) || fills.includes(name) || name === "text" || name === "line";
    return [
      ...colours.flatMap((name) => (name in texts ? [] : said(`--${name} is no text colour`))),
      ...grounds.flatMap((name) => (isGround(name) ? [] : said(`--${name} is no ground`))),
      ...colours.flatMap((name) =>
        grounds.flatMap((ground) =>
          name in texts && isGround(ground) && !texts[name]!.includes(ground)
            ? said(`--${name} on --${ground} is not listed`)
            : [],
        ),
      ),
    ];
  });
}
