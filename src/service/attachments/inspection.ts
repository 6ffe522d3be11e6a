// Finds out what an uploaded file is, from its bytes alone: neither its name nor its declared type counts. Runs in a worker.

import { AppError } from "../../kit/error.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";
import { imageFacts, type ImageFacts } from "./image-facts.ts";
import type { Inspected, Inspection } from "./inspection-job.ts";
import { IMAGE_BYTES_MAX, IMAGE_SIDE_PIXELS_MAX, TEXT_BYTES_MAX } from "./schema.ts";

/** The header of a PDF may stand behind other bytes. */
const PDF_HEADER_WITHIN_BYTES = 1024;
/** Counting one word of this many characters takes a second. */
const COUNTED_CHARACTERS_MAX = 100_000;
const NOTHING = { width: null, height: null, pages: null, text: null, textTokens: null };

/** Raises `not_text` for anything but an image, a PDF or text, `too_large`, `refused` for a broken file. */
export async function inspect({ path, name }: Inspection): Promise<Inspected> {
  const bytes = await Bun.file(path).bytes();
  if (bytes.length === 0) throw new AppError("invalid", `${name}: empty; attach a file with content`);
  const image = imageFacts(bytes);
  if (image === "broken")
    throw new AppError("refused", `${name}: a broken or incomplete image; attach a whole one`);
  if (image) return inspectedImage(image, bytes.length, name);
  if (isPdf(bytes)) {
    const { readPdf } = await import("./pdf-text.ts");
    const { pages, text } = await readPdf(bytes, name);
    return {
      ...NOTHING,
      kind: "pdf",
      mediaType: "application/pdf",
      pages,
      text,
      textTokens: await tokensOf(text),
    };
  }
  const text = textOf(bytes);
  if (text === undefined)
    throw new AppError("not_text", `${name}: attach a PNG, JPEG, WebP or GIF image, a PDF or a text file`);
  requireBytes(bytes.length, TEXT_BYTES_MAX, name, "a text file");
  if (text.trim() === "") throw new AppError("invalid", `${name}: contains only whitespace`);
  return { ...NOTHING, kind: "text", mediaType: "text/plain", text, textTokens: await tokensOf(text) };
}

function inspectedImage({ mediaType, width, height }: ImageFacts, bytes: number, name: string): Inspected {
  requireBytes(bytes, IMAGE_BYTES_MAX, name, "an image");
  if (Math.max(width, height) > IMAGE_SIDE_PIXELS_MAX)
    throw new AppError(
      "too_large",
      `${name}: ${width} × ${height} pixels; models take at most ${IMAGE_SIDE_PIXELS_MAX} on a side, so scale it down`,
      { limit_pixels: IMAGE_SIDE_PIXELS_MAX },
    );
  return { ...NOTHING, kind: "image", mediaType, width, height };
}

function requireBytes(bytes: number, limit: number, name: string, what: string): void {
  if (bytes <= limit) return;
  throw new AppError("too_large", `${name}: ${bytes} bytes; ${what} may have at most ${limit}`, {
    limit_bytes: limit,
  });
}

function isPdf(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, PDF_HEADER_WITHIN_BYTES);
  return Buffer.from(head.buffer, head.byteOffset, head.byteLength).includes("%PDF-");
}

/** UTF-8, or UTF-16 with a byte order mark, as some editors save. Undefined: not text. */
function textOf(bytes: Uint8Array): string | undefined {
  const mark = bytes.length >= 2 ? (bytes[0]! << 8) | bytes[1]! : 0;
  const wide = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : undefined;
  const text = wide === undefined ? decodeUtf8(bytes)?.replace(/^\ufeff/, "") : wideText(wide, bytes);
  return text?.includes("\0") ? undefined : text;
}

function wideText(encoding: "utf-16le" | "utf-16be", bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding as "utf-16le", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** An estimate: the beginning of a long text stands for all of it. */
async function tokensOf(text: string): Promise<number> {
  if (text === "") return 0;
  const { countTexts } = await import("../../kit/text/token-count.ts");
  const beginning = text.slice(0, COUNTED_CHARACTERS_MAX).toWellFormed();
  return Math.ceil((countTexts([beginning])[0]! * text.length) / beginning.length);
}
