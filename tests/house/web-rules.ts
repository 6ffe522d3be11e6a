// The places where the interface's code may do things, as functions from files to sentences: the CSP forbids inline styles, one file names colours and
// sizes of text, one place writes HTML, and a screen's sheet styles its own screen only.

import { rulesOf } from "../kit/browser/stylesheet.ts";
import { importsOf, runningCode, type Rule, type SourceFile } from "./source.ts";

const TOKENS = "web/styles/tokens.css";
const MAY_WRITE_HTML = /^web\/kit\/markdown[^/]*\.tsx?$/;
/** A declaration a line makes sheets longer than code; they are looked up rather than read. */
const CSS_LINES_MAX = 900;
const PURPOSE_CHARACTERS_MIN = 20;

const isWeb = ({ path }: SourceFile) => path.startsWith("web/");
const isCode = ({ path }: SourceFile) => /\.tsx?$/.test(path);
const isSheet = ({ path }: SourceFile) => path.endsWith(".css");

/** One sentence for each file that `find` finds something in. */
function inWeb(isMeant: (file: SourceFile) => boolean, find: (file: SourceFile) => string | undefined): Rule {
  return (files) =>
    files.filter(isWeb).flatMap((file) => {
      const found = isMeant(file) ? find(file) : undefined;
      return found === undefined ? [] : [`${file.path}: ${found}`];
    });
}

function match(text: string, pattern: RegExp, what: string): string | undefined {
  const found = pattern.exec(text);
  return found === null ? undefined : `${what} (${found[0].trim()})`;
}

export const noInlineStyles: Rule = inWeb(isCode, ({ text }) =>
  match(
    text,
    /\bstyle=(?:["'`]|\{\s*["'`])|<style\b/,
    "the CSP refuses inline styles: use a class, or `style={{ … }}`",
  ),
);

const COLOUR =
  /(?<![\w&])#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch)a?\(/i;

export const coloursAreTokens: Rule = inWeb(
  ({ path }) => path !== TOKENS && /\.(css|tsx?)$/.test(path),
  (file) =>
    match(
      isSheet(file) ? withoutComments(file.text) : runningCode(file),
      COLOUR,
      "colours are named in tokens.css only",
    ),
);

export const textSizesAreTokens: Rule = inWeb(isSheet, ({ path, text }) =>
  path === TOKENS
    ? undefined
    : match(
        withoutComments(text),
        /\bfont(?:-size)?:[^;]*\b\d*\.?\d+(?:px|rem|em|pt)\b[^;]*/,
        "sizes of text are named in tokens.css only",
      ),
);

/** The monospaced face draws `!=` or `#{` as one sign; `font` resets the variant, so each rule that names the face says it. */
export const codeHasNoLigatures: Rule = inWeb(
  (file) => isSheet(file) && file.path !== TOKENS,
  ({ text }) => {
    const drawn = rulesOf(text).find(
      ({ declarations }) =>
        declarations.some(([, value]) => value.includes("var(--mono)")) &&
        !declarations.some(([name, value]) => name === "font-variant-ligatures" && value === "none"),
    );
    return drawn && `monospaced text sets font-variant-ligatures: none (${drawn.selector})`;
  },
);

function withoutComments(css: string): string {
  return css.replace(/\/\*[\s\S]*?\*\//g, "");
}

export const noBrowserDialogs: Rule = inWeb(isCode, (file) => {
  const code = runningCode(file);
  const owns =
    importsOf(file).some(({ target }) => target === "web/kit/dialog.tsx") ||
    file.path === "web/kit/dialog.tsx";
  const forbidden = owns
    ? /\b(?:window|globalThis|self)\.(?:confirm|prompt|alert)\b|(?<![.\w])(?:prompt|alert)\(/
    : /\b(?:window|globalThis|self)\.(?:confirm|prompt|alert)\b|(?<![.\w])(?:confirm|prompt|alert)\(/;
  return match(code, forbidden, "questions are asked by kit/dialog.tsx");
});

export const htmlIsWrittenInOnePlace: Rule = inWeb(
  (file) => isCode(file) && !MAY_WRITE_HTML.test(file.path),
  (file) =>
    match(
      runningCode(file),
      /\b(?:innerHTML|outerHTML|insertAdjacentHTML|setHTMLUnsafe|createContextualFragment)\b|\bdocument\.write(?:ln)?\b/,
      "HTML is written in kit/markdown only, where it is cleaned",
    ),
);

export const sheetsOpenWithPurpose: Rule = inWeb(isSheet, ({ text }) => {
  const opening = /^\/\*([\s\S]*?)\*\//.exec(text)?.[1]?.trim() ?? "";
  return opening.length < PURPOSE_CHARACTERS_MIN ? "does not open with what it is for" : undefined;
});

export const sheetsStayReadable: Rule = inWeb(isSheet, ({ text }) => {
  const lines = text.split("\n").length - 1;
  return lines > CSS_LINES_MAX ? `${lines} lines, at most ${CSS_LINES_MAX}` : undefined;
});

/** Code that two screens need is in kit, state or parts: a screen that is gone takes nothing from another. */
export const screensStayApart: Rule = inWeb(isCode, (file) => {
  const screen = screenOf(file.path);
  const other = importsOf(file).find(
    ({ target }) => screen !== undefined && ![undefined, screen].includes(screenOf(target)),
  );
  return other && `imports ${other.target}: screens import nothing from each other`;
});

function screenOf(path: string): string | undefined {
  return /^web\/screens\/([^/]+)\//.exec(path)?.[1];
}

/** A sheet of a screen or a part names it (or one of what it is about, or itself) in every selector, so that it styles nothing else. */
export const sheetsStyleTheirScreen: Rule = (files) =>
  files.flatMap(({ path, text }) => {
    const place = /^web\/(?:screens|parts)\/([^/]+)\/(?:.+\/)?([^/]+)\.css$/.exec(path);
    if (place === null) return [];
    const [, screen = "", sheet = ""] = place;
    const own = new RegExp(`\\.(?:${screen}|${screen.replace(/s$/, "")}|${sheet})(?![a-z0-9])`);
    return rulesOf(text)
      .flatMap(({ selector }) => selectorsOf(selector))
      .filter((selector) => !own.test(selector))
      .map((selector) => `${path}: "${selector}" is not about ${screen}: its classes begin with ${screen}`);
  });

/** The parts between commas; none for steps of an animation. */
function selectorsOf(selector: string): string[] {
  const plain = selector.replace(/\([^()]*\)/g, "");
  if (selector.startsWith("@")) return [];
  return plain
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "" && !/^(?:from|to|\d+(?:\.\d+)?%)$/.test(one));
}

/** Libraries give these to elements of their own. */
const CLASS_OF_LIBRARY = /^(?:cm|katex|tok|xterm)-/;

/** Two sheets that give one class its looks change each other's element: whichever loads last wins. */
export const classesHaveOneSheet: Rule = (files) => {
  const sheets = files.filter((file) => isWeb(file) && isSheet(file));
  const owners = Map.groupBy(
    sheets.flatMap(({ path, text }) =>
      [...new Set(text.match(/(?<=^\.)[a-z][\w-]*(?= \{)/gm))].map((name) => ({ path, name })),
    ),
    ({ name }) => name,
  );
  return [...owners]
    .filter(([, found]) => found.length > 1)
    .map(([name, found]) => `${found.map(({ path }) => path).join(", ")}: both style the class ${name}`);
};

/** A class that no code writes styles nothing: whole, or by its beginning before `${`. */
export const classesAreUsed: Rule = (files) => {
  const code = files
    .filter((file) => isWeb(file) && isCode(file))
    .map(runningCode)
    .join("\n");
  const words = new Set(code.match(/[\w-]+/g));
  const begun = [...code.matchAll(/(\w[\w-]*-[\w-]*)\$\{/g)].map(([, begin = ""]) => begin);
  const isUsed = (name: string) =>
    words.has(name) || CLASS_OF_LIBRARY.test(name) || begun.some((begin) => name.startsWith(begin));
  return files
    .filter((file) => isWeb(file) && isSheet(file))
    .flatMap(({ path, text }) =>
      [...new Set(rulesOf(text).flatMap(({ selector }) => selector.match(/(?<=\.)[a-z][\w-]*/gi) ?? []))]
        .filter((name) => !isUsed(name))
        .map((name) => `${path}: no code writes the class ${name}`),
    );
};
