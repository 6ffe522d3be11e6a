// JSON as models and people write it, which need not be valid.

type Fields = Readonly<Record<string, unknown>>;

/** Undefined when the text is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined when the text is not a JSON object; an empty text is an empty one. */
export function objectOf(text: string): Fields | undefined {
  const value = text.trim() === "" ? {} : parsedJson(text);
  return isObject(value) ? value : undefined;
}

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns anything but JSON as written. */
export function indented(text: string): string {
  const value = parsedJson(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}
