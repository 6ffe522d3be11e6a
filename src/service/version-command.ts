// `service version`: prints the version and build.

import type { CommandDef } from "citty";
import { printText } from "../kit/terminal/output.ts";
import { versionLine } from "../kit/version.ts";

export const versionCommand: CommandDef = {
  meta: { name: "version", description: "Print version, commit and build date" },
  run: () => printText(versionLine("service")),
};
