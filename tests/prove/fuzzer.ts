// Runs schemathesis, which generates requests from an OpenAPI document and checks the responses against it: no 5xx, only declared statuses, types
// and bodies, and no acceptance of forbidden input. The program under test runs on this machine.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ROOT, capture } from "../../release/step.ts";
import type { ApiDocument } from "./document.ts";

const FOLDER = join(ROOT, "dist", "prove");
const REQUIREMENTS = join(import.meta.dir, "requirements.txt");
const REQUEST_SECONDS_MAX = 5;

const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_schema_conformance",
  "negative_data_rejection",
  "unsupported_method",
  "allow_header_conformance",
];

/**
 * A file, because command-line options would override the settings of single operations. The guard refuses a non-JSON POST before the method
 * check, so a file's own type gets 400 there, not 405. Invalid data may get any refusal: by default the fuzzer does not take 413, the answer to a
 * body over the limit, for one.
 */
const CONFIGURATION = `[checks]
enabled = false
${CHECKS.map((name) => `${name}.enabled = true`).join("\n")}
negative_data_rejection.expected-statuses = ["4xx"]

[[operations]]
include-path-regex = "/file$|/files/|/attachments$|/workspaces/import$"
checks.unsupported_method.enabled = false
`;

interface Attack {
  readonly url: string;
  readonly document: ApiDocument;
  /** Undefined: the loopback privilege. */
  readonly token?: string;
  /** Matches the paths of excluded operations. */
  readonly without: RegExp;
  readonly seconds: number;
  readonly seed: number;
}

export interface Attacked {
  /** Test cases generated. */
  readonly cases: number;
  /** The fuzzer's report of a failure. */
  readonly failure: string | undefined;
}

/** Returns the path of the fuzzer, and installs this version into `dist/prove` if needed. Raises with the output of the installer. */
export async function provideFuzzer(): Promise<string> {
  const environment = join(FOLDER, "python");
  const program = join(environment, "bin", "schemathesis");
  const wanted = await Bun.file(REQUIREMENTS).text();
  const stamp = Bun.file(join(environment, ".requirements"));
  if ((await stamp.exists()) && (await stamp.text()) === wanted) return program;
  for (const command of [
    ["python3", "-m", "venv", "--clear", environment],
    [
      join(environment, "bin", "pip"),
      "install",
      "--quiet",
      "--disable-pip-version-check",
      "-r",
      REQUIREMENTS,
    ],
  ]) {
    const { exitCode, output } = await capture(command);
    if (exitCode !== 0) throw new Error(`cannot install the fuzzer: ${command.join(" ")}\n${output.trim()}`);
  }
  await Bun.write(stamp, wanted);
  return program;
}

export async function attack(
  fuzzer: string,
  { url, document, token, without, ...how }: Attack,
): Promise<Attacked> {
  await mkdir(FOLDER, { recursive: true });
  const file = join(FOLDER, "openapi.json");
  await Bun.write(file, JSON.stringify(document));
  const configuration = join(FOLDER, "schemathesis.toml");
  await Bun.write(configuration, CONFIGURATION);
  const child = Bun.spawn(
    [
      fuzzer,
      `--config-file=${configuration}`,
      "run",
      file,
      `--url=${url}`,
      `--max-time=${how.seconds}`,
      `--seed=${how.seed}`,
      `--exclude-path-regex=${without.source}`,
      `--request-timeout=${REQUEST_SECONDS_MAX}`,
      "--continue-on-failure",
      "--suppress-health-check=all",
      "--warnings=off",
      "--no-color",
      ...(token === undefined ? [] : [`--header=Authorization: Bearer ${token}`]),
    ],
    { cwd: FOLDER, env: process.env, stdio: ["ignore", "pipe", "pipe"] },
  );
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  const cases = Number(/(\d+) generated/.exec(output)?.[1] ?? 0);
  const failure = child.exitCode === 0 && cases > 0 ? undefined : excerpt(`${output}\n${errors}`);
  return { cases, failure };
}

const EXCERPT_CHARACTERS_MAX = 6_000;

/** Returns the output from the first failure on. */
function excerpt(output: string): string {
  const start = Math.max(0, output.search(/^=+ (FAILURES|ERRORS) =+$/m));
  return output.slice(start, start + EXCERPT_CHARACTERS_MAX).trim();
}
