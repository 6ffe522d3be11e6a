// Builds the browser interface and packs it for embedding: embed/ui/files/ as the bundler wrote it, a compressed copy beside each file
// where that pays, and embed/ui/manifest.ts, which imports every one of them, so that a missing file is a build error.

import { mkdir, readdir } from "node:fs/promises";
import { relative } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";
import { ROOT, seconds } from "./step.ts";

const FOLDER = `${ROOT}/embed/ui`;
const MANIFEST = `${FOLDER}/manifest.ts`;
/** Smaller files fit in one packet either way. */
const COMPRESSED_FROM_BYTES = 1_000;
/** The best compression takes ten seconds for everything, and a second time nothing: by content, results are kept here. */
const KEPT = `${ROOT}/node_modules/.cairn-compressed`;
/** src/service/ui.ts serves it under a policy of its own. */
export const DIAGRAM_PAGE = "diagram.html";
const COMPRESSIBLE = /\.(?:html|js|css|svg|json|txt)$/;

/**
 * By itself, the bundler makes a file of each module that another set of screens needs: thirty for one page, many of a few hundred bytes.
 * The modules that most screens need go into one file, small ones that several need into a second, and the icons into a third.
 */
const SHARED = [
  { name: "base", test: isBase, minShareCount: 12, priority: 2 },
  { name: "small", test: isSmall, minShareCount: 2, priority: 2 },
  { name: "icons", test: /node_modules[\\/]lucide-solid[\\/]/, minShareCount: 2, priority: 1 },
];
const BASE =
  /^(?:web\/(?:api|frame|kit|parts|state)|node_modules\/(?:solid-js|@solidjs|@tanstack\/query-core))\//;

/** A request costs more than these modules, which import no large ones. */
const SMALL = new RegExp(
  `^web/(?:${[
    "api/stream",
    "frame/offered-actions",
    "kit/(?:highlight|json|keyed|marked-text|moved-on|path-text|pause|same-list|save-key|search-box|split|table|undoable)",
    "parts/(?:agent/agent-avatar|catalog/model-choices|gear/auth-names|memory/(?:paths|writes))",
    "screens/chat/file-facts",
    "state/(?:agent-look|steps|taint|tool-state|tool-summary|turn-number|workspace-state)",
  ].join("|")})\\.tsx?$`,
);

function isBase(module: string): boolean {
  return BASE.test(pathOf(module));
}

function isSmall(module: string): boolean {
  return SMALL.test(pathOf(module));
}

function pathOf(module: string): string {
  return relative(ROOT, module).replaceAll("\\", "/");
}

/** The type checker can't know what an import of any file gives. */
const HEADER = "// @ts-nocheck\n// Written by release/ui.ts; not in the repository.\n\n";
const WITHOUT = `${HEADER}import type { UiAsset } from "../ui-asset.ts";\n\nexport const assets: readonly UiAsset[] | undefined = undefined;\n`;

/** Before a first build nothing would import: the sources need the manifest to exist. */
export async function ensureManifest(): Promise<void> {
  if (!(await Bun.file(MANIFEST).exists())) await leaveOutUi();
}

/** Leaves the interface out of the next compilation: the program then answers as a binary built without it. */
export async function leaveOutUi(): Promise<void> {
  await Bun.write(MANIFEST, WITHOUT);
}

/** Raises the bundler's message when it does not build. */
export async function buildUi(): Promise<void> {
  const started = performance.now();
  await bundleUi(`${FOLDER}/files`);
  const paths = await packFiles();
  await Bun.write(MANIFEST, manifest(paths));
  console.log(`build: the interface, ${paths.length} files  ${seconds(started)}`);
}

/** Into an empty `folder`, as the bundler writes it. Raises as `buildUi`. */
export async function bundleUi(folder: string): Promise<void> {
  const [{ build }, { default: solid }] = await Promise.all([import("vite"), import("vite-plugin-solid")]);
  await mkdir(folder, { recursive: true });
  await build({
    configFile: false,
    root: `${ROOT}/web`,
    mode: "production",
    logLevel: "warn",
    plugins: [solid(), { name: "woff2-only", enforce: "pre", transform: onlyWoff2 }, checkLocaleQuickly()],
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: "es2022",
      // The CSP allows nothing inline: no data: addresses, no script in the page.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: { output: { codeSplitting: { groups: SHARED } } },
    },
  });
  await Bun.write(`${folder}/${DIAGRAM_PAGE}`, await diagramPage());
  await Bun.write(`${folder}/sw.js`, await offlineWorker(folder));
}

/** Every browser that runs the interface reads this format; the others would only be carried around. */
function onlyWoff2(code: string, id: string): string | undefined {
  return id.includes("katex") && id.endsWith(".css")
    ? code.replaceAll(/,url\([^)]+\.(?:woff|ttf)\) format\("[^"]+"\)/g, "")
    : undefined;
}

/**
 * The library of menus and dialogs asks at its start whether the browser's locale is well-formed, in a way that reads the data of all locales: ten
 * milliseconds of every page. The same check without the data. Raises when the library no longer asks so.
 */
function checkLocaleQuickly(): Plugin {
  const SLOW = "Intl.DateTimeFormat.supportedLocalesOf([locale])";
  let isFound = false;
  return {
    name: "quick-locale",
    enforce: "pre",
    transform(code, id) {
      if (!id.includes("@kobalte/core") || !code.includes(SLOW)) return undefined;
      isFound = true;
      return code.replace(SLOW, "Intl.getCanonicalLocales(locale)");
    },
    buildEnd(error) {
      if (!error && !isFound)
        throw new Error("@kobalte/core does not contain the check of the locale that is replaced");
    },
  };
}

/** The service worker. It names the build that it belongs to, so that browsers notice another one, and the files of that build. */
async function offlineWorker(folder: string): Promise<string> {
  const build = new Bun.CryptoHasher("sha256")
    .update(await Bun.file(`${folder}/index.html`).bytes())
    .digest("hex")
    .slice(0, 20);
  const assets = (await readdir(`${folder}/assets`)).sort().map((name) => `/assets/${name}`);
  return bundled("web/api/offline/worker.ts", {
    CAIRN_UI_BUILD: JSON.stringify(build),
    CAIRN_UI_ASSETS: JSON.stringify(assets),
  });
}

async function bundled(path: string, define: Record<string, string> = {}): Promise<string> {
  const built = await Bun.build({
    entrypoints: [`${ROOT}/${path}`],
    format: "iife",
    target: "browser",
    minify: true,
    env: "disable",
    define,
    throw: false,
  });
  if (!built.success) throw new Error(built.logs.join("\n"));
  return built.outputs[0]!.text();
}

/** The page that draws diagrams. Its script is in it, because a sandbox without an origin may load nothing. */
async function diagramPage(): Promise<string> {
  // As it is: its variables have to be global.
  const library = await Bun.file(`${ROOT}/node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js`).text();
  const script = `${library}\n${await bundled("web/kit/rich/diagram-page.ts")}`.replaceAll(
    "</script",
    "<\\/script",
  );
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Diagram</title></head><body><script>${script}</script></body></html>\n`;
}

interface Packed {
  path: string;
  /** SHA-256 of the content, shortened: the file's ETag. */
  tag: string;
  compressed: boolean;
  /** Of the script in a page, as a policy names it. */
  scriptHash?: string;
}

async function packFiles(): Promise<Packed[]> {
  const names = (await readdir(`${FOLDER}/files`, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) =>
      `${entry.parentPath}/${entry.name}`.slice(`${FOLDER}/files/`.length).replaceAll("\\", "/"),
    )
    .sort();
  return Promise.all(names.map((path) => packFile(path)));
}

const BEST_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };

/** Returns the result made of the same content before, or makes it now. */
async function kept(name: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
  const file = Bun.file(`${KEPT}/${name}`);
  if (await file.exists()) return file.bytes();
  const made = await make();
  await Bun.write(file, made);
  return made;
}

async function packFile(path: string): Promise<Packed> {
  const file = `${FOLDER}/files/${path}`;
  const bytes = await Bun.file(file).bytes();
  const tag = Bun.CryptoHasher.hash("sha256", bytes, "hex").slice(0, 20);
  const compressed = COMPRESSIBLE.test(path) && bytes.length >= COMPRESSED_FROM_BYTES;
  if (compressed) {
    const [br, gz] = await Promise.all([
      kept(`${tag}.br`, () => promisify(brotliCompress)(bytes, BEST_BROTLI)),
      kept(`${tag}.gz`, () => promisify(gzip)(bytes, { level: 9 })),
    ]);
    await Promise.all([Bun.write(`${file}.br`, br), Bun.write(`${file}.gz`, gz)]);
  }
  return {
    path,
    tag,
    compressed,
    ...(path === DIAGRAM_PAGE ? { scriptHash: scriptHashOf(new TextDecoder().decode(bytes)) } : {}),
  };
}

/** `sha256-…` of the only script in a page. */
export function scriptHashOf(page: string): string {
  const script = page.slice(page.indexOf("<script>") + "<script>".length, page.lastIndexOf("</script>"));
  return `sha256-${new Bun.CryptoHasher("sha256").update(script).digest("base64")}`;
}

function manifest(files: readonly Packed[]): string {
  const imports: string[] = [];
  const rows = files.map(({ path, tag, compressed, scriptHash }, index) => {
    const name = (suffix: string) => `file${index}${suffix}`;
    const take = (suffix: string, ending: string) => {
      imports.push(`import ${name(suffix)} from "./files/${path}${ending}" with { type: "file" };`);
      return name(suffix);
    };
    const plain = take("", "");
    const packed = compressed ? `, br: ${take("b", ".br")}, gzip: ${take("g", ".gz")}` : "";
    const script = scriptHash === undefined ? "" : `, scriptHash: "${scriptHash}"`;
    return `  { path: ${JSON.stringify(`/${path}`)}, tag: "${tag}", file: ${plain}${packed}${script} },`;
  });
  return `${HEADER}import type { UiAsset } from "../ui-asset.ts";\n${imports.join("\n")}\n\nexport const assets: readonly UiAsset[] | undefined = [\n${rows.join("\n")}\n];\n`;
}

if (import.meta.main) await buildUi();
