// Keeps the graph of a large space in a file, so that a command that runs again on an unchanged space need not read all links. The file is derived:
// a missing, damaged or outdated one costs time and nothing else.
//
// A line of JSON says what the graph belongs to and how long each list is; the lists follow as they are in memory, then paths and targets, one on
// a line. Numbers have the byte order of the machine; a file from a machine with the other order fails its check.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Type, type Static } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { replaceFile } from "../../kit/replace-file.ts";
import { closed } from "../../kit/schema.ts";
import { version } from "../../kit/version.ts";
import type { GraphData } from "./graph-data.ts";
import { LinkGraph } from "./link-graph.ts";
import { GraphTotals } from "./schema.ts";

const FILE = "graph.cache";
const BY = `${version.version} ${version.commit}`;
/** With fewer files and links, building the graph is as fast as reading it. */
const KEPT_FROM = 5_000;
const NUMBER_BYTES = 4;
const LINE_FEED = 10;
const HEADER_BYTES_MAX = 4_096;

const Header = closed({
  /** Another program may resolve links differently. */
  by: Type.String(),
  /** Of the files that the graph was made from. */
  fingerprint: Type.String(),
  /** Of everything after the header. */
  check: Type.String(),
  totals: GraphTotals,
  pathsBytes: Type.Integer({ minimum: 0 }),
});
type Header = Static<typeof Header>;

/** `own`: the directory `.cairn` of a space. Undefined: there is none for these files. */
export function readGraph(own: string, fingerprint: string): LinkGraph | undefined {
  try {
    const bytes = readFileSync(join(own, FILE));
    const end = bytes.subarray(0, HEADER_BYTES_MAX).indexOf(LINE_FEED);
    const header: unknown = JSON.parse(bytes.toString("utf8", 0, end));
    if (!Value.Check(Header, header) || header.fingerprint !== fingerprint || header.by !== BY)
      return undefined;
    // A copy, because lists of numbers have to begin at a multiple of their size.
    const body = new Uint8Array(bytes.subarray(end + 1));
    return checkOf(body) === header.check ? new LinkGraph(new StoredGraph(header, body)) : undefined;
  } catch {
    return undefined;
  }
}

/** Raises errors of the disk. */
export async function keepGraph(own: string, fingerprint: string, { data }: LinkGraph): Promise<void> {
  if (data.paths.length + data.to.length < KEPT_FROM) return;
  const paths = new TextEncoder().encode(data.paths.join("\n"));
  const lists = [data.from, data.to, data.lines, data.orphans, data.kinds].map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  );
  const body = Buffer.concat([...lists, paths, new TextEncoder().encode(data.targets.join("\n"))]);
  const { totals } = data;
  const header: Header = { by: BY, fingerprint, check: checkOf(body), totals, pathsBytes: paths.length };
  await replaceFile(join(own, FILE), Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]));
}

function checkOf(body: Uint8Array): string {
  return Bun.hash(body).toString(36);
}

/** Texts are decoded when they are needed: totals need none. */
class StoredGraph implements GraphData {
  readonly totals: GraphTotals;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly lines: Int32Array;
  readonly orphans: Int32Array;
  readonly kinds: Uint8Array;
  readonly #pathBytes: Uint8Array;
  readonly #targetBytes: Uint8Array;
  #paths: readonly string[] | undefined;
  #targets: readonly string[] | undefined;

  constructor({ totals, pathsBytes }: Header, { buffer }: Uint8Array<ArrayBuffer>) {
    this.totals = totals;
    let at = 0;
    const numbers = (count: number) => {
      const list = new Int32Array(buffer, at, count);
      at += count * NUMBER_BYTES;
      return list;
    };
    this.from = numbers(totals.links);
    this.to = numbers(totals.links);
    this.lines = numbers(totals.links);
    this.orphans = numbers(totals.orphans);
    this.kinds = new Uint8Array(buffer, at, totals.links);
    at += totals.links;
    this.#pathBytes = new Uint8Array(buffer, at, pathsBytes);
    this.#targetBytes = new Uint8Array(buffer, at + pathsBytes);
  }

  get paths(): readonly string[] {
    return (this.#paths ??= linesOf(this.#pathBytes));
  }

  get targets(): readonly string[] {
    return (this.#targets ??= linesOf(this.#targetBytes));
  }
}

/** No path and no target has a line feed. */
function linesOf(bytes: Uint8Array): readonly string[] {
  return bytes.length === 0 ? [] : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).split("\n");
}
