// Which documents a browser can edit without changing what nobody edited: text areas know one kind of line end and no NUL.

import { decodeUtf8 } from "../../kit/utf8.ts";
import { sizeText } from "./format.ts";

/** In UTF-16 units. A form of this size stays within its limit even if each byte is percent-encoded. */
export const EDIT_CHARACTERS_MAX = 256 * 1024;

export interface Text {
  readonly text: string;
  /** Why it cannot be edited in the browser, in a few words. */
  readonly problem: string | undefined;
}

export function textOf(bytes: Uint8Array): Text {
  const text = bytes.length > EDIT_CHARACTERS_MAX ? "" : (decodeUtf8(bytes) ?? undefined);
  if (text === undefined) return { text: "", problem: "it is not UTF-8 text" };
  if (bytes.length > EDIT_CHARACTERS_MAX)
    return { text: "", problem: `it is larger than ${sizeText(EDIT_CHARACTERS_MAX)}` };
  if (text.includes("\0")) return { text, problem: "it contains a NUL character" };
  const windows = text.match(/\r\n/g)?.length ?? 0;
  const all = text.match(/\r\n|\r|\n/g)?.length ?? 0;
  const unix = text.match(/(?<!\r)\n/g)?.length ?? 0;
  const isMixed = windows + unix !== all || (windows > 0 && unix > 0);
  return { text, problem: isMixed ? "its lines end in different ways" : undefined };
}
