// Files to attach, made by code: small, whole, and of the size and text that a test says.

import { constants, deflateRawSync, deflateSync } from "node:zlib";

/** A grey picture. `salt` makes its bytes others. */
export function png(width = 4, height = 3, salt = ""): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc((width + 1) * height, 0x80);
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0;
  const text = Buffer.from(`Comment\0${salt}`);
  return bytesOf(
    "\x89PNG\r\n\x1a\n",
    chunk("IHDR", header),
    chunk("tEXt", text),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  );
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(Bun.hash.crc32(body), body.length + 4);
  return framed;
}

/** Headers and markers only; nothing decodes it. `padding`: bytes of a comment before the size. */
export function jpeg(width = 4, height = 3, padding = 0): Uint8Array<ArrayBuffer> {
  const size = Buffer.from([
    0xff,
    0xc0,
    0,
    11,
    8,
    height >> 8,
    height & 255,
    width >> 8,
    width & 255,
    1,
    1,
    0x11,
    0,
  ]);
  const comment = Buffer.concat([
    Buffer.from([0xff, 0xfe, (padding + 2) >> 8, (padding + 2) & 255]),
    Buffer.alloc(padding),
  ]);
  return bytesOf("\xff\xd8", comment, size, "\xff\xda\x00\x02", "scan", "\xff\xd9");
}

export function gif(width = 4, height = 3): Uint8Array<ArrayBuffer> {
  return bytesOf(
    "GIF89a",
    Buffer.from([width & 255, width >> 8, height & 255, height >> 8, 0, 0, 0]),
    ";;;;",
  );
}

export function webp(width = 4, height = 3): Uint8Array<ArrayBuffer> {
  const size = Buffer.alloc(10);
  size.writeUIntLE(width - 1, 4, 3);
  size.writeUIntLE(height - 1, 7, 3);
  const body = Buffer.concat([Buffer.from("WEBPVP8X\x0a\0\0\0", "latin1"), size]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return bytesOf("RIFF", length, body);
}

/** One page for each text, in Latin 1 without parentheses. An empty text is a page without any. */
export function pdf(...pages: readonly string[]): Uint8Array<ArrayBuffer> {
  return pdfWith(...pages.map((text) => (text === "" ? "" : `BT /F1 12 Tf 20 100 Td (${text}) Tj ET`)));
}

/** One page for each stream of operators. */
export function pdfWith(...pages: readonly string[]): Uint8Array<ArrayBuffer> {
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(" ");
  const objects = pages.flatMap((stream, index) => [
    pageWith(5 + index * 2),
    `<</Length ${stream.length}>>\nstream\n${stream}\nendstream`,
  ]);
  return pdfOf(CATALOG, `<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`, FONT, ...objects);
}

const CATALOG = "<</Type/Catalog/Pages 2 0 R>>";
const FONT = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";

function pageWith(contents: number): string {
  return `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Resources<</Font<</F1 3 0 R>>>>/Contents ${contents} 0 R>>`;
}

function pdfOf(...objects: readonly string[]): Uint8Array<ArrayBuffer> {
  let file = "%PDF-1.4\n";
  const places = objects.map((object, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const start = file.length;
  const rows = places.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  return bytesOf(`${file}trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`);
}

/** Of about two megabytes; its page unpacks to two gigabytes of spaces. */
export function pdfBomb(): Uint8Array<ArrayBuffer> {
  const part = deflateRawSync(Buffer.alloc(16 * 1024 ** 2, " "), { finishFlush: constants.Z_FULL_FLUSH });
  const parts = Array.from({ length: 128 }, () => part);
  const packed = Buffer.concat([Buffer.from([0x78, 0x9c]), ...parts, deflateRawSync("")]).toString("latin1");
  const page = `<</Length ${packed.length}/Filter/FlateDecode>>\nstream\n${packed}\nendstream`;
  return pdfOf(CATALOG, "<</Type/Pages/Kids[4 0 R]/Count 1>>", FONT, pageWith(5), page);
}

/** Strings are Latin 1. */
function bytesOf(...parts: readonly (string | Buffer)[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part))),
  );
}
