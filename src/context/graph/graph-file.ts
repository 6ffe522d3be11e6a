// Keeps the graph of a large space in a file, so that a command that runs again on an unchanged space need not read all links. The file is derived:
// a missing, damaged or outdated one costs time and nothing else.
//
// A line of JSON says what the graph belongs to and how long each list is; the lists follow as they are in memory, then paths and targets, one on
// a line. Numbers have the byte order of the machine; a file from a machine with the other order fails its check.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Type, type Static } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { replaceFile } from "../../kit/disk/replace-file.ts";
import { closed } from "../../kit/schema.ts";
import { version } from "../../kit/version.ts";
import { FACTS_PER_FILE, type Head, type Look } from "../versioned-store/engine.ts";
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

/** A graph, and what it was made from. */
interface KeptGraph {
  readonly graph: LinkGraph;
  readonly head: Head;
  readonly look: Look;
  /** See `FileEngine.glance`; empty: it was not known. */
  readonly glance: string;
}

const Header = closed({
  /** Another program may resolve links differently. */
  by: Type.String(),
  /** Of the files that the graph was made from. */
  fingerprint: Type.String(),
  glance: Type.String(),
  epoch: Type.String(),
  seq: Type.Integer({ minimum: 0 }),
  files: Type.Integer({ minimum: 0 }),
  namesBytes: Type.Integer({ minimum: 0 }),
  /** Of everything else. */
  check: Type.String(),
  totals: GraphTotals,
  pathsBytes: Type.Integer({ minimum: 0 }),
});
type Header = Static<typeof Header>;

/** `own`: the directory `.cairn` of a space. Undefined: there is none. */
export function readGraph(own: string): KeptGraph | undefined {
  try {
    const bytes = readFileSync(join(own, FILE));
    const end = bytes.subarray(0, HEADER_BYTES_MAX).indexOf(LINE_FEED);
    const header: unknown = JSON.parse(bytes.toString("utf8", 0, end));
    if (!Value.Check(Header, header) || header.by !== BY) return undefined;
    // A copy, because lists of numbers have to begin at a multiple of their size.
    const body = new Uint8Array(bytes.subarray(end + 1));
    if (checkOf(body, header) !== header.check) return undefined;
    const { epoch, seq, fingerprint, glance } = header;
    const stored = new StoredGraph(header, body);
    const look = {
      fingerprint,
      facts: stored.facts,
      get names() {
        return stored.names;
      },
    };
    return { graph: new LinkGraph(stored), head: { epoch, seq }, look, glance };
  } catch {
    return undefined;
  }
}

/** Raises errors of the disk. */
export async function keepGraph(
  own: string,
  { graph: { data }, head, look, glance }: KeptGraph,
): Promise<void> {
  if (data.paths.length + data.to.length < KEPT_FROM) return;
  const encoder = new TextEncoder();
  const [names, paths] = [encoder.encode(look.names), encoder.encode(data.paths.join("\n"))];
  // The longest numbers come first, because lists have to begin at a multiple of their size.
  const lists = [look.facts, data.from, data.to, data.lines, data.orphans, data.kinds].map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  );
  const body = Buffer.concat([...lists, names, paths, encoder.encode(data.targets.join("\n"))]);
  const facts = {
    by: BY,
    fingerprint: look.fingerprint,
    glance,
    ...head,
    files: look.facts.length / FACTS_PER_FILE,
    namesBytes: names.length,
    totals: data.totals,
    pathsBytes: paths.length,
  };
  const header: Header = { ...facts, check: checkOf(body, facts) };
  await replaceFile(join(own, FILE), Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]));
}

/** Of the body and everything else in the header. */
function checkOf(body: Uint8Array, header: Omit<Header, "check">): string {
  const { by, fingerprint, glance, epoch, seq, files, namesBytes, pathsBytes } = header;
  const facts = JSON.stringify([by, fingerprint, glance, epoch, seq, files, namesBytes, pathsBytes]);
  return `${Bun.hash(body).toString(36)}-${Bun.hash(facts).toString(36)}`;
}

/** Texts are decoded when they are needed: totals need none. */
class StoredGraph implements GraphData {
  readonly totals: GraphTotals;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly lines: Int32Array;
  readonly orphans: Int32Array;
  readonly kinds: Uint8Array;
  readonly facts: Float64Array;
  readonly #nameBytes: Uint8Array;
  readonly #pathBytes: Uint8Array;
  readonly #targetBytes: Uint8Array;
  #paths: readonly string[] | undefined;
  #targets: readonly string[] | undefined;

  constructor({ totals, files, namesBytes, pathsBytes }: Header, { buffer }: Uint8Array<ArrayBuffer>) {
    this.totals = totals;
    this.facts = new Float64Array(buffer, 0, files * FACTS_PER_FILE);
    let at = this.facts.byteLength;
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
    this.#nameBytes = new Uint8Array(buffer, at, namesBytes);
    at += namesBytes;
    this.#pathBytes = new Uint8Array(buffer, at, pathsBytes);
    this.#targetBytes = new Uint8Array(buffer, at + pathsBytes);
  }

  get names(): string {
    return textOf(this.#nameBytes);
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
  return bytes.length === 0 ? [] : textOf(bytes).split("\n");
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
