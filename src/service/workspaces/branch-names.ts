// Names of people as segments of a path in the space that holds memory.

const SEGMENT_BYTES_MAX = 100;

/** Replaces characters that file systems or URLs refuse, and bounds the bytes. */
export function pathSegment(name: string): string {
  const safe = name.replace(/[/\\:*?"<>|\p{Cc}]/gu, "-").replace(/^\.+/, "-");
  let segment = "";
  for (const character of safe) {
    if (Buffer.byteLength(segment + character) > SEGMENT_BYTES_MAX) break;
    segment += character;
  }
  return segment;
}
