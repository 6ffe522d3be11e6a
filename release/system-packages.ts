// Programs of the system that some tests drive: where they are, and how they get there on Debian.
// Anywhere else we only look and say aloud what is missing; nothing is installed behind anyone's back.

import { existsSync } from "node:fs";
import { capture, inCi, seconds } from "./step.ts";

interface Tool {
  /** Names on PATH, best first. */
  commands: readonly string[];
  /** Its places when it is not on PATH. */
  elsewhere: readonly string[];
  /** Best first: the first one that the system knows is installed. */
  debianPackages: readonly string[];
  /** Elsewhere the tests that drive it are left out. */
  onlyOn?: NodeJS.Platform;
  /** There is another way, so that tests go on without it. */
  optional?: boolean;
  /** Arguments with which it must succeed: some come in parts, and the command alone proves too little. */
  probe?: readonly string[];
}

const tools = {
  chromium: {
    // The shell has no window, and needs a fifth less processor for the same tests.
    commands: [
      "chromium-headless-shell",
      "chromium",
      "chromium-browser",
      "google-chrome",
      "google-chrome-stable",
    ],
    elsewhere: [
      "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
      "/Applications/Chromium.app/Contents/MacOS/Chromium",
      "C:/Program Files/Google/Chrome/Application/chrome.exe",
      "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
    ],
    debianPackages: ["chromium-headless-shell", "chromium"],
  },
  docker: {
    commands: ["dockerd"],
    elsewhere: ["/usr/sbin/dockerd"],
    debianPackages: ["docker.io"],
    onlyOn: "linux",
  },
  // Makes the images that gears run in where no registry can be reached; elsewhere they are fetched.
  debootstrap: {
    commands: ["debootstrap"],
    elsewhere: ["/usr/sbin/debootstrap"],
    debianPackages: ["debootstrap"],
    onlyOn: "linux",
    optional: true,
  },
  // Say whether what the command line prints for them is well formed.
  zsh: { commands: ["zsh"], elsewhere: [], debianPackages: ["zsh"], onlyOn: "linux" },
  fish: { commands: ["fish"], elsewhere: [], debianPackages: ["fish"], onlyOn: "linux" },
  // Runs the fuzzer of `npm run prove`.
  python: {
    commands: ["python3"],
    elsewhere: [],
    debianPackages: ["python3-venv"],
    probe: ["-c", "import ensurepip, venv"],
  },
  // The client that people use, for the terminal interface over SSH.
  ssh: { commands: ["ssh"], elsewhere: [], debianPackages: ["openssh-client"], onlyOn: "linux" },
  // The reverse proxy of the lab.
  haproxy: {
    commands: ["haproxy"],
    elsewhere: ["/usr/sbin/haproxy"],
    debianPackages: ["haproxy"],
    onlyOn: "linux",
  },
} satisfies Record<string, Tool>;

type ToolName = keyof typeof tools;

/** The tools that the tests need today. A test that drives another tool adds it here. */
const NEEDED_BY_TESTS: readonly ToolName[] = [
  "chromium",
  "docker",
  "debootstrap",
  "zsh",
  "fish",
  "ssh",
  "haproxy",
];

/** Full path of a tool, or undefined. For tests: skip with a reason, or call it. */
export function locateTool(name: ToolName): string | undefined {
  const tool: Tool = tools[name];
  for (const command of tool.commands) {
    const found = Bun.which(command);
    if (found !== null && works(found, tool.probe)) return found;
  }
  return tool.elsewhere.find((path) => existsSync(path));
}

function works(program: string, probe: readonly string[] | undefined): boolean {
  return probe === undefined || Bun.spawnSync([program, ...probe]).exitCode === 0;
}

/** Returns false when something needed is missing and this is CI, where a test that is left out counts as failed. */
export async function provideSystemPackages(needed: readonly ToolName[] = NEEDED_BY_TESTS): Promise<boolean> {
  const missing = needed.filter((name) => isForThisSystem(tools[name]) && locateTool(name) === undefined);
  if (missing.length === 0) return true;
  const obstacle = whyNotInstall() ?? (await install(missing));
  const absent = missing.filter((name) => locateTool(name) === undefined);
  for (const name of absent) {
    console.log(`skipped: ${name} is missing (${obstacle ?? "it is not where it was expected"})`);
  }
  return absent.every((name) => isOptional(tools[name])) || !inCi;
}

function isForThisSystem({ onlyOn }: Tool): boolean {
  return onlyOn === undefined || onlyOn === process.platform;
}

function isOptional({ optional }: Tool): boolean {
  return optional === true;
}

function whyNotInstall(): string | undefined {
  if (Bun.which("apt-get") === null) return "installed here only on Debian; please install it yourself";
  if (process.getuid?.() !== 0) return "installing it needs root; please install it yourself";
  return undefined;
}

/** Returns what went wrong, or undefined. */
async function install(names: readonly ToolName[]): Promise<string | undefined> {
  const started = performance.now();
  console.log(`system packages: installing ${names.join(", ")} …`);
  const failure =
    (await aptGet("update")) ??
    (await aptGet("install", "-y", "--no-install-recommends", ...names.map(packageFor)));
  if (failure === undefined) console.log(`system packages: done in ${seconds(started)}`);
  return failure;
}

function packageFor(name: ToolName): string {
  const packages: readonly string[] = tools[name].debianPackages;
  const isKnown = (one: string) => Bun.spawnSync(["apt-cache", "show", one]).exitCode === 0;
  return packages.find(isKnown) ?? packages.at(-1)!;
}

/** Returns what went wrong, or undefined. */
async function aptGet(...args: readonly string[]): Promise<string | undefined> {
  const { exitCode, output } = await capture(["apt-get", ...args], { DEBIAN_FRONTEND: "noninteractive" });
  if (exitCode === 0) return undefined;
  console.log(output.trim());
  return `apt-get ${args[0]} failed`;
}

if (import.meta.main && !(await provideSystemPackages())) process.exit(1);
