// Recognises images by their bytes, and reads their size in pixels from their headers. Pure; nothing is decoded.
// Formats: PNG (RFC 2083), JPEG (ITU-T T.81, B.1), GIF89a, WebP (RFC 9649).

export interface ImageFacts {
  readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  readonly width: number;
  readonly height: number;
}

/** Chunks or segments of one file that are looked at. Real files have a few hundred. */
const PARTS_MAX = 100_000;

/** `broken`: it begins like an image, but is cut off or not well formed. Undefined: not an image. */
export function imageFacts(bytes: Uint8Array): ImageFacts | "broken" | undefined {
  const reader = READERS.find(({ begins }) => begins(bytes));
  if (!reader) return undefined;
  const size = reader.sizeOf(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), bytes);
  if (!size || size.width === 0 || size.height === 0) return "broken";
  return { mediaType: reader.mediaType, ...size };
}

type Size = Pick<ImageFacts, "width" | "height">;

interface Reader {
  readonly mediaType: ImageFacts["mediaType"];
  readonly begins: (bytes: Uint8Array) => boolean;
  readonly sizeOf: (view: DataView, bytes: Uint8Array) => Size | undefined;
}

const READERS: readonly Reader[] = [
  { mediaType: "image/png", begins: startsWith("\x89PNG\r\n\x1a\n"), sizeOf: pngSize },
  { mediaType: "image/jpeg", begins: startsWith("\xff\xd8\xff"), sizeOf: jpegSize },
  { mediaType: "image/gif", begins: (bytes) => /^GIF8[79]a$/.test(ascii(bytes, 0, 6)), sizeOf: gifSize },
  {
    mediaType: "image/webp",
    begins: (bytes) => ascii(bytes, 0, 4) === "RIFF" && ascii(bytes, 8, 4) === "WEBP",
    sizeOf: webpSize,
  },
];

function startsWith(text: string): Reader["begins"] {
  return (bytes) => ascii(bytes, 0, text.length) === text;
}

/** Latin 1, so that each byte is one character. */
function ascii(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}

/** Chunks up to IEND; the first is IHDR. */
function pngSize(view: DataView, bytes: Uint8Array): Size | undefined {
  let size: Size | undefined;
  for (let at = 8, part = 0; at + 12 <= view.byteLength && part < PARTS_MAX; part++) {
    const length = view.getUint32(at);
    const type = ascii(bytes, at + 4, 4);
    if (part === 0 && (type !== "IHDR" || length !== 13 || at + 25 > view.byteLength)) return undefined;
    if (part === 0) size = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
    if (type === "IEND") return size;
    at += 12 + length;
  }
  return undefined;
}

/** Segments up to the start of the scan; a frame header has the size. The file must have an end marker after it. */
function jpegSize(view: DataView, bytes: Uint8Array): Size | undefined {
  let size: Size | undefined;
  for (let at = 2, part = 0; at + 4 <= view.byteLength && part < PARTS_MAX; part++) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    // Fill bytes, and markers without a length.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else {
      if (isFrame(marker) && at + 9 <= view.byteLength)
        size = { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
      const length = view.getUint16(at + 2);
      if (length < 2) return undefined;
      at += 2 + length;
      if (marker === 0xda) return hasEnd(bytes, at) ? size : undefined;
    }
  }
  return undefined;
}

/** SOF0 to SOF15 without DHT, JPG and DAC. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function hasEnd(bytes: Uint8Array, from: number): boolean {
  return (
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).lastIndexOf(
      "\xff\xd9",
      bytes.length,
      "latin1",
    ) >= from
  );
}

function gifSize(view: DataView): Size | undefined {
  if (view.byteLength < 14) return undefined;
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function webpSize(view: DataView, bytes: Uint8Array): Size | undefined {
  if (view.byteLength < 30 || view.getUint32(4, true) + 8 > view.byteLength) return undefined;
  const kind = ascii(bytes, 12, 4);
  if (kind === "VP8 " && ascii(bytes, 23, 3) === "\x9d\x01\x2a")
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (kind === "VP8L" && view.getUint8(20) === 0x2f) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  if (kind === "VP8X") return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
  return undefined;
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}
