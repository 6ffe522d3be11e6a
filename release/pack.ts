// After `build.ts --all`: one archive for each target in dist/release/, and SHA256SUMS over them. `pack.ts [target …]` packs a part.
// Each archive holds a folder with the two programs, the licence, the readme, the manual, man pages and the definitions of system services; for Linux
// also what makes container images, a lab and a chart. The same build gives the same archives.

import { existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { tarGz, zip, type ArchiveFile } from "./archive.ts";
import { manPages } from "./man.ts";
import { ROOT, fail, megabytes, readManifest, seconds } from "./step.ts";
import { archiveName, programs, targets, texts, type Target } from "./targets.ts";

const OUTPUT = `${ROOT}/dist/release`;
const SUMS = "SHA256SUMS";
/** Folders below `release` for each system, and their names in the archive. */
const FOLDERS = {
  linux: { "units/systemd": "systemd", containers: "containers", lab: "lab", chart: "chart" },
  darwin: { "units/launchd": "launchd" },
  windows: { "units/windows": "windows" },
};
const EXECUTABLE = new Set(["containers/healthy", "lab/node", "lab/try"]);

async function contents(folder: string, target: Target): Promise<ArchiveFile[]> {
  const files: ArchiveFile[] = [];
  for (const { name } of programs) {
    const path = `${ROOT}/dist/${target.id}/${name}${target.extension}`;
    if (!existsSync(path)) fail(`${path} is missing: run npm run release:build`);
    files.push({
      path: `${folder}/${name}${target.extension}`,
      bytes: await Bun.file(path).bytes(),
      executable: true,
    });
  }
  // The help of a command names its page of the manual.
  const pages = (await readdir(`${ROOT}/docs`)).filter((name) => /\.(?:md|png)$/.test(name)).sort();
  for (const name of [...texts, ...pages.map((page) => `docs/${page}`)]) {
    files.push({
      path: `${folder}/${name}`,
      bytes: await Bun.file(`${ROOT}/${name}`).bytes(),
      executable: false,
    });
  }
  return files;
}

/** The folder in which `man -M` and package managers look. */
async function manual(folder: string, version: string): Promise<ArchiveFile[]> {
  const pages = await manPages(version);
  return pages.map(({ name, text }) => ({
    path: `${folder}/man/man1/${name}`,
    bytes: new TextEncoder().encode(text),
    executable: false,
  }));
}

async function definitions(folder: string, target: Target): Promise<ArchiveFile[]> {
  const files: ArchiveFile[] = [];
  for (const [source, name] of Object.entries(FOLDERS[target.system])) {
    const found = await readdir(`${ROOT}/release/${source}`, { recursive: true, withFileTypes: true });
    for (const entry of found.filter((one) => one.isFile())) {
      const path = join(entry.parentPath, entry.name);
      const place = `${name}/${relative(`${ROOT}/release/${source}`, path).replaceAll("\\", "/")}`;
      files.push({
        path: `${folder}/${place}`,
        bytes: await Bun.file(path).bytes(),
        executable: EXECUTABLE.has(place),
      });
    }
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function pack(version: string, target: Target): Promise<void> {
  const started = performance.now();
  const name = archiveName(version, target);
  const folder = name.slice(0, -(target.archive.length + 1));
  const files = [
    ...(await contents(folder, target)),
    ...(await manual(folder, version)),
    ...(await definitions(folder, target)),
  ];
  const bytes = target.archive === "zip" ? zip(files) : await tarGz(files);
  await Bun.write(`${OUTPUT}/${name}`, bytes);
  console.log(`pack: dist/release/${name}  ${megabytes(bytes.length)}  ${seconds(started)}`);
}

/** In the form that `sha256sum --check` reads, sorted by name. */
async function writeSums(): Promise<void> {
  const lines: string[] = [];
  for (const name of (await readdir(OUTPUT)).sort()) {
    if (name === SUMS) continue;
    const digest = new Bun.CryptoHasher("sha256")
      .update(await Bun.file(`${OUTPUT}/${name}`).bytes())
      .digest("hex");
    lines.push(`${digest}  ${name}\n`);
  }
  await Bun.write(`${OUTPUT}/${SUMS}`, lines.join(""));
  console.log(`pack: dist/release/${SUMS}  ${lines.length} files`);
}

const wanted = process.argv.slice(2);
const unknown = wanted.find((id) => !targets.some((target) => target.id === id));
if (unknown !== undefined) fail(`unknown target: ${unknown}`);
const { version } = await readManifest();
await mkdir(OUTPUT, { recursive: true });
for (const target of targets) {
  if (wanted.length === 0 || wanted.includes(target.id)) await pack(version, target);
}
await writeSums();
