// Goal: whatever is wrong with an uploaded file, the service answers that it is, and its workers go on; a killed service leaves no upload. In the compiled program, because a test
// runner ends workers by rules of its own.

import { existsSync, readdirSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "bun:test";
import { PDF_TEXT_CHARACTERS_MAX } from "../../src/service/attachments/schema.ts";
import { attach, uploading } from "../kit/service/attaching.ts";
import { eventually } from "../kit/eventually.ts";
import { gif, jpeg, pdf, pdfWith, png, webp } from "../kit/service/sample-files.ts";
import { compiledWorld } from "../kit/service/world.ts";

const SAMPLES = [
  pdf("Hello heron.", "", "Third."),
  pdf("One."),
  png(30, 20),
  jpeg(30, 20),
  gif(30, 20),
  webp(30, 20),
];
const RUNS = 150;

test("answers every damaged file", async () => {
  await using at = await compiledWorld({ model: true });
  const damaged = fc.record({
    sample: fc.constantFrom(...SAMPLES),
    cut: fc.option(fc.nat(1_000)),
    changes: fc.array(fc.tuple(fc.nat(1_200), fc.nat(255)), { minLength: 1, maxLength: 20 }),
  });
  const property = fc.asyncProperty(damaged, async ({ sample, cut, changes }) => {
    const bytes = sample.slice(0, Math.max(1, sample.length - (cut ?? 0)));
    for (const [where, value] of changes) if (where < bytes.length) bytes[where] = value;
    const answer = await uploading(at.admin, at.own, bytes, "damaged");
    const text = await answer.text();
    if (![200, 201].includes(answer.status)) expect(text).toMatch(/"message":"damaged: /);
    expect([200, 201, 400, 413, 415, 422]).toContain(answer.status);
  });
  await fc.assert(property, { numRuns: RUNS });
});

test("stops reading a page that is packed with text", async () => {
  await using at = await compiledWorld({ model: true });
  const line = "1 0 0 1 20 100 Tm (heron heron heron heron heron) Tj ";
  const packed = await attach(at, pdfWith("", `BT /F1 12 Tf ${line.repeat(60_000)} ET`, ""), "packed.pdf");
  expect(packed.pages).toBe(3);
  // All of it would be more than half a million.
  expect(packed.text_tokens).toBeLessThan(PDF_TEXT_CHARACTERS_MAX * 0.4);
  expect(await attach(at, pdf("Next."), "next.pdf")).toMatchObject({ pages: 1 });
});

test("keeps nothing of an upload that a kill ends, and all of one that was answered", async () => {
  await using at = await compiledWorld({ model: true });
  const { hash } = await attach(at, png(), "kept.png");
  const names = (folder: string) => {
    const path = `${at.data}/attachments/${folder}`;
    return existsSync(path) ? readdirSync(path) : [];
  };
  const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(png(9, 9)) });
  const cut = fetch(`${at.url}/api/v1${at.own}/attachments`, { method: "PUT", body }).catch(() => "cut");
  await eventually(() => names("incoming").length, 1);
  await at.restart();
  await cut;
  expect(names("incoming")).toEqual([]);
  expect(names(String(at.workspaceId))).toEqual([hash]);
  const answer = await at.admin.raw("GET", `${at.own}/attachments/${hash}`);
  expect(await answer.bytes()).toEqual(png());
});
