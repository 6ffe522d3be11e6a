// Prints the section of CHANGELOG.md for one version: the text of a release. `notes.ts 0.1.0` or `notes.ts v0.1.0`.
// A version without a section is an error, so that no release goes out unexplained.

import { ROOT, fail } from "./step.ts";

/** The lines below `## [version]…` up to the next heading of that level, or undefined. */
export function sectionOf(changelog: string, version: string): string | undefined {
  const lines = changelog.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`## [${version}]`));
  if (start === -1) return undefined;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith("## ") || /^\[[^\]]+\]: /.test(line));
  return rest
    .slice(0, end === -1 ? undefined : end)
    .join("\n")
    .trim();
}

if (import.meta.main) {
  const version = process.argv[2]?.replace(/^v/, "") ?? fail("usage: notes.ts <version>");
  const section = sectionOf(await Bun.file(`${ROOT}/CHANGELOG.md`).text(), version);
  console.log(section || fail(`CHANGELOG.md has no text for ${version}`));
}
