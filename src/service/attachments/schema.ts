// Attachments of messages: what may be attached, how much of it, and its record in a message.

import { Type, type Static } from "@sinclair/typebox";
import { closed, Id, nullable, oneOf, Time } from "../../kit/schema.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** The size that every protocol accepts: 5 MiB in base64. */
export const IMAGE_BYTES_MAX = (5 * MIB * 3) / 4;
export const IMAGE_SIDE_PIXELS_MAX = 8_000;
const PDF_BYTES_MAX = 16 * MIB;
export const PDF_PAGES_MAX = 500;
export const TEXT_BYTES_MAX = 512 * KIB;
/** Of the text of a PDF. The rest is left out, and the text says so. */
export const PDF_TEXT_CHARACTERS_MAX = 1_000_000;
/** Of any attachment: how much of a body is read before its type is known. */
export const ATTACHMENT_BYTES_MAX = PDF_BYTES_MAX;
export const ATTACHMENTS_PER_MESSAGE_MAX = 10;
export const MESSAGE_BYTES_MAX = 20 * MIB;
export const WORKSPACE_BYTES_MAX = 512 * MIB;
export const ATTACHMENT_NAME_CHARACTERS_MAX = 200;
/** An attachment that no message was sent with is removed after this. */
export const UNUSED_HOURS_MAX = 24;

const attachmentKinds = ["image", "pdf", "text"] as const;
export type AttachmentKind = (typeof attachmentKinds)[number];

/** SHA-256, hex. */
export const HASH_CHARACTERS = 64;
const Hash = Type.String({ pattern: `^[0-9a-f]{${HASH_CHARACTERS}}$` });
/** Any text: one that is no hash names nothing. */
export const AttachmentParams = closed({ id: Id, hash: Type.String() });
/** Path and controls are removed from the name, and it is cut to its limit: a name is only shown. */
export const UploadQuery = closed({ name: Type.Optional(Type.String()) });

const facts = {
  hash: Hash,
  name: Type.String(),
  kind: oneOf(attachmentKinds),
  /** Read from the bytes. */
  media_type: Type.String(),
  bytes: Type.Integer({ minimum: 1 }),
  /** In pixels; null unless it is an image. */
  width: nullable(Type.Integer()),
  height: nullable(Type.Integer()),
  /** Null unless it is a PDF. */
  pages: nullable(Type.Integer()),
  /** An estimate of its text (o200k); null for an image. A PDF of pictures has none. */
  text_tokens: nullable(Type.Integer()),
};

export const Attachment = closed({ ...facts, created_at: Time });
export type Attachment = Static<typeof Attachment>;

/** Of a message that was sent. */
export const MessageAttachment = closed({
  ...facts,
  /** Its sender does not vouch for it: while the message is replayed, agents get no tools that write durably. */
  untrusted: Type.Boolean(),
});
export type MessageAttachment = Static<typeof MessageAttachment>;

/** Names an uploaded file of the workspace. */
export const ChatAttachment = closed({
  hash: Hash,
  /** Default: the name that it was uploaded with. */
  name: Type.Optional(Type.String()),
  untrusted: Type.Optional(Type.Boolean()),
});
export type ChatAttachment = Static<typeof ChatAttachment>;

/**
 * How an attachment is put in front of a model. `note`: a sentence in its place, because the model does not read it, or because the request has
 * no room for it.
 */
const sentForms = ["image", "pdf", "text", "note"] as const;
export type SentForm = (typeof sentForms)[number];

/** In a prompt. */
export const SentAttachment = closed({
  hash: Hash,
  name: Type.String(),
  media_type: Type.String(),
  bytes: Type.Integer(),
  as: oneOf(sentForms),
  /** The sentence of a `note`. */
  note: nullable(Type.String()),
  /** An estimate. */
  tokens: Type.Integer(),
});
export type SentAttachment = Static<typeof SentAttachment>;
