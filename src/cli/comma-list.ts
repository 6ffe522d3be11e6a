// The values of a flag that takes a list, or is repeatable.

/** None of them contains a comma. Spaces around a value and empty values do not count. */
export function commaList(text: string): string[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}
