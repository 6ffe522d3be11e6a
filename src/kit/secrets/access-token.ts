// The text of an access token in a file or a variable. Knows no place where tokens are stored.

/** The characters that a bearer token may have in a header. */
const TOKEN = /^[\x21-\x7e]+$/;

export const TOKEN_EXPECTED =
  "expected one access token and nothing else, as cairn auth token create prints it on stdout";

/** Returns the token without white space around it; undefined if the text is not one token. */
export function accessTokenIn(text: string): string | undefined {
  const trimmed = text.trim();
  return TOKEN.test(trimmed) ? trimmed : undefined;
}
