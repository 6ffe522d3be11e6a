// Goal: an upload is bounded, typed by its bytes and complete or absent, whatever ends it; only people who see the workspace reach it; and what no
// message uses goes away.

import { existsSync, readdirSync, rmSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { sha256Hex } from "../../../src/kit/crypto.ts";
import { WORKSPACE_BYTES_MAX } from "../../../src/service/attachments/schema.ts";
import { attach, uploading } from "../../kit/service/attaching.ts";
import { eventually } from "../../kit/eventually.ts";
import { manualClock } from "../../kit/manual-clock.ts";
import { say } from "../../kit/model/index.ts";
import { rawRequest } from "../../kit/http/raw-http.ts";
import { refusal, refusalText } from "../../kit/http/refusal.ts";
import { pdf, pdfBomb, png } from "../../kit/service/sample-files.ts";
import { smallDisk } from "../../kit/small-disk.ts";
import { world, type World } from "../../kit/service/world.ts";

const HOUR_MS = 3_600_000;
const kept = (at: World, workspaceId = at.workspaceId) => {
  const folder = `${at.data}/attachments/${workspaceId}`;
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
};
const incoming = (at: World) =>
  existsSync(`${at.data}/attachments/incoming`) ? readdirSync(`${at.data}/attachments/incoming`) : [];

test("answers what a file is, stores it once, and cleans its name", async () => {
  await using at = await world({ model: true });
  const bytes = png(40, 30);
  const hostile = `../..\\a\u202e\n${"n".repeat(300)}.png`;
  const first = await uploading(at.admin, at.own, bytes, hostile);
  expect(first.status).toBe(201);
  const record = await first.json();
  expect(record).toEqual({
    hash: sha256Hex(bytes),
    name: `a${"n".repeat(195)}.png`,
    kind: "image",
    media_type: "image/png",
    bytes: bytes.length,
    width: 40,
    height: 30,
    pages: null,
    text_tokens: null,
    created_at: expect.stringMatching(/Z$/),
  });
  const again = await uploading(at.admin, at.own, bytes, "b.png");
  expect([again.status, (await again.json()).name]).toEqual([200, "b.png"]);
  expect(kept(at)).toEqual([sha256Hex(bytes)]);
  expect(await attach(at, "no name")).toMatchObject({ name: "attachment", kind: "text" });
  await refusal(
    uploading(at.admin, at.own, new Uint8Array([0, 1, 2]), "x.png"),
    "not_text",
    /^x\.png: attach a PNG/,
  );
  await refusal(
    uploading(at.admin, at.own, "%PDF-1.4 broken", "x.pdf"),
    "refused",
    /^x\.pdf: not a readable PDF/,
  );
  expect({ kept: kept(at).length, incoming: incoming(at) }).toEqual({ kept: 2, incoming: [] });
});

test("gives the bytes only to people who see the workspace, and never as a page", async () => {
  await using at = await world({ model: true, people: { ann: "member", ben: "member" } });
  const { ann, ben } = at.people;
  const place = at.in((await at.workspace("hers", ann)).id);
  const answer = await uploading(ann, place.own, "<script>alert(1)</script>", 'a"\u00e9.html');
  const { hash } = await answer.json();
  const path = `${place.own}/attachments/${hash}`;
  const got = await ann.raw("GET", path);
  expect(await got.text()).toBe("<script>alert(1)</script>");
  const names = [
    "Content-Type",
    "Content-Disposition",
    "X-Content-Type-Options",
    "Content-Security-Policy",
    "Cache-Control",
    "ETag",
  ];
  expect(names.map((name) => got.headers.get(name))).toEqual([
    "text/plain; charset=utf-8",
    `attachment; filename="a__.html"; filename*=UTF-8''a%22%C3%A9.html`,
    "nosniff",
    "default-src 'none'; style-src 'none'; sandbox; frame-ancestors 'none'",
    "private, no-cache",
    `"${hash}"`,
  ]);
  const same = await ann.raw("GET", path, { headers: { "If-None-Match": `"${hash}"` } });
  expect([same.status, await same.text()]).toEqual([304, ""]);
  const picture = await (await uploading(ann, place.own, png(), "a.png")).json();
  const shown = await ann.raw("GET", `${place.own}/attachments/${picture.hash}`);
  expect([shown.headers.get("Content-Type"), shown.headers.get("Content-Disposition")]).toEqual([
    "image/png",
    'inline; filename="a.png"',
  ]);

  const hidden = `not_found: workspace ${place.workspaceId}: not found`;
  expect(await refusalText(ben.raw("GET", path))).toBe(hidden);
  expect(await refusalText(ben.raw("GET", `${place.own}/attachments/${"0".repeat(64)}`))).toBe(hidden);
  expect(await refusalText(uploading(ben, place.own, png()))).toBe(hidden);
  expect(await refusalText(uploading(ben, "/workspaces/999", png()))).toBe(
    "not_found: workspace 999: not found",
  );
  // Another workspace's hash is no way in.
  await refusal(
    at.admin.raw("GET", `${at.own}/attachments/${hash}`),
    "not_found",
    `attachment ${hash}: not found`,
  );
  const chat = { text: "x", attachments: [{ hash }] };
  await refusal(
    at.admin.raw("POST", `${at.own}/chat`, { body: chat }),
    "not_found",
    `attachment ${hash}: not found`,
  );
});

test("refuses a stranger before the body, and a body that is too large before it is read", async () => {
  await using at = await world({ model: true, people: { ben: "member" } });
  const { hostname, port } = new URL(at.url);
  const target = { host: hostname, port: Number(port) };
  const head = (headers: string) =>
    `PUT /api/v1${at.own}/attachments HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${headers}\r\n\r\n`;
  const ben = `Authorization: Bearer ${at.people.ben.token}`;
  expect(await rawRequest(target, head(`${ben}\r\nContent-Length: 1000`))).toMatchObject({ status: 404 });
  expect(await rawRequest(target, head(`Content-Length: ${17 * 1024 * 1024}`))).toMatchObject({
    status: 413,
  });
  expect(kept(at)).toEqual([]);
});

test("leaves nothing of an upload that ends in the middle, or with the process", async () => {
  await using at = await world({ model: true });
  const abort = new AbortController();
  const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(png()) });
  const cut = fetch(`${at.url}/api/v1${at.own}/attachments`, {
    method: "PUT",
    body,
    signal: abort.signal,
  }).catch(() => "cut");
  await eventually(() => incoming(at).length, 1);
  abort.abort();
  await cut;
  await eventually(() => incoming(at), []);
  expect(kept(at)).toEqual([]);

  const { hash } = await attach(at, png());
  const orphan = sha256Hex("orphan");
  await at.restart(async (data) => {
    await mkdir(`${data}/attachments/incoming`, { recursive: true });
    await Bun.write(`${data}/attachments/incoming/half`, "half");
    await Bun.write(`${data}/attachments/${at.workspaceId}/${orphan}`, "orphan");
  });
  expect(incoming(at)).toEqual([]);
  await eventually(() => kept(at), [hash]);
});

test("refuses an upload that the disk has no room for, keeps nothing of it, and takes it when there is room", async () => {
  await using at = await world({ model: true });
  await using disk = await smallDisk({ path: at.data }, "attachments");
  if (!disk) return;
  await attach(at, "before");
  const before = kept(at);
  await disk.fill();
  const large = "a".repeat(200_000);
  await refusal(
    uploading(at.admin, at.own, large, "a.txt"),
    "unavailable",
    /^the disk is full; nothing was changed/,
  );
  expect({ kept: kept(at), incoming: incoming(at) }).toEqual({ kept: before, incoming: [] });
  await disk.free();
  expect(await attach(at, large, "a.txt")).toMatchObject({ name: "a.txt", bytes: large.length });
  expect({ kept: kept(at).length, incoming: incoming(at) }).toEqual({ kept: 2, incoming: [] });
});

test("sweeps what no message uses after a day, and keeps what one uses", async () => {
  const clock = manualClock();
  await using at = await world({ model: true, clock });
  const used = await attach(at, png(5, 5), "used.png");
  await attach(at, png(6, 6), "unused.png");
  at.model.script("boss", [say("Seen.")]);
  await at.end(await at.begin("Look.", { attachments: [{ hash: used.hash }] }));
  clock.advance(25 * HOUR_MS);
  const fresh = await attach(at, png(7, 7));
  await eventually(() => kept(at), [used.hash, fresh.hash].toSorted());
});

test("refuses a PDF that unpacks without end, and keeps nothing of it", async () => {
  await using at = await world({ model: true });
  await refusal(
    uploading(at.admin, at.own, pdfBomb(), "bomb.pdf"),
    "refused",
    "bomb.pdf: takes too long or too much memory to read; attach a smaller part of it",
    { job: "reading the attachment", limit_bytes: 768 * 1024 ** 2 },
  );
  expect({ kept: kept(at), incoming: incoming(at) }).toEqual({ kept: [], incoming: [] });
  expect(await attach(at, pdf("Hello."), "fine.pdf")).toMatchObject({ kind: "pdf", pages: 1 });
});

test("bounds a message and a workspace", async () => {
  await using at = await world({ model: true });
  const { hash } = await attach(at, png());
  const chat = (attachments: object[]) =>
    at.admin.raw("POST", `${at.own}/chat`, { body: { text: "", attachments } });
  await refusal(chat(Array.from({ length: 11 }, () => ({ hash }))), "invalid", /^attachments: /);
  await refusal(chat([{ hash: "x" }]), "invalid", /^attachments\.0\.hash: /);
  await refusal(chat([]), "invalid", "text: must not be empty");
  const large = Buffer.concat([pdf("x"), Buffer.alloc(15 * 1024 * 1024)]);
  const paper = await attach(at, large, "large.pdf");
  await refusal(
    chat([{ hash: paper.hash }, { hash: paper.hash }]),
    "too_large",
    "the attachments of a message may have at most 20971520 bytes",
    { limit_bytes: 20_971_520 },
  );
  await at.restart((data) => {
    using db = new Database(`${data}/service.db`);
    db.run("UPDATE attachments SET bytes = ? WHERE kind = 'image'", [
      WORKSPACE_BYTES_MAX - large.length - 10,
    ]);
  });
  await refusal(
    uploading(at.admin, at.own, png(9, 9)),
    "refused",
    /^the workspace has \d+ bytes of attachments, and may have 536870912; continue in another workspace$/,
    { limit_bytes: WORKSPACE_BYTES_MAX, used_bytes: WORKSPACE_BYTES_MAX - 10 },
  );
  expect(kept(at)).toHaveLength(2);
});

test("deletes the files with the workspace, and not those of a clone or of the original", async () => {
  await using at = await world({ model: true });
  const bytes = png();
  const { hash } = await attach(at, bytes);
  const copy = await at.admin.post(`${at.own}/clone`, { name: "copy" });
  const inCopy = { admin: at.admin, own: `/workspaces/${copy.id}` };
  await attach(inCopy, bytes);
  await at.admin.delete(`/workspaces/${copy.id}`);
  await eventually(() => kept(at, copy.id), []);
  const got = await at.admin.raw("GET", `${at.own}/attachments/${hash}`);
  expect(await got.bytes()).toEqual(bytes);
});

test("fails the call, and says what to do, when a stored file was changed; the same file again mends it", async () => {
  await using at = await world({ model: true });
  await at.admin.patch(`/models/${at.bossId}`, { images: true });
  const { hash } = await attach(at, png(), "a.png");
  const changed = Uint8Array.from(png());
  changed[changed.length - 1]! ^= 1;
  await Bun.write(`${at.data}/attachments/${at.workspaceId}/${hash}`, changed);
  const turn = await at.end(await at.begin("Look.", { attachments: [{ hash }] }));
  expect(turn).toMatchObject({
    status: "failed",
    error:
      "attachment a.png is missing from the data directory or was modified; attach the same file again, or forget its message, to continue",
  });
  expect(await attach(at, png(), "a.png")).toMatchObject({ hash });
  at.model.script("boss", [say("A picture.")]);
  expect((await at.end(await at.begin("Look again."))).status).toBe("done");
  rmSync(`${at.data}/attachments/${at.workspaceId}/${hash}`);
  expect((await at.end(await at.begin("And now?"))).status).toBe("failed");
  await at.admin.delete(`/entries/${(await at.entries())[0]!.id}`);
  await at.expectNextTurnWorks();
});
