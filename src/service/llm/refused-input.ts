// Recognises that a provider refused a request because its model does not read images or PDFs. Only words that say so count: an image that is
// too large or damaged says nothing about the model.

import type { SentAttachment } from "../attachments/schema.ts";
import type { ModelFailure } from "./model.ts";

type Input = "images" | "pdfs";

/** Servers differ: some report a request that they cannot read as their own failure. */
const STATUSES: ReadonlySet<number | undefined> = new Set([400, 404, 415, 422, 500, 501]);
const NO = String.raw`(?:not support|unsupported|only supported by|no endpoints found|cannot (?:read|process|accept|handle)|can't (?:read|process)|not (?:accept|able to (?:read|see)|allowed|(?:a )?(?=multimodal|vision))|input should be 'text'|invalid content type|unknown (?:variant|part|content)|expected .{0,20}\btext\b)`;
const ABOUT: Readonly<Record<Input, string>> = {
  images: String.raw`(?:image|vision|multimodal|modalit)`,
  pdfs: String.raw`(?:pdf|document|\bfiles?\b)`,
};
const BETWEEN = "[^.]{0,120}";
/** About this one file, not about the model. */
const ABOUT_THE_FILE =
  /exceed|too large|too big|maximum|dimension|corrupt|damaged|decode|invalid (?:image|base64)|could not process/i;

const PATTERNS: Readonly<Record<Input, RegExp>> = {
  images: patternOf(ABOUT.images),
  pdfs: patternOf(ABOUT.pdfs),
};

function patternOf(about: string): RegExp {
  return new RegExp(`${about}${BETWEEN}${NO}|${NO}${BETWEEN}${about}`, "i");
}

/** The input that the model does not read, by the provider's words; undefined for any other failure, and if it was not sent. */
export function refusedInput(failure: ModelFailure, sent: readonly SentAttachment[]): Input | undefined {
  const { status, words = "" } = failure;
  if (!STATUSES.has(status) || ABOUT_THE_FILE.test(words)) return undefined;
  const has = (as: SentAttachment["as"]) => sent.some((one) => one.as === as);
  if (has("image") && PATTERNS.images.test(words)) return "images";
  return has("pdf") && PATTERNS.pdfs.test(words) ? "pdfs" : undefined;
}

export function adviceOn(input: Input, label: string): string {
  return input === "images"
    ? `images are no longer sent to ${label}: ask another model, or send the message without images`
    : `PDFs are sent to ${label} as their text from now on: send the message again`;
}
