// Send times inside streamed text, so that a benchmark can measure what lies between.
// Written by the model when a chunk leaves it, read by whoever receives the text.

/** Milliseconds since 1970 with three decimals, comparable between processes of one machine. */
export function stampNow(): string {
  return `@${(performance.timeOrigin + performance.now()).toFixed(3)} `;
}

/** The send times in a text, in order; a stamp cut in two by a chunk border is left out. */
export function readStamps(text: string): number[] {
  return Array.from(text.matchAll(/@(\d{13}\.\d{3}) /g), (match) => Number(match[1]));
}
