// Which documents a browser can edit without changing what nobody edited: text areas know one kind of line end and no NUL.

import { decodeUtf8 } from "../../kit/utf8.ts";
import { sizeText } from "./format.ts";

/** A form with such a text stays within its limit even if each byte is percent-encoded. */
export const EDIT_BYTES_MAX = 256 * 1024;
const [LF, CR] = [10, 13];

export interface Text {
  readonly text: string;
  /** Why it cannot be edited in the browser, in a few words. */
  readonly problem: string | undefined;
}

export function textOf(bytes: Uint8Array): Text {
  const text = bytes.length > EDIT_BYTES_MAX ? "" : (decodeUtf8(bytes) ?? undefined);
  if (text === undefined) return { text: "", problem: "it is not UTF-8 text" };
  if (bytes.length > EDIT_BYTES_MAX)
    return { text: "", problem: `it is larger than ${sizeText(EDIT_BYTES_MAX)}` };
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
