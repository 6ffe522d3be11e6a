// `cairn version`: prints the build.
// Keep it light: it touches no disk and no network.

import { defineCommand } from "citty";
import { formatOf, printData } from "../kit/terminal/output.ts";
import { version, versionLine } from "../kit/version.ts";

export const versionCommand = defineCommand({
  meta: { name: "version", description: "Print version, commit and build date" },
  run: ({ args }) => printData(version, formatOf(args), () => versionLine("cairn")),
});
