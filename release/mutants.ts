// `npm run mutants [-- <part>]`: changes one operator at a time in the code that everything else trusts, and expects a test to notice. Prints
// each change that no test noticed, with its line. Works on a copy of the repository, so it can be stopped at any time.

import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installDependencies } from "./install.ts";
import { ROOT, fail, seconds } from "./step.ts";

/** A mutant that hangs is noticed as well. */
const TEST_SECONDS_MAX = 60;

interface Part {
  readonly files: readonly string[];
  /** Their tests, the fastest first. */
  readonly tests: readonly string[];
}

const PARTS: Readonly<Record<string, Part>> = {
  guard: { files: ["src/kit/http/guard.ts"], tests: ["tests/unit/kit/guard.test.ts"] },
  access: {
    files: ["src/context/access/pattern.ts", "src/context/access/rights.ts"],
    tests: ["tests/unit/context-access", "tests/context/access.test.ts"],
  },
  paths: { files: ["src/kit/text/paths.ts", "src/kit/disk/paths-disk.ts"], tests: ["tests/unit/paths"] },
  swap: {
    files: ["src/context/versioned-store/sqlite/batch.ts"],
    tests: [
      "tests/unit/context-files/batch-shape.test.ts",
      "tests/unit/context-files/sqlite-contract.test.ts",
      "tests/unit/context-files/model.test.ts",
    ],
  },
  chain: {
    files: ["src/kit/secrets/hash-chain.ts", "src/context/audit/verify.ts"],
    tests: ["tests/unit/kit/hash-chain.test.ts", "tests/unit/context-audit", "tests/context/audit.test.ts"],
  },
  approvals: {
    files: ["src/service/gears/approval.ts", "src/service/gears/isolation.ts"],
    tests: ["tests/api/gears-approval.test.ts", "tests/api/gears-events.test.ts", "tests/api/gears.test.ts"],
  },
};

interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

const SWAPS: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "&&": "||",
  "||": "&&",
  "??": "&&",
  "+": "-",
  "-": "+",
  "!": "",
  true: "false",
  false: "true",
};

/** In code as the formatter leaves it: an operator has a space on each side, which no generic and no arrow has. */
const OPERATOR =
  /(?<= )(?:===|!==|<=|>=|<|>|&&|\|\||\?\?|\+|-)(?= )|(?<![\w)\]])!(?=[\w(#])|\b(?:true|false)\b/g;
const COMMENT = /^\s*(?:\/\/|\/?\*)/;

/** Every change of one operator, negation or boolean in a file. */
async function mutantsOf(file: string): Promise<Mutant[]> {
  const lines = (await Bun.file(join(ROOT, file)).text()).split("\n");
  return lines.flatMap((text, index) =>
    COMMENT.test(text)
      ? []
      : [...text.matchAll(OPERATOR)].map(([from], nth) => {
          let count = 0;
          const to = SWAPS[from]!;
          const changed = text.replace(OPERATOR, (found) => (count++ === nth ? to : found));
          return { file, line: index + 1, from, to, text: lines.with(index, changed).join("\n") };
        }),
  );
}

/** Reports whether one of the tests fails. */
async function isNoticed(copy: string, tests: readonly string[]): Promise<boolean> {
  for (const test of tests) {
    const child = Bun.spawn(["bun", "test", "--bail", "--timeout=20000", test], {
      cwd: copy,
      stdio: ["ignore", "ignore", "ignore"],
      timeout: TEST_SECONDS_MAX * 1_000,
      killSignal: "SIGKILL",
    });
    if ((await child.exited) !== 0) return true;
  }
  return false;
}

async function copyOfRepository(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "mutants-"));
  for (const name of [
    "src",
    "bin",
    "tests",
    "release",
    "embed",
    "package.json",
    "bunfig.toml",
    "tsconfig.json",
  ])
    await cp(join(ROOT, name), join(copy, name), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

async function attack(copy: string, name: string, { files, tests }: Part): Promise<number> {
  const started = performance.now();
  if (await isNoticed(copy, tests)) fail(`${name}: its tests fail without a change`);
  const mutants = (await Promise.all(files.map(mutantsOf))).flat();
  let survivors = 0;
  for (const { file, line, from, to, text } of mutants) {
    const original = await Bun.file(join(ROOT, file)).text();
    await Bun.write(join(copy, file), text);
    if (!(await isNoticed(copy, tests))) {
      survivors += 1;
      console.log(`  ${file}:${line}: "${from}" as "${to}" is not noticed`);
    }
    await Bun.write(join(copy, file), original);
  }
  console.log(
    `mutants: ${name}: ${mutants.length - survivors} of ${mutants.length} noticed  ${seconds(started)}`,
  );
  return survivors;
}

async function main(): Promise<number> {
  const [wanted] = process.argv.slice(2);
  const names = wanted === undefined ? Object.keys(PARTS) : [wanted];
  await installDependencies();
  const copy = await copyOfRepository();
  try {
    for (const name of names)
      await attack(
        copy,
        name,
        PARTS[name] ?? fail(`no part ${name}; there are ${Object.keys(PARTS).join(", ")}`),
      );
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
  return 0;
}

process.exit(await main());
