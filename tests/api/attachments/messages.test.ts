// Goal: what is attached to a message reaches the model in the form of its protocol, the same in every later turn, until the message is forgotten;
// a model that cannot read it is named before anything is sent; and the exact prompt shows all of it.

import { describe, expect, test } from "bun:test";
import { sha256Hex } from "../../../src/kit/crypto.ts";
import type { SentAttachment } from "../../../src/service/attachments/schema.ts";
import { attach } from "../../kit/service/attaching.ts";
import { httpError, say } from "../../kit/model/index.ts";
import { refusal } from "../../kit/http/refusal.ts";
import { gif, jpeg, pdf, png, webp } from "../../kit/service/sample-files.ts";
import { protocols, QUICK, world, type Protocol, type World } from "../../kit/service/world.ts";

const IMAGES = { "a.png": png(6, 5), "b.jpg": jpeg(6, 5), "c.webp": webp(6, 5), "d.gif": gif(6, 5) };
const TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"];
const PDF = pdf("Herons fly.");
const TEXT = "one heron\n";

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const heading = (name: string, type: string, bytes: number) =>
  `[Attachment "${name}" (${type}, ${bytes} bytes)]`;

/** The content of the first message that the model received last. */
function seen(at: World): unknown {
  const messages = at.model.requestsOf("boss").at(-1)!.raw["messages"] as {
    role: string;
    content: unknown;
  }[];
  return messages.find(({ role }) => role === "user")!.content;
}

async function furnished(protocol: Protocol, fields: Record<string, unknown> = { images: true, pdfs: true }) {
  const made = await world({ protocol, times: QUICK });
  await made.admin.patch(`/models/${made.bossId}`, fields);
  return made;
}

async function attachAll(place: World) {
  const files = { ...IMAGES, "herons.pdf": PDF, "notes.txt": Buffer.from(TEXT) };
  const found = [];
  for (const [name, content] of Object.entries(files)) found.push(await attach(place, content, name));
  return found;
}

const WIRE: Record<Protocol, () => object[]> = {
  anthropic: () => [
    ...Object.entries(IMAGES).flatMap(([name, bytes], index) => [
      { type: "text", text: heading(name, TYPES[index]!, bytes.length) },
      { type: "image", source: { type: "base64", media_type: TYPES[index], data: base64(bytes) } },
    ]),
    {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: base64(PDF) },
      title: "herons.pdf",
    },
    { type: "document", source: { type: "text", media_type: "text/plain", data: TEXT }, title: "notes.txt" },
    { type: "text", text: "What is this?" },
  ],
  "openai-compatible": () => [
    ...Object.entries(IMAGES).flatMap(([name, bytes], index) => [
      { type: "text", text: heading(name, TYPES[index]!, bytes.length) },
      { type: "image_url", image_url: { url: `data:${TYPES[index]};base64,${base64(bytes)}` } },
    ]),
    {
      type: "file",
      file: { filename: "herons.pdf", file_data: `data:application/pdf;base64,${base64(PDF)}` },
    },
    {
      type: "text",
      text: `${heading("notes.txt", "text/plain", TEXT.length)}\n${TEXT}\n[End of "notes.txt"]`,
    },
    { type: "text", text: "What is this?" },
  ],
};

describe.each(protocols)("%s", (protocol) => {
  test("sends each attachment in the form of the protocol, and the same in later turns, until it is forgotten", async () => {
    await using at = await furnished(protocol);
    const files = await attachAll(at);
    at.model.script("boss", [say("Birds."), say("Still birds."), say("Nothing.")]);
    const turn = await at.end(
      await at.begin("What is this?", { attachments: files.map(({ hash }) => ({ hash })) }),
    );
    expect({ status: turn.status, error: turn.error, problems: at.model.problems }).toEqual({
      status: "done",
      error: null,
      problems: [],
    });
    const unmarked = (content: unknown): object[] =>
      (content as object[]).map((block) => ({ ...block, cache_control: undefined }));
    expect(unmarked(seen(at))).toEqual(WIRE[protocol]());
    await at.chat("And now?");
    expect(unmarked(seen(at))).toEqual(WIRE[protocol]());

    const [entry] = await at.entries();
    expect(entry!.attachments.map(({ name, hash }) => [name, hash])).toEqual(
      files.map(({ name, hash }) => [name, hash]),
    );
    expect(turn.attachments).toEqual(entry!.attachments);
    await at.admin.delete(`/entries/${entry!.id}`);
    await at.chat("And now?");
    expect(JSON.stringify(at.model.requests.at(-1)!.raw)).not.toContain(base64(PDF).slice(0, 40));
    expect(at.model.problems).toEqual([]);
  });

  test("shows name, type, size, hash and form in the exact prompt, also before it is sent", async () => {
    await using at = await furnished(protocol, { images: true, pdfs: false });
    const picture = await attach(at, IMAGES["a.png"], "a.png");
    const paper = await attach(at, PDF, "herons.pdf");
    at.model.script("boss", [say("Seen.")]);
    const attachments = [{ hash: picture.hash }, { hash: paper.hash, name: "renamed.pdf" }];
    const turn = await at.end(await at.begin("", { attachments }));
    expect(turn.error).toBeNull();
    const expected: SentAttachment[] = [
      {
        hash: sha256Hex(IMAGES["a.png"]),
        name: "a.png",
        media_type: "image/png",
        bytes: IMAGES["a.png"].length,
        as: "image",
        note: null,
        tokens: 1,
      },
      {
        hash: sha256Hex(PDF),
        name: "renamed.pdf",
        media_type: "application/pdf",
        bytes: PDF.length,
        as: "text",
        note: null,
        tokens: paper.text_tokens!,
      },
    ];
    const [call] = await at.calls(turn.id);
    const sent = (await at.admin.get(`/calls/${call!.id}`)).parts.filter(({ kind }) => kind === "entry");
    expect(sent.map((part) => part.attachments)).toEqual([expected]);
    expect(sent[0]).toMatchObject({ text: "", role: "user", droppable: true });
    expect(sent[0]!.tokens).toBe(1 + paper.text_tokens!);
    const next = (await at.admin.get(`/agents/${at.orchestratorId}/prompt`)).parts;
    expect(next.filter(({ kind }) => kind === "entry").map((part) => part.attachments)).toEqual([
      expected,
      [],
    ]);
  });
});

test("sends a PDF as its text to a model that does not read PDFs, and names the model that reads no images", async () => {
  await using at = await furnished("openai-compatible", {});
  const paper = await attach(at, PDF, "herons.pdf");
  at.model.script("boss", [say("Read."), say("Read again.")]);
  await at.end(await at.begin("Read it.", { attachments: [{ hash: paper.hash }] }));
  const content = `${heading("herons.pdf", "application/pdf", PDF.length)}\nHerons fly.\n[End of "herons.pdf"]\n\nRead it.`;
  expect(seen(at)).toBe(content);

  const picture = await attach(at, png(), "a.png");
  const scan = await attach(at, pdf(""), "scan.pdf");
  const advice = (setting: string) =>
    `; choose another model, or remove the attachment. If the model can, an admin turns on “${setting}” in its settings.`;
  const begun = (hash: string) =>
    at.admin.raw("POST", `${at.own}/chat`, { body: { text: "Look.", attachments: [{ hash }] } });
  await refusal(begun(picture.hash), "refused", `a.png: boss does not read images${advice("Reads images")}`, {
    model_id: at.bossId,
    input: "images",
    hash: picture.hash,
  });
  await refusal(
    begun(scan.hash),
    "refused",
    `scan.pdf: boss does not read PDFs as they are, and this one has no text${advice("Reads PDFs")}`,
    { model_id: at.bossId, input: "pdfs", hash: scan.hash },
  );
  expect(await at.admin.get(`${at.own}/turns`)).toHaveLength(1);

  // Another model sees the picture; the orchestrator's own goes on with a sentence in its place.
  const seeing = await at.addModel("seeing", { images: true });
  at.model.script("seeing", [say("A grey square.")]);
  await at.end(await at.begin("Look.", { attachments: [{ hash: picture.hash }], model_id: seeing }));
  await at.end(await at.begin("And?"));
  expect(at.model.problems).toEqual([]);
  expect(JSON.stringify(at.model.requestsOf("boss").at(-1)!.raw["messages"])).toContain(
    `(The attachment \\"a.png\\" (image/png, ${png().length} bytes, 4 × 3 pixels) is not shown: boss does not read images.)`,
  );
});

test("takes a provider's refusal of images as a fact about the model", async () => {
  await using at = await furnished("openai-compatible", {});
  const learning = await at.addModel("gpt-5-mini");
  const [known] = (await at.admin.get("/models")).filter(({ id }) => id === learning);
  expect(known!.accepts).toEqual({ images: true, pdfs: false });
  const picture = await attach(at, png(), "a.png");
  at.model.script("gpt-5-mini", [
    httpError(400, "image exceeds 5 MB maximum"),
    httpError(400, "Invalid content type. image_url is only supported by certain models."),
  ]);
  const look = { attachments: [{ hash: picture.hash }], model_id: learning };
  expect((await at.end(await at.begin("Look.", look))).error).toBe(
    "the provider answered 400: image exceeds 5 MB maximum",
  );
  expect((await at.end(await at.begin("Look.", look))).error).toBe(
    "the provider answered 400: Invalid content type. image_url is only supported by certain models.; images are no longer sent to gpt-5-mini: ask another model, or send the message without images",
  );
  const model = async () => (await at.admin.get("/models")).find(({ id }) => id === learning)!;
  expect(await model()).toMatchObject({ images: null, accepts: { images: false } });
  await at.admin.patch(`/models/${learning}`, { images: true });
  expect((await model()).accepts.images).toBe(true);
});

test("keeps attachments in queued, regenerated and branched messages", async () => {
  await using at = await furnished("anthropic");
  const picture = await attach(at, png(), "a.png");
  at.model.script("boss", [say("One."), say("Two."), say("Three.")]);
  const attachments = [{ hash: picture.hash }];
  const first = await at.begin("Look.", { attachments });
  const queued = await at.begin("Again.", { attachments, queue: true });
  await at.end(first);
  expect((await at.end(queued)).attachments).toHaveLength(1);
  const beside = await at.end(await at.begin("Look.", { attachments, after: null }));
  expect(beside.attachments).toEqual((await at.admin.get(`/turns/${first.id}`)).attachments);
  await at.admin.put(`${at.own}/branch`, { turn_id: queued.id });
  expect((await at.entries()).flatMap((entry) => entry.attachments.map(({ name }) => name))).toEqual([
    "a.png",
    "a.png",
  ]);
  expect(at.model.problems).toEqual([]);
});

test("taints the conversation with an attachment that is marked as untrusted, until it is cleared", async () => {
  await using at = await furnished("anthropic");
  const paper = await attach(at, PDF, "herons.pdf");
  at.model.script("boss", [say("Plain."), say("Read."), say("Clean.")]);
  const offers = () => at.model.requests.at(-1)!.tools.some(({ name }) => name === "file_write");
  await at.end(await at.begin("Read.", { attachments: [{ hash: paper.hash }] }));
  expect(offers()).toBe(true);
  const turn = await at.end(
    await at.begin("Read.", { attachments: [{ hash: paper.hash, untrusted: true }] }),
  );
  expect({ tainted: turn.tainted, offers: offers() }).toEqual({ tainted: true, offers: false });
  const marked = (await at.entries()).filter((entry) => entry.tainted);
  expect(marked.map(({ kind }) => kind)).toEqual(["person", "agent"]);
  await at.admin.post(`${at.own}/clear-taint`, { through: marked.at(-1)!.id });
  const [record] = await at.admin.get("/audit?limit=1&action=workspace.clear_taint");
  expect(record!.content_hash).toBe(sha256Hex(`Read.\n${paper.hash}\nRead.`));
  await at.end(await at.begin("And?"));
  expect(offers()).toBe(true);
});
