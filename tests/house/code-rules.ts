// The places where code may do things (rules 2, 7, 8, 9, 11 and 12 of the house style), as functions from files to sentences.
// They look at the code that runs: what a comment or a type says is free.

import { runningCode, type Rule, type SourceFile } from "./source.ts";

const LINES_MAX = 450;
/** A few words at least. */
const HEADER_CHARACTERS_MIN = 20;
const HEADER_LINES_MAX = 5;

/** The exact files that may do what nobody else may. */
const MAY_READ_ENVIRONMENT = ["src/kit/environment.ts"];
const MAY_READ_CLOCK = ["src/kit/clock.ts"];
const MAY_READ_RANDOMNESS = ["src/kit/random.ts", "src/kit/crypto.ts"];
const MAY_START_PROCESSES = ["src/kit/processes/process.ts"];
const MAY_PRINT = ["src/kit/terminal/output.ts"];

const HOLDS_SQL =
  /^src\/kit\/storage\/(checkpoints|db|group-commit|migrate)\.ts$|\/(.+-)?store\.ts$|\/migrations\//;

function product(files: readonly SourceFile[]): SourceFile[] {
  return files.filter(({ path }) => /^(src|bin)\/.*\.tsx?$/.test(path));
}

/** One sentence for each file of the product outside `allowed` whose running code matches. */
function onlyIn(allowed: readonly string[], what: string, pattern: RegExp): Rule {
  return (files) =>
    product(files).flatMap((file) => {
      if (allowed.includes(file.path)) return [];
      const found = pattern.exec(runningCode(file));
      return found === null ? [] : [`${file.path}: ${what} (${found[0].trim()})`];
    });
}

export const environmentOnlyInKit = onlyIn(
  MAY_READ_ENVIRONMENT,
  "the environment is read in one place and passed in",
  /\b(process|Bun|import\.meta)\.env\b/,
);

export const clockOnlyInKit = onlyIn(
  MAY_READ_CLOCK,
  "the clock is read in one place and passed in",
  /\bDate\.now\(|\bnew Date\b(?:\(\))?(?!\()|\bperformance\.now\(|\bBun\.nanoseconds\(/,
);

export const randomnessOnlyInKit = onlyIn(
  MAY_READ_RANDOMNESS,
  "randomness is read in one place and passed in",
  /\bMath\.random\(|\brandomUUID(v7)?\(|\brandomBytes\(|\bgetRandomValues\(/,
);

export const processesOnlyInKit = onlyIn(
  MAY_START_PROCESSES,
  "one place starts processes",
  /\bBun\.spawn(Sync)?\b|\bBun\.\$|node:child_process|["']child_process["']/,
);

export const printingOnlyInKit = onlyIn(
  MAY_PRINT,
  "one place formats output",
  /\bconsole\.(log|info|warn|error|debug|dir|table)\b/,
);

const NAMES_MODES = "src/kit/disk/modes.ts";
/** In the text as it stands: the transpiler turns octal numbers into decimal ones. */
export const modesOnlyInKit: Rule = (files) =>
  product(files).flatMap(({ path, text }) => {
    const found = path === NAMES_MODES ? null : /\b0o(?:600|700|077)\b/.exec(text);
    return found === null
      ? []
      : [`${path}: modes of private files are named in ${NAMES_MODES} (${found[0]})`];
  });

const MAKES_FILE_ERRORS = "src/context/versioned-store/file-error.ts";
/** Details decide who may read an error: one that names a file in its sentence only would tell the name to everybody. */
export const fileNamesInDetails: Rule = (files) =>
  product(files).flatMap((file) => {
    if (!/^src\/context\/(files|versioned-store)\//.test(file.path) || file.path === MAKES_FILE_ERRORS)
      return [];
    const isNamed = /new AppError\([^;]*\$\{(?:\w+\.)*path\}/.test(runningCode(file));
    return isNamed ? [`${file.path}: an error that names a file is made by fileError`] : [];
  });

/** An error's sentence, wherever it is read. */
const SENTENCE = String.raw`(?:\bmessageOf\([^()]*\)|\.message\b)`;
const READS = String.raw`\??\.(?:startsWith|endsWith|includes|indexOf|lastIndexOf|match|matchAll|search|split)\(`;

/** Sentences are for people: a reworded one must change nothing that a program does. Errors carry codes and `details`. */
export const noMatchingOnMessages: Rule = (files) =>
  files
    .filter(({ path }) => /^(src|bin|web)\/.*\.tsx?$/.test(path))
    .flatMap((file) => {
      const code = runningCode(file);
      const found = messagePatterns(code)
        .map((pattern) => pattern.exec(code))
        .find(Boolean);
      return found
        ? [`${file.path}: a program reads codes and details, not sentences (${found[0].trim()})`]
        : [];
    });

function messagePatterns(code: string): RegExp[] {
  // A sentence under another name is a sentence still.
  const renamed = [
    ...code.matchAll(new RegExp(String.raw`\b(\w+) = [^;\n]*${SENTENCE};`, "g")),
    ...code.matchAll(/\{[^{}]*\b(message)\b[^{}:]*\}(?: = |\) )/g),
  ].map(([, name]) => String.raw`(?<!\.)\b${name}\b`);
  return [SENTENCE, ...renamed].flatMap((sentence) => [
    new RegExp(sentence + READS),
    new RegExp(String.raw`\.(?:test|exec)\([^;\n]*?${sentence}`),
    new RegExp(String.raw`${sentence} [!=]==? ["'\`]`),
  ]);
}

const NOT_ABOUT_REQUESTS = ["src/service/config/config.ts", "src/service/sandbox/probe.ts"];
const NAMES_FIELD = /new AppError\(\s*"\w+",\s*["`](?:\$\{field\}|[a-z_]+(?:\.[a-z_]+)*): /;

/** A form shows an error beside the field that its details name. */
export const fieldsInDetails: Rule = (files) =>
  product(files).flatMap((file) => {
    if (!file.path.startsWith("src/service/") || NOT_ABOUT_REQUESTS.includes(file.path)) return [];
    const found = NAMES_FIELD.exec(runningCode(file));
    return found ? [`${file.path}: an error about a field is made by fieldError (${found[0]}…)`] : [];
  });

/** A cast that the compiler does not check, with the reason. */
const MAY_CAST: Readonly<Record<string, string>> = {
  "src/context/sync/archive.ts": "the two declarations of a web stream differ",
  "src/kit/http/sse.ts": "the runtime's direct streams are no part of the standard's types",
  "web/screens/context/documents.ts": "the client types a DELETE as one with a body",
};
const UNCHECKED_CAST = /\bas (?:never|any)\b(?=[)\]};,.]|$)|\bas unknown as\b/m;

/** `as never`, `as any` and `as unknown as` hide whatever changes around them. */
export const castsAreChecked: Rule = (files) =>
  files.flatMap(({ path, text }) => {
    if (!/^(src|bin|web)\/.*\.tsx?$/.test(path)) return [];
    const found = UNCHECKED_CAST.exec(text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ""));
    if (path in MAY_CAST) return found ? [] : [`${path}: may cast, but does not`];
    return found ? [`${path}: a cast that the compiler does not check (${found[0]})`] : [];
  });

const WRITES_AMOUNTS = ["src/kit/text/amounts.ts", "web/kit/format.ts"];
/** `=== 1 ? "file" : "files"`, also with the number in front, and `=== 1 ? "" : "s"`. */
const OWN_PLURAL = /=== 1\s*\?\s*(["'`])([^"'`]*)\1\s*:\s*(["'`])(?:\$\{[^}]*\} )?(?:\2e?s|s)\3/;

/** One mechanism, so that no place writes `1 files`. */
export const amountsAreWrittenInOnePlace: Rule = (files) =>
  files.flatMap((file) => {
    if (!/^(src|bin|web)\/.*\.tsx?$/.test(file.path) || WRITES_AMOUNTS.includes(file.path)) return [];
    const found = OWN_PLURAL.exec(runningCode(file));
    return found ? [`${file.path}: plural and nounFor write nouns after their number (${found[0]})`] : [];
  });

const SQL =
  /\b(SELECT\s[^;]*\bFROM\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|(CREATE|DROP|ALTER)\s+(TABLE|INDEX|TRIGGER|VIEW)\b|PRAGMA\s+\w)/;

export const sqlOnlyInStores: Rule = (files) =>
  product(files).flatMap((file) => {
    if (HOLDS_SQL.test(file.path)) return [];
    const found = SQL.exec(runningCode(file));
    return found === null ? [] : [`${file.path}: SQL lives in store.ts (${found[0].slice(0, 40).trim()} …)`];
  });

/** Of the context server: what it writes for itself, and its engine, which asks by `begin` and `admit`. Everybody else holds `Changes`. */
const MAY_WRITE_CONTEXT_DATABASE = [
  "src/context/audit/breaks.ts",
  "src/context/audit/chain.ts",
  "src/context/audit/change-records.ts",
  "src/context/events/events.ts",
  "src/context/freshness/announcing.ts",
  "src/context/replica/state.ts",
  "src/context/versioned-store/sqlite/applying.ts",
  "src/context/versioned-store/sqlite/engine.ts",
  "src/context/versioned-store/sqlite/metadata.ts",
  "src/context/versioned-store/sqlite/staging.ts",
  "src/context/versioned-store/sqlite/words.ts",
  "src/context/spaces/space-deeds.ts",
  "src/context/people/authentication.ts",
  "src/context/people/changes.ts",
  "src/context/people/logins.ts",
  "src/context/webhooks/delivery.ts",
  "src/context/webhooks/secrets.ts",
];

const contextWrites = onlyIn(
  MAY_WRITE_CONTEXT_DATABASE,
  "changes go through Changes, which asks for the rights inside the write",
  /\bdb\.write(Now|InSteps)?\(/,
);

export const changesAskForRights: Rule = (files) =>
  contextWrites(files.filter(({ path }) => path.startsWith("src/context/")));

/**
 * Beside `replace-file.ts`: trees whose names are proven before each step, files written in pieces (backups, the audit), whole directories, and files
 * that a start makes anew or nobody misses (rotated logs, the working tree, which follows the database).
 */
const MAY_RENAME_OR_SYNC = [
  "src/kit/disk/append-rotated.ts",
  "src/kit/disk/replace-file.ts",
  "src/kit/disk/paths-disk.ts",
  "src/kit/health.ts",
  "src/context/audit/chain.ts",
  "src/context/audit/audit-file.ts",
  "src/kit/backup/target.ts",
  "src/kit/replication/replica-files.ts",
  "src/kit/replication/snapshot.ts",
  "src/context/backup/unpack.ts",
  "src/context/restore-server.ts",
  "src/context/spaces/removal.ts",
  "src/context/spaces/space-file.ts",
  "src/context/versioned-store/sqlite/names.ts",
  "src/service/files/directories.ts",
  // Has a method of that name.
  "src/service/people/teams.ts",
];

/** A file that is renamed without a sync of itself and its directory comes back empty after a power cut. */
export const filesReplacedInOnePlace = onlyIn(
  MAY_RENAME_OR_SYNC,
  "files are replaced by src/kit/disk/replace-file.ts, which syncs the file and its directory",
  /(?<![.\w])(?:rename|renameSync|fsync|fsyncSync|fdatasync|fdatasyncSync)\(|\.(?:sync|datasync)\(\)|\bflush: true\b/,
);

/** A caller's role is looked up when it is asked for; in a copy it would stand still. */
const callerCopies = onlyIn(
  ["src/service/people/authentication.ts", "src/service/identity/caller.ts"],
  "callers are copied by actingAs or rememberedCaller, which know what becomes of the role",
  /\.\.\.(\w+\.)*caller\b/,
);

export const callersAreNotCopied: Rule = (files) =>
  callerCopies(files.filter(({ path }) => path.startsWith("src/service/")));

/** Bytecode has no top-level `await`; only the entries in bin may wait. */
export const noTopLevelAwait: Rule = (files) =>
  product(files).flatMap((file) => {
    const waits = /^(?:(?:export )?(?:const|let|var) .*=\s*)?(?:await |for await)/m.test(file.text);
    return waits && !file.path.startsWith("bin/") ? [`${file.path}: top-level await outside bin`] : [];
  });

export const filesStayReadable: Rule = (files) =>
  files.flatMap(({ path, text }) => {
    const lines = text.split("\n").length - 1;
    return /\.tsx?$/.test(path) && lines > LINES_MAX ? [`${path}: ${lines} lines, at most ${LINES_MAX}`] : [];
  });

const VAGUE = /^(utils?|helpers?|common|types|misc|shared)\.tsx?$/;

export const namesSaySomething: Rule = (files) =>
  files.flatMap(({ path }) => {
    const name = path.split("/").at(-1) ?? "";
    if (!/\.tsx?$/.test(name)) return [];
    if (VAGUE.test(name)) return [`${path}: a file is named after its noun`];
    return /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)*\.tsx?$/.test(name)
      ? []
      : [`${path}: file names are kebab-case`];
  });

/** Tests open with their goal; everything else with up to five lines of what it is for. */
export const filesOpenWithPurpose: Rule = (files) =>
  files.flatMap(({ path, text }) => {
    if (!/\.tsx?$/.test(path)) return [];
    const opening = openingComment(text);
    if (opening.length > HEADER_LINES_MAX) return [`${path}: opens with ${opening.length} lines of comment`];
    const least = path.endsWith(".test.ts") ? 1 : HEADER_CHARACTERS_MIN;
    return opening.join("\n").length < least ? [`${path}: does not open with what it is for`] : [];
  });

function openingComment(text: string): string[] {
  const lines = text.replace(/^#!.*\n/, "").split("\n");
  const end = lines.findIndex((line) => !line.startsWith("//"));
  return end === -1 ? lines : lines.slice(0, end);
}

/** A noun clause in place of a subject: at the start of a line of a comment, or of a later sentence in it. */
const HEADLESS_COMMENT =
  /^[ \t]*(?:\/\/|\/?\*\*?) ?(?:(?:What|Who|Whoever|Where|That which)|.*\. (?:What|Who|Whoever|That which)) .*/m;
const HEADLESS_TEST =
  /^[ \t]*(?:test|describe)\b[^"'`\n]*\(\s*["'`](?:what|who|whoever|where|that which) .*/im;

/** "The file that was written…", not "What was written…": a sentence names its subject. */
export const sentencesNameTheirSubject: Rule = (files) =>
  files.flatMap(({ path, text }) =>
    [HEADLESS_COMMENT, HEADLESS_TEST].flatMap((pattern) => {
      const found = pattern.exec(text);
      return found ? [`${path}: a sentence names its subject (${found[0].trim().slice(0, 60)})`] : [];
    }),
  );

/** Functions of the runtime and of packages; and `stored`, whose second argument is the value itself. */
const TAKES_BOOLEANS =
  /^(?:get(?:Ui|I)nt\d+|deepEquals|Literal|execCommand|createMemo|getNodesInside|matchLanguageName|stored|jsxDEV\w*)$/;
const STRING = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;
const BOOLEAN_ARGUMENT = /,\s*(?:true|false)(?=\s*[,)])|(?<=\()\s*(?:true|false)(?=\s*,)/g;

/** A reader of `send(text, true)` cannot know what is true. A single boolean is fine: the name of its function says it. */
export const noBooleanLiteralAmongArguments: Rule = (files) =>
  files.flatMap((file) => {
    if (!/^(src|bin|web)\/.*\.tsx?$/.test(file.path)) return [];
    const code = runningCode(file).replace(STRING, '""');
    const names = [...code.matchAll(BOOLEAN_ARGUMENT)].map(({ index }) => calleeAt(code, index));
    const named = names.find((name) => name !== undefined && !TAKES_BOOLEANS.test(name));
    return named === undefined
      ? []
      : [`${file.path}: a boolean beside other arguments has a name (${named})`];
  });

/** Returns the name of the function in whose arguments `at` is; undefined in a list, an object or a condition. */
function calleeAt(code: string, at: number): string | undefined {
  let open = 0;
  for (let place = at - 1; place >= 0; place -= 1) {
    const character = code[place]!;
    if (")]}".includes(character)) open += 1;
    else if ("([{".includes(character)) open -= 1;
    if (open < 0) return character === "(" ? /([\w$]+)\s*$/.exec(code.slice(0, place))?.[1] : undefined;
  }
  return undefined;
}
