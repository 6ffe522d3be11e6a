// The entity tags of `If-Match` (RFC 9110, 8.8.3 and 13.1.1). A tag is in double quotes; one without is refused and not guessed at, since a
// header that is taken for no condition would let a write through that should have been refused.

const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const LIST = new RegExp(`^${TAG}(?:[ \\t]*,[ \\t]*${TAG})*$`);
const EACH = new RegExp(TAG, "g");

/**
 * The strong tags without their quotes, or `*`. Weak ones never match here (RFC 9110, 8.8.3.2), so they are left out. Undefined: not well
 * formed.
 */
export function strongTags(header: string): "*" | readonly string[] | undefined {
  const text = header.trim();
  if (text === "*") return text;
  if (!LIST.test(text)) return undefined;
  return text
    .match(EACH)!
    .filter((tag) => !tag.startsWith("W/"))
    .map((tag) => tag.slice(1, -1));
}
