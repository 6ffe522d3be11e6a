// Compiles the two programs: `--native` (default) to dist/, for this machine; `--all` to dist/<target>/, for all of targets.ts.
// The browser interface is built first and compiled in; `--without-ui` leaves it out.
// The same commit gives the same bytes: pinned Bun, stamped date from the commit, no identifier of the machine that built it.

import { mkdir, rm } from "node:fs/promises";
import { installDependencies } from "./install.ts";
import { ROOT, capture, fail, megabytes, readManifest, seconds, type Manifest } from "./step.ts";
import { nativeExtension, programs, targets, type Program, type Target } from "./targets.ts";
import { buildUi, leaveOutUi } from "./ui.ts";

const SHORT_COMMIT_CHARACTERS = 12;

type Ui = "with" | "without";

interface Stamp {
  version: string;
  commit: string;
  /** RFC 3339, UTC, seconds. */
  date: string;
}

/** Builds for this machine; returns nothing, dies with a message when it cannot. */
export async function buildNative(ui: Ui = "with"): Promise<void> {
  const stamp = await prepare();
  const interfaceBuilt = buildInterface(ui);
  // Side by side: only one of the programs holds the interface.
  await Promise.all(
    programs.map(async (program) => {
      if (program.name === "service") await interfaceBuilt;
      await compile(program, `dist/${program.name}${nativeExtension}`, stamp);
    }),
  );
}

async function buildAll(ui: Ui = "with"): Promise<void> {
  const stamp = await prepare();
  await buildInterface(ui);
  for (const target of targets) {
    for (const program of programs) {
      await compile(program, `dist/${target.id}/${program.name}${target.extension}`, stamp, target);
    }
  }
}

async function prepare(): Promise<Stamp> {
  const manifest = await readManifest();
  refuseOtherBun(manifest);
  await installDependencies();
  const stamp = await readStamp(manifest);
  console.log(
    `build: ${manifest.name} ${stamp.version}, commit ${stamp.commit}, ${stamp.date}, bun ${Bun.version}`,
  );
  return stamp;
}

function buildInterface(ui: Ui): Promise<void> {
  return ui === "with" ? buildUi() : leaveOutUi();
}

/** Another Bun means another runtime inside the binaries and other bytes, so it is not a warning. */
function refuseOtherBun(manifest: Manifest): void {
  const wanted = manifest.packageManager.replace(/^bun@/, "");
  if (Bun.version !== wanted) {
    fail(`this is bun ${Bun.version}, but the build needs exactly ${wanted}: use npm run build`);
  }
}

async function readStamp(manifest: Manifest): Promise<Stamp> {
  const commit = await git("rev-parse", "HEAD");
  const epochSeconds = process.env.SOURCE_DATE_EPOCH ?? (await git("log", "-1", "--format=%ct"));
  const date = new Date(Number(epochSeconds ?? 0) * 1000).toISOString().replace(/\.\d+Z$/, "Z");
  return {
    version: manifest.version,
    commit: commit?.slice(0, SHORT_COMMIT_CHARACTERS) ?? "unknown",
    date: epochSeconds === undefined ? "unknown" : date,
  };
}

/** Undefined without git, outside a repository, or before the first commit: a source archive must build too. */
async function git(...args: string[]): Promise<string | undefined> {
  if (Bun.which("git") === null) return undefined;
  const { exitCode, output } = await capture(["git", ...args]);
  return exitCode === 0 ? output.trim() : undefined;
}

async function compile(program: Program, outfile: string, stamp: Stamp, target?: Target): Promise<void> {
  const started = performance.now();
  const path = `${ROOT}/${outfile}`;
  await mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  const result = await Bun.build({
    // The first one is the program; src/kit/workers/entry.ts finds the others by their paths.
    entrypoints: program.entries.map((entry) => `${ROOT}/${entry}`),
    // Errors carry the paths of the source; relative to the repository they are the same on every machine.
    root: ROOT,
    format: "esm",
    bytecode: true,
    // A start reads only the code that it needs: in one piece, all of it is read, which takes longer than the rest of a small command.
    splitting: true,
    sourcemap: "linked",
    // Names of functions and parameters stay: Elysia reads the source text of its handlers.
    minify: { whitespace: true, syntax: true, identifiers: false },
    env: "disable",
    define: {
      // Packages that ask where they lie would get the paths of the build machine.
      __dirname: '"/"',
      __filename: '"/"',
      CAIRN_VERSION: JSON.stringify(stamp.version),
      CAIRN_COMMIT: JSON.stringify(stamp.commit),
      CAIRN_DATE: JSON.stringify(stamp.date),
    },
    compile: {
      outfile: path,
      ...(target === undefined ? {} : { target: target.bun }),
      // Else a binary would run whatever the current directory's .env and bunfig.toml tell it to.
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
    throw: false,
  });
  if (!result.success) fail(`${program.name} does not compile:\n${result.logs.join("\n")}`);
  // The maps are inside the binary as well; the files beside it are of no use to anyone.
  for (const { path: beside } of result.outputs)
    if (beside.endsWith(".map")) await rm(beside, { force: true });
  console.log(`build: ${outfile}  ${megabytes(Bun.file(path).size)}  ${seconds(started)}`);
}

if (import.meta.main) {
  const flags = new Set(process.argv.slice(2));
  const all = flags.delete("--all");
  const ui: Ui = flags.delete("--without-ui") ? "without" : "with";
  if (flags.delete("--native") && all) fail("either --native or --all");
  if (flags.size > 0) fail("usage: build.ts [--native | --all] [--without-ui]");
  await (all ? buildAll(ui) : buildNative(ui));
}
