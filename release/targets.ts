// The machines a release is built for, and what its files are called there.
// `bun` is the name of the target in Bun's compiler; `id` is ours, used in folder and archive names.

export interface Target {
  id: string;
  bun: Bun.Build.CompileTarget;
  system: "linux" | "darwin" | "windows";
  /** Ending of the two programs. */
  extension: "" | ".exe";
  archive: "tar.gz" | "zip";
}

export const targets: readonly Target[] = [
  { id: "linux-x64", bun: "bun-linux-x64", system: "linux", extension: "", archive: "tar.gz" },
  { id: "linux-arm64", bun: "bun-linux-arm64", system: "linux", extension: "", archive: "tar.gz" },
  { id: "linux-x64-musl", bun: "bun-linux-x64-musl", system: "linux", extension: "", archive: "tar.gz" },
  { id: "linux-arm64-musl", bun: "bun-linux-arm64-musl", system: "linux", extension: "", archive: "tar.gz" },
  { id: "darwin-x64", bun: "bun-darwin-x64", system: "darwin", extension: "", archive: "tar.gz" },
  { id: "darwin-arm64", bun: "bun-darwin-arm64", system: "darwin", extension: "", archive: "tar.gz" },
  { id: "windows-x64", bun: "bun-windows-x64", system: "windows", extension: ".exe", archive: "zip" },
  { id: "windows-arm64", bun: "bun-windows-arm64", system: "windows", extension: ".exe", archive: "zip" },
];

/** The two programs, and the files that they start from: their own, and that of their workers. */
export const programs = [
  {
    name: "service",
    entries: [
      "bin/service.ts",
      "src/service/worker.ts",
      "src/context/worker.ts",
      "src/context/look-worker.ts",
    ],
  },
  { name: "cairn", entries: ["bin/cairn.ts", "src/context/worker.ts", "src/context/look-worker.ts"] },
] as const;

export type Program = (typeof programs)[number];

export type ProgramName = (typeof programs)[number]["name"];

/** Texts at the top of an archive; the manual is beside them, in `docs`. */
export const texts: readonly string[] = [
  "LICENSE",
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
];

export const nativeExtension = process.platform === "win32" ? ".exe" : "";

export function archiveName(version: string, target: Target): string {
  return `cairn-${version}-${target.id}.${target.archive}`;
}
