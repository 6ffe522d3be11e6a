// Bounds an answer that has many parts: paths and lines may be long.

import { ANSWER_CHARACTERS_MAX } from "./schema.ts";

/** Returns the first parts that fit, and at least one. */
export function fitting(parts: readonly string[]): readonly string[] {
  let length = 0;
  const end = parts.findIndex((part, index) => {
    length += part.length + 1;
    return length > ANSWER_CHARACTERS_MAX && index > 0;
  });
  return end < 0 ? parts : parts.slice(0, end);
}
