// One entry of the log in the object storage: the changes of databases and files since the entry before. As bytes: the length of its head in four
// bytes (big-endian), the head as JSON, the content of its parts one after another, all compressed with zstd.

import { createZstdDecompress } from "node:zlib";
import { Type, type Static } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { joinedInTurns, sha256InTurns } from "../concurrency/bytes-in-turns.ts";
import { AppError, systemCode } from "../error.ts";
import { closed, oneOf } from "../schema.ts";
import { parsedJson } from "../text/parsed-json.ts";

const ENTRY_FORMAT = 1;
const ZSTD_LEVEL = 1;
const LENGTH_BYTES = 4;
const CHUNK_BYTES = 1024 * 1024;
/** No entry of the program unpacks to more than one of these: pages of documents shrink to a third. */
const UNPACKED_BYTES_MAX = 1024 * 1024 * 1024;
const UNPACKED_TIMES_MAX = 100;

const Place = Type.String({ minLength: 1, description: "a path in the data directory, with / as separator" });

const PagesHead = closed({
  kind: Type.Literal("pages"),
  file: Place,
  page_size: Type.Integer({ minimum: 512, maximum: 65_536 }),
  size: Type.Integer({ minimum: 1, description: "of the database afterwards, in pages" }),
  numbers: Type.Array(Type.Integer({ minimum: 1 })),
});
const AppendHead = closed({
  kind: Type.Literal("append"),
  file: Place,
  at: Type.Integer({ minimum: 0, description: "the offset; the file ends after these bytes" }),
  bytes: Type.Integer({ minimum: 0 }),
});
const RemoveHead = closed({ kind: Type.Literal("remove"), file: Place });
const PartHead = Type.Union([PagesHead, AppendHead, RemoveHead]);
type PartHead = Static<typeof PartHead>;

const EntryHead = closed({
  format: Type.Literal(ENTRY_FORMAT),
  seq: Type.Integer({ minimum: 1 }),
  /**
   * `takeover`: the node leads from here on, and every earlier leader finds its next number taken. `beginning`: a takeover with files that hold more
   * than the entries before, so that nobody may go on from these entries or from a snapshot before it.
   */
  kind: oneOf(["changes", "takeover", "beginning"]),
  node: Type.String(),
  /** The SHA-256 of the entry before, hex; empty for the first. */
  previous: Type.String(),
  parts: Type.Array(PartHead),
});
type EntryHead = Static<typeof EntryHead>;

/** Pages of a database; it is a complete database again after all parts of an entry. */
export interface PagesPart {
  readonly kind: "pages";
  readonly file: string;
  readonly pageSize: number;
  /** Of the database afterwards, in pages. */
  readonly size: number;
  readonly pages: ReadonlyMap<number, Uint8Array>;
}

/** Bytes of a file that only grows. */
export interface AppendPart {
  readonly kind: "append";
  readonly file: string;
  readonly at: number;
  readonly content: Uint8Array;
}

/** A file or a folder that is gone. */
interface RemovePart {
  readonly kind: "remove";
  readonly file: string;
}

export type Part = PagesPart | AppendPart | RemovePart;

export interface Entry extends Pick<EntryHead, "seq" | "kind" | "node" | "previous"> {
  /** To be applied in this order. */
  readonly parts: readonly Part[];
}

export async function encodeEntry({ parts, ...rest }: Entry): Promise<Uint8Array> {
  const head: EntryHead = { format: ENTRY_FORMAT, ...rest, parts: parts.map(headOf) };
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(text.length);
  const content = await joinedInTurns([length, text, ...parts.flatMap(contentOf)]);
  return Bun.zstdCompress(content as Uint8Array<ArrayBuffer>, { level: ZSTD_LEVEL });
}

/** Returns the identity of an entry, to which the next one refers. */
export function entryHash(bytes: Uint8Array): Promise<string> {
  return sha256InTurns(bytes);
}

/**
 * Raises `invalid` for anything but the entry with this number, also one that unpacks to more than `bytesMax`, and `refused` for one of a newer version
 * of the program.
 */
export async function decodeEntry(
  bytes: Uint8Array,
  seq: number,
  bytesMax = Math.max(UNPACKED_BYTES_MAX, UNPACKED_TIMES_MAX * bytes.length),
): Promise<Entry> {
  const content = await unpacked(bytes, seq, bytesMax);
  const head = content && parsedHead(content);
  const format = (head as { format?: unknown } | undefined)?.format;
  if (typeof format === "number" && format > ENTRY_FORMAT)
    throw new AppError(
      "refused",
      `entry ${seq} of the replication log has format ${format}, from a newer version; this version reads format ${ENTRY_FORMAT}, so update this node first`,
    );
  if (content === undefined || !Value.Check(EntryHead, head) || head.seq !== seq) throw damaged(seq);
  let at = LENGTH_BYTES + content.readUInt32BE(0);
  const take = (count: number) => {
    if (at + count > content.length) throw damaged(seq);
    return content.subarray(at, (at += count));
  };
  const { kind, node, previous } = head;
  const parts = head.parts.map((part) => partOf(part, take, seq));
  if (at !== content.length) throw damaged(seq);
  return { seq, kind, node, previous, parts };
}

/** In pieces, because the bucket may be written by others: a few bytes of theirs must not fill the memory. Undefined: not packed as an entry is. */
async function unpacked(bytes: Uint8Array, seq: number, bytesMax: number): Promise<Buffer | undefined> {
  const zstd = createZstdDecompress({ chunkSize: CHUNK_BYTES });
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    zstd.end(bytes);
    for await (const piece of zstd as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > bytesMax)
        throw new AppError(
          "invalid",
          `entry ${seq} of the replication log unpacks to more than ${bytesMax} bytes, more than nodes write; check who else writes into the bucket`,
          { reason: "damaged" },
        );
      pieces.push(piece);
    }
  } catch (error) {
    if (/^Z(STD)?_/.test(systemCode(error) ?? "")) return undefined;
    throw error;
  }
  return joinedInTurns(pieces);
}

function headOf(part: Part): PartHead {
  switch (part.kind) {
    case "pages":
      return {
        kind: "pages",
        file: part.file,
        page_size: part.pageSize,
        size: part.size,
        numbers: [...part.pages.keys()],
      };
    case "append":
      return { kind: "append", file: part.file, at: part.at, bytes: part.content.length };
    case "remove":
      return part;
  }
}

function contentOf(part: Part): Uint8Array[] {
  if (part.kind === "pages") return [...part.pages.values()];
  return part.kind === "append" ? [part.content] : [];
}

function partOf(head: PartHead, take: (count: number) => Uint8Array, seq: number): Part {
  if (!isInside(head.file)) throw damaged(seq);
  switch (head.kind) {
    case "pages": {
      const { file, page_size: pageSize, size } = head;
      const pages = new Map(head.numbers.map((number) => [number, take(pageSize)] as const));
      return { kind: "pages", file, pageSize, size, pages };
    }
    case "append":
      return { kind: "append", file: head.file, at: head.at, content: take(head.bytes) };
    case "remove":
      return head;
  }
}

/** The bucket may be written by others: no path may lead out of the data directory. */
export function isInside(file: string): boolean {
  return !/[\\\0:]/.test(file) && file.split("/").every((name) => !["", ".", ".."].includes(name));
}

function parsedHead(content: Buffer): unknown {
  if (content.length < LENGTH_BYTES) return undefined;
  const length = content.readUInt32BE(0);
  return parsedJson(content.toString("utf8", LENGTH_BYTES, LENGTH_BYTES + length));
}

function damaged(seq: number): AppError {
  return new AppError("invalid", `entry ${seq} of the replication log is damaged`, { reason: "damaged" });
}
