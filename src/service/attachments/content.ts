// The content of an attachment in a request to a provider.

/** Bytes as base64 text in pieces. They are never joined to one string, and need no escaping in JSON. */
export class Base64Text {
  readonly pieces: readonly string[];
  /** Before the first piece, such as the head of a data URL. */
  readonly prefix: string;

  constructor(pieces: readonly string[], prefix = "") {
    this.pieces = pieces;
    this.prefix = prefix;
  }

  after(prefix: string): Base64Text {
    return new Base64Text(this.pieces, prefix);
  }
}

export type AttachmentContent = string | Base64Text;
/** By hash, and by form: a PDF may be sent as it is, and as text. */
export type AttachmentContents = ReadonlyMap<string, AttachmentContent>;

export function contentKey({ hash, as }: { readonly hash: string; readonly as: string }): string {
  return `${as}:${hash}`;
}
