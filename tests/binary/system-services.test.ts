// Goal: the service definitions of a release start the programs with exactly the command line that they contain, and systemd accepts its own.

import { describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../release/step.ts";
import { unescaped } from "../kit/context/console.ts";
import { binaryPath } from "../kit/binaries.ts";
import { cairnAt } from "../kit/cli/cairn.ts";
import { until } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { codeFiles } from "../house/source.ts";
import { within } from "../kit/within.ts";

const analyze = Bun.which("systemd-analyze");
if (analyze === null) console.log("skipped: systemd-analyze is missing, so no unit was verified");

const PROGRAMS = { service: "service", server: "cairn" } as const;
type Name = keyof typeof PROGRAMS;
const NAMES: readonly Name[] = ["service", "server"];
/** Tenths of the scale on which systemd rates what a service could do to the machine: 0 to 100. */
const EXPOSURE_MAX = 20;
const FILES = {
  systemd: (name: Name) => `systemd/cairn-${name}.service`,
  launchd: (name: Name) => `launchd/dev.cairn.${name}.plist`,
  windows: (name: Name) => `windows/cairn-${name}.xml`,
};

const textOf = (file: string) => readFileSync(join(ROOT, "release", "units", file), "utf8");

const between = (text: string, tag: string) =>
  [...text.matchAll(new RegExp(`<${tag}>([^<]*)</${tag}>`, "g"))].map(([, inner = ""]) => unescaped(inner));

/** The command line of a definition, with the program that was built here and a data directory at `data`. */
const COMMANDS: Record<keyof typeof FILES, (text: string, name: Name, data: string) => string[]> = {
  systemd: (text, name, data) =>
    /^ExecStart=(.*)$/m
      .exec(text)![1]!
      .split(" ")
      .map((word) => (word === "${STATE_DIRECTORY}" ? data : word))
      .map((word) => (word === `/opt/cairn/${PROGRAMS[name]}` ? binaryPath(PROGRAMS[name]) : word)),
  launchd: (text, name) =>
    between(text.slice(text.indexOf("<array>"), text.indexOf("</array>")), "string").map((word) =>
      word.replace(`/opt/cairn/${PROGRAMS[name]}`, `'${binaryPath(PROGRAMS[name])}'`),
    ),
  windows: (text, name, data) => {
    const line = /^\/d \/c "(.*) 2>>"[^"]+""$/.exec(between(text, "Arguments")[0]!)![1]!;
    return [...line.matchAll(/"([^"]*)"|\S+/g)]
      .map(([whole, quoted]) => quoted ?? whole)
      .map((word) => (word === `C:\\ProgramData\\Cairn\\${name}` ? data : word))
      .map((word) =>
        word === `C:\\Program Files\\Cairn\\${PROGRAMS[name]}.exe` ? binaryPath(PROGRAMS[name]) : word,
      );
  },
};

describe.each(Object.keys(FILES) as (keyof typeof FILES)[])("%s", (manager) => {
  const runsHere = manager !== "launchd" || process.platform !== "win32";

  test.skipIf(!runsHere).each([...NAMES])("starts the %s", async (name) => {
    await using home = await temporaryFolder();
    const data = join(home.path, ".cairn", name);
    if (name === "server") {
      const settings = ["--space", "main", "--admin", "ada", "--port", "0"];
      await cairnAt([]).printed(
        "init",
        "server",
        "--noui",
        "--non-interactive",
        "--data-dir",
        data,
        ...settings,
      );
    }
    const logFile = await home.write(`Library/Logs/cairn-${name}.log`, "");
    const child = Bun.spawn(COMMANDS[manager](textOf(FILES[manager](name)), name, data), {
      env: { ...process.env, HOME: home.path, USERPROFILE: home.path, SERVICE_LISTEN: "127.0.0.1:0" },
      stdio: ["ignore", "ignore", Bun.file(logFile)],
    });
    try {
      const listening = await until(() => {
        if (child.exitCode !== null) throw new Error(readFileSync(logFile, "utf8"));
        return /^.*"message":"listening".*$/m.exec(readFileSync(logFile, "utf8"))?.[0];
      });
      expect(JSON.parse(listening)).toMatchObject({ data });
    } finally {
      child.kill("SIGTERM");
      await within("the program ends", child.exited);
    }
    // Windows knows no signals: it ends the program.
    if (process.platform !== "win32") expect(child.exitCode).toBe(0);
  });
});

test.skipIf(process.platform === "win32").each([
  ["the journal reads stderr", "", "<6>{"],
  ["the journal reads something else", "0", "{"],
])("marks lines with their severity where %s", async (_, suffix, start) => {
  await using folder = await temporaryFolder();
  const logFile = await folder.write("log", "");
  const { dev, ino } = statSync(logFile);
  const child = Bun.spawn([binaryPath("service"), "serve", "--data", join(folder.path, "data")], {
    env: {
      ...process.env,
      HOME: folder.path,
      SERVICE_LISTEN: "127.0.0.1:0",
      JOURNAL_STREAM: `${dev}:${ino}${suffix}`,
    },
    stdio: ["ignore", "ignore", Bun.file(logFile)],
  });
  try {
    const line = await until(() => /^.*"message":"listening".*$/m.exec(readFileSync(logFile, "utf8"))?.[0]);
    expect(line).toStartWith(`${start}"time"`);
  } finally {
    child.kill("SIGTERM");
    await within("the program ends", child.exited);
  }
});

describe.each([...NAMES])("the unit of the %s", (name) => {
  const analysed = async (...args: string[]) => {
    await using folder = await temporaryFolder();
    const text = textOf(FILES.systemd(name)).replace(
      `/opt/cairn/${PROGRAMS[name]}`,
      binaryPath(PROGRAMS[name]),
    );
    const unit = await folder.write(`cairn-${name}.service`, text);
    const child = Bun.spawn([analyze!, ...args, unit], { stdout: "pipe", stderr: "pipe" });
    const said = await child.stderr.text();
    return {
      said: said.split("\n").filter((line) => line.includes(unit)),
      exitCode: await within("the program ends", child.exited),
    };
  };

  test.skipIf(analyze === null)("is accepted by systemd", async () => {
    expect(await analysed("verify")).toEqual({ said: [], exitCode: 0 });
  });

  test.skipIf(analyze === null)("leaves the program few rights on the machine", async () => {
    const rating = await analysed("security", "--offline=true", `--threshold=${EXPOSURE_MAX}`, "--no-pager");
    expect(rating).toEqual({ said: [], exitCode: 0 });
  });
});

describe("docs/system-service.md", async () => {
  const page = await Bun.file(join(ROOT, "docs/system-service.md")).text();

  test("names definitions that there are, and creates the directories that their units write to", () => {
    const named = [...page.matchAll(/\/opt\/cairn\/((?:systemd|launchd)\/\S+)/g)].map(([, file]) => file!);
    expect(new Set(named)).toEqual(
      new Set([...NAMES.map(FILES.systemd), FILES.launchd("service")].toSorted()),
    );
    for (const name of NAMES)
      for (const [, path] of textOf(FILES.systemd(name)).matchAll(/^ReadWritePaths=-?(\S+)$/gm))
        expect(page).toMatch(new RegExp(`^sudo install --directory .* ${path}$`, "m"));
  });

  test("lets nginx send each forwarding header that the programs read", async () => {
    const texts = (await codeFiles()).filter(({ path }) => path.startsWith("src/"));
    const read = texts.flatMap(({ text }) =>
      [...text.matchAll(/headers\["(x-forwarded-[a-z]+)"\]/g)].map(([, header]) => header!),
    );
    const sent = [...page.matchAll(/proxy_set_header (X-Forwarded-\w+)/g)].map(([, header]) =>
      header!.toLowerCase(),
    );
    expect(sent.toSorted()).toEqual([...new Set(read)].toSorted());
  });
});

test.skipIf(process.platform !== "darwin")("launchd accepts the agents", () => {
  for (const name of NAMES) {
    const path = join(ROOT, "release", "units", FILES.launchd(name));
    expect(Bun.spawnSync(["plutil", "-lint", path]).exitCode).toBe(0);
  }
});
