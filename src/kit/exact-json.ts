// Judges JSON text by its bytes: a record that is hashed after it was parsed could be written in many ways, and only one of them is what the
// program wrote. Doubled keys, white space, other escapes and another order of keys are found here.

/**
 * The value of `text` when it is just what `JSON.stringify` writes for it; undefined otherwise. Any order of keys passes: the caller knows
 * which one is right (`hasMembers`).
 */
export function parseExact(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Are these all the members of an object, in this order? */
export function hasMembers(value: object, names: readonly string[]): boolean {
  const own = Object.keys(value);
  return own.length === names.length && own.every((name, index) => name === names[index]);
}
