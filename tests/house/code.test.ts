// Goal: code does things only where the house style lets it, and every rule about it is able to fail.

import * as rules from "./code-rules.ts";
import { describeRules, type RuleCase } from "./rule-cases.ts";
import { codeFiles } from "./source.ts";

const header =
  "// What it is for, in a sentence or two.\n// What it must not do, and where that is instead.\n";

const cases: Readonly<Record<string, RuleCase>> = {
  "the environment is read in kit": {
    rule: rules.environmentOnlyInKit,
    refused: [
      ["src/service/main.ts", "export const data = process.env.SERVICE_DATA;"],
      ["src/kit/log.ts", "export const level = Bun.env.LEVEL;"],
    ],
    allowed: [
      ["src/kit/environment.ts", "export const all = process.env;"],
      ["src/service/main.ts", "// not process.env\nexport const data = 1;"],
      ["tests/kit/preload.ts", "delete process.env.HOME;"],
    ],
  },
  "the clock is read in kit": {
    rule: rules.clockOnlyInKit,
    refused: [
      ["src/service/turns/engine.ts", "export const now = () => Date.now();"],
      ["src/service/turns/engine.ts", "export const now = () => new Date();"],
      ["src/kit/http/rate.ts", "export const now = () => performance.now();"],
    ],
    allowed: [
      ["src/service/turns/engine.ts", "export const day = (ms: number) => new Date(ms).toISOString();"],
      ["src/kit/clock.ts", "export const now = () => Date.now();"],
    ],
  },
  "randomness is read in kit": {
    rule: rules.randomnessOnlyInKit,
    refused: [["src/service/people/user.ts", "export const id = () => crypto.randomUUID();"]],
    allowed: [["src/kit/random.ts", "export const id = () => crypto.randomUUID();"]],
  },
  "files are replaced in one place": {
    rule: rules.filesReplacedInOnePlace,
    refused: [
      [
        "src/kit/key.ts",
        'import { renameSync } from "node:fs";\nexport const keep = () => renameSync("a.new", "a");',
      ],
      ["src/service/key.ts", "export const keep = (handle: FileHandle) => handle.sync();"],
      ["src/context/key.ts", 'export const keep = () => writeFileSync("a", "b", { flush: true });'],
    ],
    allowed: [
      ["src/kit/disk/replace-file.ts", 'export const keep = () => renameSync("a.new", "a");'],
      ["src/service/people/routes.ts", "export const change = () => teams.rename(caller, 1, body);"],
    ],
  },
  "processes are started in kit": {
    rule: rules.processesOnlyInKit,
    refused: [
      ["src/service/gears/gear.ts", 'export const run = () => Bun.spawn(["true"]);'],
      [
        "src/service/gears/gear.ts",
        'import { spawn } from "node:child_process";\nexport const run = () => spawn("true");',
      ],
    ],
    allowed: [["src/kit/processes/process.ts", 'export const run = () => Bun.spawn(["true"]);']],
  },
  "output is printed in kit": {
    rule: rules.printingOnlyInKit,
    refused: [["src/cli/version.ts", 'console.log("0.1.0");']],
    allowed: [["release/build.ts", 'console.log("built");']],
  },
  "modes of private files are named in kit": {
    rule: rules.modesOnlyInKit,
    refused: [
      ["src/kit/backup/target.ts", "const FILE_MODE = 0o600;"],
      ["src/service/sandbox/docker.ts", "await mkdir(path, { mode: 0o700 });"],
    ],
    allowed: [
      ["src/kit/disk/modes.ts", "export const PRIVATE_FILE_MODE = 0o600;"],
      ["src/service/sandbox/run-folder.ts", "const PROGRAM_MODE = 0o555;"],
    ],
  },
  "SQL lives in stores": {
    rule: rules.sqlOnlyInStores,
    refused: [
      ["src/service/turns/engine.ts", "export const sql = `SELECT id\n  FROM turns WHERE id = ?`;"],
      ["src/service/people/routes.ts", 'export const sql = "DELETE FROM users";'],
      ["src/kit/http/rate.ts", 'export const sql = "PRAGMA user_version";'],
    ],
    allowed: [
      ["src/service/turns/store.ts", 'export const sql = "SELECT id FROM turns";'],
      [
        "src/service/turns/engine.ts",
        'export const text = "Select a model from the list; update it; delete from here";',
      ],
    ],
  },
  "changes of the context server ask for rights inside the write": {
    rule: rules.changesAskForRights,
    refused: [["src/context/people/users.ts", "export const add = (db) => db.write(() => 1);"]],
    allowed: [
      ["src/context/people/changes.ts", "export const write = (db) => db.write(() => 1);"],
      ["src/context/people/users.ts", "export const add = (write) => write(() => 1);"],
    ],
  },
  "callers of the service are not copied": {
    rule: rules.callersAreNotCopied,
    refused: [
      ["src/service/turns/scopes.ts", 'export const no = (scope) => ({ ...scope.caller, agent: "a" });'],
    ],
    allowed: [["src/service/turns/scopes.ts", "export const yes = (scope) => ({ ...scope, agent: 1 });"]],
  },
  "errors name files in their details": {
    rule: rules.fileNamesInDetails,
    refused: [
      [
        "src/context/versioned-store/sqlite/batch.ts",
        'import { AppError } from "x";\nexport const no = (path: string) => new AppError("conflict", `${path}: taken`);',
      ],
    ],
    allowed: [
      [
        "src/context/versioned-store/sqlite/batch.ts",
        'import { fileError } from "x";\nexport const no = (path: string) => fileError("conflict", path, "taken");',
      ],
    ],
  },
  "errors name fields in their details": {
    rule: rules.fieldsInDetails,
    refused: [
      [
        "src/service/people/users.ts",
        'export const no = () => new AppError("conflict", `name: "${x}" exists`);',
      ],
      [
        "src/service/gears/content.ts",
        'export const no = (field) => new AppError("invalid", `${field}: wrong`);',
      ],
    ],
    allowed: [
      ["src/service/people/users.ts", 'export const no = () => fieldError("conflict", "name", "exists");'],
      [
        "src/service/files/files.ts",
        'export const no = (path) => new AppError("not_text", `${path}: binary`);',
      ],
    ],
  },
  "programs read details, not sentences": {
    rule: rules.noMatchingOnMessages,
    refused: [
      ["web/api/problem.ts", "export const field = (problem) => /^(\\w+): /.exec(problem.message);"],
      ["src/cli/connection.ts", 'export const out = (error) => error.message.startsWith("authentication");'],
      [
        "src/context/client/client.ts",
        'export const no = (error) => messageOf(error).includes("ENOTFOUND");',
      ],
      [
        "src/context/client/client.ts",
        'export const no = (error) => { const text = messageOf(error); return text.includes("ENOTFOUND"); };',
      ],
      ["src/kit/field.ts", 'export const no = ({ message }) => message === "Unexpected property";'],
      ["web/kit/part.tsx", "export const lost = (error) => NOT_LOADED.test(problem(error).message);"],
    ],
    allowed: [
      ["src/cli/connection.ts", 'export const out = (error) => error.details?.credential === "missing";'],
      ["web/kit/states.tsx", "export const P = (props) => <p>{props.problem.message}</p>;"],
      ["src/service/llm/request.ts", 'export const is = (message) => message.role === "user";'],
      ["tests/unit/a.test.ts", 'expect(error.message.startsWith("a")).toBe(true);'],
    ],
  },
  "casts are checked": {
    rule: rules.castsAreChecked,
    refused: [
      ["src/service/gears/routes.ts", "export const a = (b: object) => b as never;"],
      ["src/kit/http/api.ts", "export const a = (b: object) => run(b as any);"],
      ["web/kit/part.tsx", "export const a = (b: object) => (b as unknown as string).length;"],
      ["src/kit/http/sse.ts", "export const a = 1;"],
    ],
    allowed: [
      ["src/kit/http/sse.ts", "export const a = (b: object) => b as unknown as string;"],
      ["web/kit/part.tsx", "// Never used as any.\nexport const a = (b: unknown) => b as string;"],
      ["web/kit/part.tsx", 'export const a = "as any other";'],
    ],
  },
  "amounts are written in one place": {
    rule: rules.amountsAreWrittenInOnePlace,
    refused: [
      ["src/cli/files.ts", 'export const a = (n) => `${n} ${n === 1 ? "file" : "files"}`;'],
      ["src/cli/files.ts", 'export const a = (n) => `${n} file${n === 1 ? "" : "s"}`;'],
      ["web/kit/part.tsx", 'export const a = (n) => n === 1 ? "model" : `${n} models`;'],
    ],
    allowed: [
      ["src/kit/text/amounts.ts", 'export const a = (n) => n === 1 ? "file" : "files";'],
      [
        "src/cli/files.ts",
        'export const a = (n) => `${n === 1 ? "it is" : "they are"} ${plural(n, "file")}`;',
      ],
      ["src/cli/files.ts", 'export const a = (n) => n === 1 ? "" : ` (${n})`;'],
    ],
  },
  "no top-level await outside bin": {
    rule: rules.noTopLevelAwait,
    refused: [
      ["src/kit/storage/db.ts", 'const text = await Bun.file("x").text();'],
      ["src/kit/storage/db.ts", "await open();"],
    ],
    allowed: [
      ["bin/cairn.ts", "process.exit(await main());"],
      ["src/kit/storage/db.ts", "export async function open() {\n  await ready();\n}"],
    ],
  },
  "files stay readable in one sitting": {
    rule: rules.filesStayReadable,
    refused: [["src/kit/storage/db.ts", "//\n".repeat(451)]],
    allowed: [["src/kit/storage/db.ts", "//\n".repeat(450)]],
  },
  "file names say something": {
    rule: rules.namesSaySomething,
    refused: [
      ["src/kit/utils.ts", ""],
      ["src/kit/requestGuard.ts", ""],
    ],
    allowed: [
      ["src/kit/request-guard.ts", ""],
      ["tests/unit/request-guard.test.ts", ""],
    ],
  },
  "files open with their purpose": {
    rule: rules.filesOpenWithPurpose,
    refused: [
      ["src/kit/storage/db.ts", "export const a = 1;\n"],
      ["src/kit/storage/db.ts", "// Database.\nexport const a = 1;\n"],
      ["src/kit/storage/db.ts", "// Six.\n".repeat(6)],
      ["tests/unit/db.test.ts", "test();\n"],
    ],
    allowed: [
      ["src/kit/storage/db.ts", `${header}export const a = 1;\n`],
      ["tests/unit/db.test.ts", "// Goal: it works.\ntest();\n"],
    ],
  },
  "a boolean beside other arguments has a name": {
    rule: rules.noBooleanLiteralAmongArguments,
    refused: [
      ["src/kit/storage/db.ts", "export const run = (f) => inside(f(1, [2]), true);"],
      ["src/service/turns/turns.ts", 'export const a = () => this.insert("a (b", false, { x: 0 });'],
      ["src/context/graph/drawing.ts", "export const a = new Failure(true, reason);"],
    ],
    allowed: [
      ["src/kit/storage/db.ts", "export const run = (f) => inside(f(1), { isAlone: true });"],
      ["src/kit/storage/db.ts", "export const off = () => turn(false);"],
      ["src/kit/storage/db.ts", "export const all = (f) => f([true, false], view.getUint16(4, true));"],
    ],
  },
  "sentences name their subject": {
    rule: rules.sentencesNameTheirSubject,
    refused: [
      ["src/kit/storage/db.ts", "export const a = 1;\n/** What is stored of a write. */\n"],
      ["src/kit/storage/db.ts", "// Whoever waits gets the next turn.\n"],
      ["src/kit/storage/db.ts", "/** Copies the database. What is written meanwhile may be missing. */\n"],
      ["web/kit/part.tsx", "/**\n * Where it is shown.\n */\n"],
      ["tests/unit/db.test.ts", 'describe("a", () => {\n  test("what was written is read", () => {});\n'],
      ["tests/unit/db.test.ts", 'test.skipIf(isRoot)(\n  "who is not the owner is refused",\n'],
    ],
    allowed: [
      ["src/kit/storage/db.ts", "/** Returns what is stored of a write. */\n"],
      ["src/kit/storage/db.ts", '/** The writer. */\nexport const HELP = "What is stored";\n'],
      ["tests/unit/db.test.ts", 'test("a write says what was stored", () => {});\n'],
    ],
  },
};

describeRules("code", codeFiles, cases);
