// Goal: what a model reads follows from its admin, its provider's words and its name, in this order; and a full request keeps the newest attachments.

import { describe, expect, test } from "bun:test";
import { formsOf } from "../../../src/service/attachments/forms.ts";
import type { MessageAttachment } from "../../../src/service/attachments/schema.ts";
import { acceptsOf } from "../../../src/service/catalog/abilities.ts";
import type { Protocol } from "../../../src/service/catalog/schema.ts";
import { ModelFailure } from "../../../src/service/llm/model.ts";
import { refusedInput } from "../../../src/service/llm/refused-input.ts";

const MIB = 1024 * 1024;
const UNSAID = { images: null, pdfs: null, images_refused_at: null, pdfs_refused_at: null };
const OWN = "https://api.openai.com/v1";
const OTHER = "http://localhost:11434/v1";

describe("a model's abilities", () => {
  const names: readonly (readonly [Protocol, string, string, images: boolean, pdfs: boolean])[] = [
    ["anthropic", "", "claude-opus-5-5", true, true],
    ["anthropic", "", "claude-2.1", false, false],
    ["anthropic", "", "some-gateway-model", true, false],
    ["openai-compatible", OWN, "gpt-5-mini", true, true],
    ["openai-compatible", OWN, "gpt-3.5-turbo", false, false],
    ["openai-compatible", OTHER, "gpt-4o", true, false],
    ["openai-compatible", OTHER, "openai/o4-mini", true, false],
    ["openai-compatible", OTHER, "o3-mini", false, false],
    ["openai-compatible", OTHER, "google/gemini-3-pro", true, false],
    ["openai-compatible", OTHER, "qwen3-vl:8b", true, false],
    ["openai-compatible", OTHER, "qwen3:8b", false, false],
    ["openai-compatible", OTHER, "llama3.2-vision", true, false],
    ["openai-compatible", OTHER, "deepseek-v4", false, false],
    ["openai-compatible", OTHER, "glm-4.5v", true, false],
  ];
  test.each(names)("%s %s %s: images %p, PDFs %p", (protocol, base_url, model_name, images, pdfs) => {
    expect(acceptsOf({ ...UNSAID, protocol, base_url, model_name })).toEqual({ images, pdfs });
  });

  test("an admin overrules the provider, and the provider the name", () => {
    const model = { ...UNSAID, protocol: "anthropic", base_url: "", model_name: "claude-opus-5" } as const;
    expect(acceptsOf({ ...model, images_refused_at: 1 })).toEqual({ images: false, pdfs: false });
    expect(acceptsOf({ ...model, images: 1, images_refused_at: 1, pdfs: 0 })).toEqual({
      images: true,
      pdfs: false,
    });
  });
});

test.each([
  ["Invalid content type. image_url is only supported by certain models.", "images"],
  ["this model does not support image input", "images"],
  ["No endpoints found that support image input", "images"],
  ['Failed to parse messages: Unsupported content part type: "image_url"', "images"],
  ["unknown variant `image_url`, expected `text`", "images"],
  ["qwen3 is not a multimodal model", "images"],
  ["file type not supported: only images are accepted, PDF documents are not supported", "pdfs"],
  ["messages.0.content.1.image.source.base64: image exceeds 5 MB maximum", undefined],
  ["At least one of the image dimensions exceed max allowed size: 8000 pixels", undefined],
  ["Could not process image", undefined],
  ["You exceeded your current quota", undefined],
  ["tool_choice is not supported", undefined],
] as const)("takes %p for a refusal of %p", (words, input) => {
  const sent = [input === "pdfs" ? "pdf" : "image"].map((as) => ({ as }) as never);
  expect(refusedInput(new ModelFailure("the provider answered 400", 400, words), sent)).toBe(input!);
  expect(refusedInput(new ModelFailure("the provider answered 429", 429, words), sent)).toBeUndefined();
  expect(refusedInput(new ModelFailure("the provider answered 400", 400, words), [])).toBeUndefined();
});

const NOTHING = { width: null, height: null, pages: null, text_tokens: null, untrusted: false };
const image = (name: string, side = 100, bytes = 1000): MessageAttachment => ({
  ...NOTHING,
  hash: name,
  name,
  kind: "image",
  media_type: "image/png",
  bytes,
  width: side,
  height: side,
});
const paper = (name: string, pages: number, tokens = 10, bytes = 1000): MessageAttachment => ({
  ...NOTHING,
  hash: name,
  name,
  kind: "pdf",
  media_type: "application/pdf",
  bytes,
  pages,
  text_tokens: tokens,
});
const reader = (protocol: Protocol, images = true, pdfs = true) => ({
  id: 1,
  label: "m",
  protocol,
  accepts: { images, pdfs },
});
/** Form and name, or the note's reason. */
const summed = (forms: ReturnType<typeof formsOf>) =>
  forms.map((message) =>
    message.map(({ as, name, note }) =>
      note === null ? `${as} ${name}` : note.replace(/^.* is not shown: |\.\)$/g, ""),
    ),
  );

describe("the forms of attachments", () => {
  test("follow the model", () => {
    const message = [[image("a"), paper("b", 2), paper("long", 101), paper("scan", 1, 0)]];
    expect(summed(formsOf(message, reader("anthropic")))).toEqual([
      ["image a", "pdf b", "text long", "pdf scan"],
    ]);
    expect(summed(formsOf(message, reader("openai-compatible", false, false)))).toEqual([
      [
        "m does not read images",
        "text b",
        "text long",
        "it has no text, and m does not read PDFs as they are",
      ],
    ]);
  });

  test("describe an attachment that is not sent, one page as one", () => {
    const noteOf = (pages: number) =>
      formsOf([[paper("scan.pdf", pages, 0)]], reader("openai-compatible", false, false))[0]![0]!.note;
    expect([noteOf(1), noteOf(2)]).toEqual([
      expect.stringContaining('"scan.pdf" (application/pdf, 1000 bytes, 1 page) is not shown'),
      expect.stringContaining('"scan.pdf" (application/pdf, 1000 bytes, 2 pages) is not shown'),
    ]);
  });

  test("keep the newest when the bytes of a request are used up", () => {
    const messages = [[paper("old", 1, 10, 10 * MIB)], [paper("new", 1, 10, 13 * MIB)], [image("newest")]];
    expect(summed(formsOf(messages, reader("anthropic")))).toEqual([
      ["newer attachments fill the request"],
      ["pdf new"],
      ["image newest"],
    ]);
  });

  test("obey the limits of many images, which one protocol has", () => {
    const many = Array.from({ length: 120 }, (_, index) => [image(`${index}`, index === 119 ? 3_000 : 100)]);
    const counted = (protocol: Protocol) => {
      const forms = formsOf(many, reader(protocol)).flat();
      return {
        images: forms.filter(({ as }) => as === "image").length,
        last: forms.at(-1)!.as,
        first: forms[0]!.as,
      };
    };
    expect(counted("anthropic")).toEqual({ images: 100, last: "note", first: "note" });
    expect(counted("openai-compatible")).toEqual({ images: 100, last: "image", first: "note" });
  });

  test("estimate tokens by what providers count", () => {
    const tokens = (one: MessageAttachment) => formsOf([[one]], reader("anthropic"))[0]![0]!.tokens;
    expect([tokens(image("a", 750)), tokens(image("b", 8_000)), tokens(paper("c", 3, 100))]).toEqual([
      750, 1_640, 4_600,
    ]);
  });
});
