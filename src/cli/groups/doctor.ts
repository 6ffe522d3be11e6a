// `cairn doctor`: prints the checks of src/context/doctor and their fixes.

import { defineCommand } from "citty";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { serverDirectory } from "../../context/config/directory.ts";
import type { Examination } from "../../context/doctor/doctor.ts";
import type { Finding, State } from "../../context/doctor/finding.ts";
import { systemClock } from "../../kit/clock.ts";
import { processEnvironment, temporaryDirectory } from "../../kit/environment.ts";
import { AppError } from "../../kit/error.ts";
import { formatOf, printData } from "../../kit/terminal/output.ts";
import { serverDirArg } from "../connection.ts";
import { plural, shown } from "../tables.ts";

const STATES: readonly State[] = ["fail", "warn", "skipped", "ok"];

export const doctor = defineCommand({
  meta: {
    name: "doctor",
    description: "Check a server and its data without changing anything, and print fixes",
  },
  args: serverDirArg,
  async run({ args }) {
    const format = formatOf(args);
    const directory = directoryToCheck(args["server-dir"]);
    const { examine } = await import("../../context/doctor/doctor.ts");
    const environment = processEnvironment();
    const found = await examine(directory, temporaryDirectory(environment), systemClock, environment);
    await printData(found, format, examinationText);
    const failed = found.checks.filter(({ state }) => state === "fail");
    if (failed.length > 0)
      throw new AppError(
        "refused",
        `${plural(failed.length, "check")} failed: ${failed.map(titleOf).join(", ")}`,
      );
  },
});

/** A named directory is checked even without a configuration, which is one of the problems to report. Raises `not_found`. */
function directoryToCheck(flag: string | undefined): string {
  const environment = processEnvironment();
  const given = flag ?? (environment["SERVICE_SERVER_DIR"] || undefined);
  if (given === undefined) return serverDirectory(undefined, environment);
  const directory = resolve(given);
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return directory;
  throw new AppError("not_found", `${directory}: no such directory`);
}

const titleOf = ({ check, space }: Finding) => (space === null ? check : `${check} of ${space}`);

function examinationText({ directory, running, checks }: Examination): string {
  const width = Math.max(...checks.map((finding) => titleOf(finding).length));
  const lines = checks.flatMap((finding) => [
    `${finding.state.padEnd(7)}  ${titleOf(finding).padEnd(width)}  ${shown(finding.found)}`,
    ...(finding.fix === null ? [] : [`${" ".repeat(width + 11)}fix: ${shown(finding.fix)}`]),
  ]);
  const counts = STATES.map((state) => {
    const count = checks.filter((finding) => finding.state === state).length;
    return count === 0 ? [] : [state === "warn" ? plural(count, "warning") : `${count} ${state}`];
  });
  return [
    `${directory} (${running ? "server running" : "server not running"})`,
    "",
    ...lines,
    "",
    counts.flat().join(", "),
  ].join("\n");
}
