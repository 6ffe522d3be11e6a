// Identifies the build. release/build.ts embeds the three values in the binary; a program run from source has none.
// Must not import anything: `version` is the fastest command of both programs.

declare const CAIRN_VERSION: string | undefined;
declare const CAIRN_COMMIT: string | undefined;
declare const CAIRN_DATE: string | undefined;

interface Version {
  version: string;
  commit: string;
  /** Of the commit, RFC 3339, UTC, seconds. */
  date: string;
}

// `typeof` is the one safe way to test an undefined name.
export const version: Version = {
  version: typeof CAIRN_VERSION === "string" ? CAIRN_VERSION : "0.0.0-dev",
  commit: typeof CAIRN_COMMIT === "string" ? CAIRN_COMMIT : "unknown",
  date: typeof CAIRN_DATE === "string" ? CAIRN_DATE : "unknown",
};

/** One line for people: `cairn 0.1.0 (commit 0123456789ab, 2026-11-21T06:20:00Z)`. */
export function versionLine(program: string): string {
  return `${program} ${version.version} (commit ${version.commit}, ${version.date})`;
}
