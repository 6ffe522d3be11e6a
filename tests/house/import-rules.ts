// The permitted imports (design: architecture, rule 16 of the house style). Each rule gives one sentence for each import that breaks it.
// Folder names are the whole knowledge: a new feature is covered the day its folder appears.

import { importsOf, type Import, type Rule, type SourceFile } from "./source.ts";

/** How `service` may reach the context side: through its client, and through the library that opens a space. */
const DOORS_TO_CONTEXT = ["src/context/client/", "src/context/library.ts"];

/** These build and start everything, so nothing that they start may reach back for them. */
const WIRING = /\/(main|server|(.+-)?command)\.ts$/;

interface Place {
  side: "service" | "context";
  /** Undefined for the files that wire features together. */
  feature: string | undefined;
  /** schema ← store ← rules ← routes and commands: a file may import its own rank and lower ones. */
  rank: number;
}

const RANKS = [
  { rank: 0, name: /^schema\.ts$/ },
  { rank: 1, name: /^(.+-)?store\.ts$/ },
  { rank: 3, name: /^(.+-)?(routes|commands?)\.ts$/ },
];
const RULES_RANK = 2;
const ROLE_NAMES = ["schema", "store", "rules", "routes"];

function placeOf(path: string): Place | undefined {
  const match = /^src\/(service|context)\/(?:([^/]+)\/)?(?:.+\/)?([^/]+\.tsx?)$/.exec(path);
  if (match === null) return undefined;
  const rank = RANKS.find(({ name }) => name.test(match[3] ?? ""))?.rank ?? RULES_RANK;
  return { side: match[1] as Place["side"], feature: match[2], rank };
}

/** One sentence for each import that `isWrong` names a reason for. */
function eachImport(isWrong: (from: SourceFile, imported: Import) => string | undefined): Rule {
  return (files) =>
    files.flatMap((file) =>
      importsOf(file).flatMap((imported) => {
        const reason = isWrong(file, imported);
        return reason === undefined ? [] : [`${file.path} imports ${imported.target}: ${reason}`];
      }),
    );
}

export const kitKnowsNoFeature = eachImport((from, { target }) => {
  const allowed = target.startsWith("src/kit/") || target.startsWith("embed/");
  const own = /^(src|web|bin|tests|release|embed)\//.test(target);
  return from.path.startsWith("src/kit/") && own && !allowed ? "kit has no domain words" : undefined;
});

export const sidesStayApart = eachImport((from, { target }) => {
  if (from.path.startsWith("src/service/") && target.startsWith("src/context/")) {
    const throughDoor = DOORS_TO_CONTEXT.some((door) => target.startsWith(door));
    return throughDoor ? undefined : "service reaches context only through its client and its library";
  }
  const knowsService = /^src\/(context|cli)\//.test(from.path) && target.startsWith("src/service/");
  return knowsService ? "only bin and tests know the service" : undefined;
});

export const rolesPointDown = eachImport((from, { target }) => {
  const here = placeOf(from.path);
  const there = placeOf(target);
  if (here?.feature === undefined || there === undefined || here.side !== there.side) return undefined;
  if (there.feature === undefined) {
    return WIRING.test(target) ? "a feature does not know who starts it" : undefined;
  }
  if (here.feature === there.feature) {
    return there.rank > here.rank
      ? `${ROLE_NAMES[here.rank]} does not know ${ROLE_NAMES[there.rank]}`
      : undefined;
  }
  if (here.rank === 0 && there.rank !== 0) return "a schema knows schemas only";
  return there.rank === 1 || there.rank === 3
    ? "features meet through their rules modules or events"
    : undefined;
});

export const schemasRunAnywhere = eachImport((from, { target, kind }) => {
  const isSchema = /^src\/.*\/schema\.ts$/.test(from.path);
  return isSchema && kind !== "type" && /^(bun|node):|^bun$/.test(target)
    ? "a schema has to load anywhere, also in scripts and tools"
    : undefined;
});

/** A schema's value would bring the schema library into the first load. */
export const webTakesTypesOnly = eachImport((from, { target, kind }) => {
  if (!from.path.startsWith("web/") || !target.startsWith("src/")) return undefined;
  return kind === "type" ? undefined : "web imports types only";
});

/** Tests and scripts import the product, never the other way round. */
export const productKnowsNoTools = eachImport((from, { target }) => {
  const isProduct = /^(src|bin|web)\//.test(from.path);
  return isProduct && /^(tests|release)\//.test(target)
    ? "the product does not know its tests and scripts"
    : undefined;
});

export const binOnlyStarts = eachImport((from, { target }) => {
  const starts = ["src/service/command.ts", "src/cli/main.ts"];
  return from.path.startsWith("bin/") && !starts.includes(target)
    ? "bin hands over and nothing else"
    : undefined;
});

/** `npm test` and its kin run before anything is installed; what they import at once must be there already. */
export const scriptsNeedNoPackage = eachImport((from, { target, kind }) => {
  const present =
    kind !== "static" || target === "bun" || /^(bun|node):/.test(target) || target.startsWith("release/");
  return from.path.startsWith("release/") && !present
    ? "scripts run before packages are installed"
    : undefined;
});
