// Decides in which form each attachment of a conversation is sent to a model. Pure, and the newest attachments come first: when a request is
// full, the oldest get a sentence in their place, so that a long conversation never makes a workspace unusable.

import { plural } from "../../kit/text/amounts.ts";
import type { Accepts } from "../catalog/abilities.ts";
import type { Reader } from "../catalog/models.ts";
import type { MessageAttachment, SentAttachment, SentForm } from "./schema.ts";

/** Less than 32 MB in base64, which providers take at most. */
const REQUEST_BYTES_MAX = 22 * 1024 * 1024;
const IMAGES_PER_REQUEST_MAX = 100;
/** The Messages API takes larger images only if a request has few of them. */
const FEW_IMAGES = 20;
const SIDE_PIXELS_OF_MANY_MAX = 2_000;
/** A longer PDF is sent as its text. */
const PDF_PAGES_AS_THEY_ARE_MAX = 100;
const BYTES_PER_TOKEN = 4;

/** Providers scale images down to about this, and count a token per 750 pixels. */
const SCALED_SIDE_PIXELS = 1_568;
const PIXELS_PER_TOKEN = 750;
const IMAGE_TOKENS_MAX = 1_640;
/** Of the picture of a page, besides its text. */
const PAGE_TOKENS = 1_500;

/** Returns the forms of each message's attachments. `messages` in the order of the conversation. */
export function formsOf(
  messages: readonly (readonly MessageAttachment[])[],
  reader: Reader,
): readonly (readonly SentAttachment[])[] {
  const room = new Room(reader, messages.flat().filter(({ kind }) => kind === "image").length);
  return messages
    .toReversed()
    .map((attachments) => attachments.map((attachment) => room.place(attachment)))
    .toReversed();
}

/** The reason why a model cannot read an attachment at all; undefined if it can. */
export function unreadable(
  attachment: MessageAttachment,
  { accepts }: Reader,
): "images" | "pdfs" | undefined {
  if (attachment.kind === "image") return accepts.images ? undefined : "images";
  if (attachment.kind !== "pdf" || attachment.text_tokens !== 0) return undefined;
  return readsPdf(attachment, accepts) ? undefined : "pdfs";
}

class Room {
  readonly #reader: Reader;
  readonly #hasManyImages: boolean;
  #bytes = 0;
  #images = 0;

  constructor(reader: Reader, images: number) {
    this.#reader = reader;
    this.#hasManyImages = reader.protocol === "anthropic" && images > FEW_IMAGES;
  }

  place(attachment: MessageAttachment): SentAttachment {
    const { hash, name, media_type, bytes } = attachment;
    const about = { hash, name, media_type, bytes };
    const as = formOf(attachment, this.#reader.accepts);
    const why = this.#problem(attachment, as);
    if (why !== undefined) {
      const note = `(The attachment ${described(attachment)} is not shown: ${why}.)`;
      return { ...about, as: "note", note, tokens: Math.ceil(note.length / BYTES_PER_TOKEN) };
    }
    if (as === "image") this.#images += 1;
    this.#bytes += weightOf(attachment, as);
    return { ...about, as, note: null, tokens: tokensOf(attachment, as) };
  }

  #problem(attachment: MessageAttachment, as: SentForm): string | undefined {
    const { label } = this.#reader;
    const input = unreadable(attachment, this.#reader);
    if (input === "images") return `${label} does not read images`;
    if (input === "pdfs") return `it has no text, and ${label} does not read PDFs as they are`;
    const isLarge = Math.max(attachment.width ?? 0, attachment.height ?? 0) > SIDE_PIXELS_OF_MANY_MAX;
    if (as === "image" && this.#hasManyImages && isLarge)
      return `a request with more than ${FEW_IMAGES} images takes none over ${SIDE_PIXELS_OF_MANY_MAX} pixels`;
    if (as === "image" && this.#images >= IMAGES_PER_REQUEST_MAX)
      return `newer messages have ${IMAGES_PER_REQUEST_MAX} images, the most that a request takes`;
    if (this.#bytes + weightOf(attachment, as) > REQUEST_BYTES_MAX)
      return "newer attachments fill the request";
    return undefined;
  }
}

function formOf(attachment: MessageAttachment, accepts: Accepts): SentForm {
  if (attachment.kind !== "pdf") return attachment.kind;
  return readsPdf(attachment, accepts) ? "pdf" : "text";
}

function readsPdf({ pages }: MessageAttachment, accepts: Accepts): boolean {
  return accepts.pdfs && (pages ?? 0) <= PDF_PAGES_AS_THEY_ARE_MAX;
}

function weightOf({ bytes, text_tokens: tokens }: MessageAttachment, as: SentForm): number {
  return as === "text" ? (tokens ?? 0) * BYTES_PER_TOKEN : bytes;
}

function tokensOf({ width, height, pages, text_tokens: text }: MessageAttachment, as: SentForm): number {
  if (as === "image") return imageTokens(width ?? 1, height ?? 1);
  return (text ?? 0) + (as === "pdf" ? (pages ?? 0) * PAGE_TOKENS : 0);
}

function imageTokens(width: number, height: number): number {
  const scale = Math.min(1, SCALED_SIDE_PIXELS / Math.max(width, height));
  return Math.min(IMAGE_TOKENS_MAX, Math.ceil((width * scale * height * scale) / PIXELS_PER_TOKEN));
}

function described({ name, media_type: type, bytes, width, height, pages }: MessageAttachment): string {
  const size = width === null ? "" : `, ${width} × ${height} pixels`;
  const length = pages === null ? "" : `, ${plural(pages, "page")}`;
  return `"${name}" (${type}, ${plural(bytes, "byte")}${size}${length})`;
}
