// Editing a document in a form: which documents a browser can edit without changing what nobody edited, since text areas know one kind of line
// end and no NUL, what the form sends, and on top of which version it is saved.

import { sha256Hex } from "../../kit/crypto.ts";
import { AppError, fieldError } from "../../kit/error.ts";
import { decodeUtf8 } from "../../kit/text/utf8.ts";
import { visibleInLine } from "../../kit/text/visible.ts";
import type { ReadFile } from "../space/door.ts";
import { MESSAGE_CHARACTERS_MAX } from "../versioned-store/schema.ts";
import type { Failure } from "./failure.ts";
import type { Form } from "./form.ts";
import { sizeInWords } from "../../kit/text/amounts.ts";
import type { Shown } from "./rendering.ts";

/** A form with such a text stays within its limit even if each byte is percent-encoded. */
export const EDIT_BYTES_MAX = 256 * 1024;
const [LF, CR] = [10, 13];
/** Bases that are not the number of a version. */
const [NEW, ON_DISK] = ["none", "disk "];

export interface Edited {
  readonly path: string;
  /** With `\n` only, as text areas have it. */
  readonly content: string;
  /** The version that the text came from, `disk <hash>` for an edit without a version, `none` for a new document. */
  readonly base: string;
  readonly ends: "lf" | "crlf";
  readonly message: string;
  readonly isEditOnDisk: boolean;
  readonly failure?: Failure;
  readonly preview?: Shown;
  /** The saved text now, after somebody else saved first; no text: it was deleted. */
  readonly theirs?: { readonly version: number | null; readonly text: string | undefined };
}

/** Raises `refused` for a document that a browser cannot edit without changing it. */
export function openedFor(file: ReadFile): Edited {
  const { text, problem } = textOf(file.bytes);
  if (problem !== undefined)
    throw new AppError(
      "refused",
      `${file.path} cannot be edited here: ${problem}; download it and use cairn file put`,
    );
  return {
    path: file.path,
    content: text,
    base: baseOf(file),
    ends: text.includes("\r\n") ? "crlf" : "lf",
    message: "",
    isEditOnDisk: file.version === null,
  };
}

/** Reads the form of the document at `path`. */
export function editedIn(form: Form, path: string): Edited {
  const base = form.text("base");
  return {
    path,
    content: form.text("content").replaceAll("\r\n", "\n"),
    base,
    ends: form.text("ends") === "crlf" ? "crlf" : "lf",
    message: form.text("message").trim(),
    isEditOnDisk: base.startsWith(ON_DISK),
  };
}

/** Raises `too_large`. */
export function bytesOf({ content, ends }: Pick<Edited, "content" | "ends">): Uint8Array {
  const bytes = new TextEncoder().encode(ends === "crlf" ? content.replaceAll("\n", "\r\n") : content);
  if (bytes.length <= EDIT_BYTES_MAX) return bytes;
  throw fieldError(
    "too_large",
    "content",
    `at most ${sizeInWords(EDIT_BYTES_MAX)} in the browser, and this is ${sizeInWords(bytes.length)}; use cairn file put`,
  );
}

/** Checks the message of a version. Raises `invalid`. */
export function signatureOf(said: string): { message?: string } {
  if (said === "") return {};
  if (said.length > MESSAGE_CHARACTERS_MAX)
    throw fieldError("invalid", "message", `at most ${MESSAGE_CHARACTERS_MAX} characters`);
  if (visibleInLine(said) !== said)
    throw fieldError("invalid", "message", "must not contain control or invisible characters");
  return { message: said };
}

/** The base of the text on a page: a version, or an edit on disk by its hash. */
export function baseOf({ version, bytes }: ReadFile): string {
  return version === null ? `${ON_DISK}${sha256Hex(bytes)}` : String(version);
}

/**
 * The version that a change made on such a page replaces. An edit on disk has none: if it is still the one on the page, the write takes whatever
 * is live, because the engine records the edit as a version first, so that nothing is lost. Raises `stale` otherwise, and `invalid` for a base
 * that no page has.
 */
export async function expectedOf(
  { base, path }: Pick<Edited, "base" | "path">,
  current: () => Promise<ReadFile>,
): Promise<number | null | undefined> {
  if (base === NEW) return null;
  if (/^[1-9][0-9]{0,8}$/.test(base)) return Number(base);
  if (!base.startsWith(ON_DISK))
    throw new AppError("invalid", "the form does not name a base version; open the page again");
  if (baseOf(await current()) === base) return undefined;
  throw new AppError("stale", `${path} has changed since you opened it`);
}

/** The form after somebody else saved `theirs` first. Saving again replaces that, because the person has seen it. */
export function besideTheirs(edited: Edited, theirs: ReadFile | undefined, failure: Failure): Edited {
  return {
    ...edited,
    failure,
    base: theirs ? baseOf(theirs) : NEW,
    theirs: { version: theirs?.version ?? null, text: theirs && shownText(theirs.bytes) },
  };
}

function shownText(bytes: Uint8Array): string {
  if (bytes.length > EDIT_BYTES_MAX) return `(too large to show: ${sizeInWords(bytes.length)})`;
  return decodeUtf8(bytes)?.replaceAll("\r\n", "\n") ?? "(not text)";
}

interface Text {
  readonly text: string;
  /** Why it cannot be edited in the browser, in a few words. */
  readonly problem: string | undefined;
}

function textOf(bytes: Uint8Array): Text {
  const text = bytes.length > EDIT_BYTES_MAX ? "" : (decodeUtf8(bytes) ?? undefined);
  if (text === undefined) return { text: "", problem: "it is not UTF-8 text" };
  if (bytes.length > EDIT_BYTES_MAX)
    return { text: "", problem: `it is larger than ${sizeInWords(EDIT_BYTES_MAX)}` };
  if (text.includes("\0")) return { text, problem: "it contains a NUL character" };
  return { text, problem: hasMixedEnds(bytes) ? "its lines end in different ways" : undefined };
}

/** A document may consist of line ends only, and expressions would keep each of them. */
function hasMixedEnds(bytes: Uint8Array): boolean {
  let [windows, unix] = [false, false];
  for (let index = 0; index < bytes.length; index += 1) {
    if (bytes[index] === CR && bytes[index + 1] !== LF) return true;
    if (bytes[index] !== LF) continue;
    if (bytes[index - 1] === CR) windows = true;
    else unix = true;
  }
  return windows && unix;
}
