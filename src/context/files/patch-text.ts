// A difference in unified format, as people read it: names are written as they are, where the package would escape all but ASCII.

import type { StructuredPatch } from "diff";

export async function patchText(patch: StructuredPatch): Promise<string> {
  const { formatPatch, OMIT_HEADERS } = await import("diff");
  const names = `--- ${patch.oldFileName}\n+++ ${patch.newFileName}\n`;
  return patch.hunks.length === 0 ? names : names + formatPatch(patch, OMIT_HEADERS);
}
