// Parses text that need not be JSON.

export type Fields = Readonly<Record<string, unknown>>;

/** Undefined when the text is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined when the text is not a JSON object. */
export function parsedObject(text: string): Fields | undefined {
  const value = parsedJson(text);
  return isObject(value) ? value : undefined;
}

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
