// The address of an attachment, and its type and size in a few words.

import type { Attachment } from "../../../src/service/attachments/schema.ts";
import { bytes, count, plural } from "../../kit/format.ts";

export function fileAddress(workspaceId: number, hash: string): string {
  return `/api/v1/workspaces/${workspaceId}/attachments/${hash}`;
}

/** `PNG · 640 × 480 · 12 KB`. */
export function factsOf(
  one: Pick<Attachment, "kind" | "media_type" | "width" | "height" | "pages" | "bytes">,
): string {
  const type = one.kind === "text" ? "Text" : (one.media_type.split("/").at(-1) ?? "").toUpperCase();
  const size = one.width === null ? undefined : `${count(one.width)} × ${count(one.height ?? 0)}`;
  const pages = one.pages === null ? undefined : plural(one.pages, "page");
  return [type, size, pages, bytes(one.bytes)].filter((fact) => fact !== undefined).join(" · ");
}
