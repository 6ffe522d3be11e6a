// Goal: the type of a file is detected from its content; broken, hostile and foreign files are refused with the reason, and none ends the reader.

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { imageFacts } from "../../../src/service/attachments/image-facts.ts";
import { inspect } from "../../../src/service/attachments/inspection.ts";
import { IMAGE_BYTES_MAX, PDF_PAGES_MAX, TEXT_BYTES_MAX } from "../../../src/service/attachments/schema.ts";
import { AppError } from "../../../src/kit/error.ts";
import { temporaryFolder } from "../../kit/folder.ts";
import { gif, jpeg, pdf, png, webp } from "../../kit/service/sample-files.ts";

const NAME = "file";
const NOTHING = { width: null, height: null, pages: null, text: null, textTokens: null };

async function inspected(content: Uint8Array | string) {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/${NAME}`;
  await Bun.write(path, content);
  return await inspect({ path, name: NAME });
}

const refused = (content: Uint8Array | string) =>
  inspected(content).then(
    () => "accepted",
    (error: unknown) => (error instanceof AppError ? `${error.code}: ${error.message}` : error),
  );

test.each([
  ["image/png", png(640, 480)],
  ["image/jpeg", jpeg(640, 480)],
  ["image/jpeg", jpeg(640, 480, 60_000)],
  ["image/gif", gif(640, 480)],
  ["image/webp", webp(640, 480)],
] as const)("reads the size of %s", async (mediaType, bytes) => {
  expect(await inspected(bytes)).toEqual({ ...NOTHING, kind: "image", mediaType, width: 640, height: 480 });
});

test("reads the text of PDFs, and takes text in UTF-8 and UTF-16", async () => {
  expect(await inspected(pdf("Hello heron.", "Second page."))).toEqual({
    ...NOTHING,
    kind: "pdf",
    mediaType: "application/pdf",
    pages: 2,
    text: "Hello heron.\n\nSecond page.",
    textTokens: 7,
  });
  expect(await inspected(pdf(""))).toMatchObject({ pages: 1, text: "", textTokens: 0 });
  expect(await inspected("<svg onload='x()'/>")).toMatchObject({ kind: "text", mediaType: "text/plain" });
  const wide = new Uint8Array([0xff, 0xfe, ...new Uint8Array(Buffer.from("höhe", "utf16le"))]);
  expect(await inspected(wide)).toMatchObject({ kind: "text", text: "höhe" });
  expect(await inspected("\ufeffmarked")).toMatchObject({ text: "marked" });
});

test("refuses everything else, and says what to do", async () => {
  const other = "not_text: file: attach a PNG, JPEG, WebP or GIF image, a PDF or a text file";
  const broken = "refused: file: a broken or incomplete image; attach a whole one";
  const cut = (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 6);
  expect({
    empty: await refused(""),
    blank: await refused(" \n\t"),
    binary: await refused(new Uint8Array([1, 2, 0, 255])),
    nul: await refused("a\0b"),
    cutPng: await refused(cut(png(9, 9))),
    cutJpeg: await refused(cut(jpeg())),
    emptyPng: await refused(png(0, 5)),
    wide: await refused(png(8_001, 1)),
    largeText: await refused("a".repeat(TEXT_BYTES_MAX + 1)),
    largeImage: await refused(Buffer.concat([png(2, 2), Buffer.alloc(IMAGE_BYTES_MAX)])),
    brokenPdf: await refused("%PDF-1.7\nnothing"),
    longPdf: await refused(pdf(...Array.from({ length: PDF_PAGES_MAX + 1 }, () => ""))),
  }).toEqual({
    empty: "invalid: file: empty; attach a file with content",
    blank: "invalid: file: contains only whitespace",
    binary: other,
    nul: other,
    cutPng: broken,
    cutJpeg: broken,
    emptyPng: broken,
    wide: "too_large: file: 8001 × 1 pixels; models take at most 8000 on a side, so scale it down",
    largeText: `too_large: file: ${TEXT_BYTES_MAX + 1} bytes; a text file may have at most ${TEXT_BYTES_MAX}`,
    largeImage: `too_large: file: ${IMAGE_BYTES_MAX + png(2, 2).length} bytes; an image may have at most ${IMAGE_BYTES_MAX}`,
    brokenPdf: "refused: file: not a readable PDF; open it, save it again and attach the copy",
    longPdf: `too_large: file: has ${PDF_PAGES_MAX + 1} pages; attach at most ${PDF_PAGES_MAX}`,
  });
});

const SAMPLES = [png(30, 20), jpeg(30, 20), gif(30, 20), webp(30, 20)];

test("survives damaged images", () => {
  const damaged = fc.record({
    sample: fc.constantFrom(...SAMPLES),
    cut: fc.nat(80),
    changes: fc.array(fc.tuple(fc.nat(79), fc.nat(255)), { maxLength: 8 }),
  });
  const property = fc.property(damaged, ({ sample, cut, changes }) => {
    const bytes = sample.slice(0, Math.max(1, sample.length - cut));
    for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
    const facts = imageFacts(bytes);
    if (facts === undefined || facts === "broken") return;
    expect(facts.width > 0 && facts.height > 0).toBe(true);
  });
  fc.assert(property, { numRuns: 2_000 });
});
