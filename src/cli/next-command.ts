// Writes the command that an answer suggests, as it has to be typed: quoted for a shell, and with the flags that said where this one worked.

import { spaceArgs } from "./connection-args.ts";
import { commandText } from "../kit/terminal/command-text.ts";

/**
 * `words`: of the command, and placeholders such as `<path>`. `places`: its arguments, which come from others. `given`: the flags of the command
 * that suggests it.
 */
export function nextCommand(
  words: readonly string[],
  places: readonly string[],
  given: Readonly<Record<string, unknown>>,
): string {
  const flags = Object.keys(spaceArgs).flatMap((name) => {
    const value = given[name];
    if (value === true) return [`--${name}`];
    return typeof value === "string" ? [`--${name}`, value] : [];
  });
  // A name may look like a flag.
  const end = places.some((place) => place.startsWith("-")) ? ["--"] : [];
  const rest = end.length > 0 ? [...flags, ...end, ...places] : [...places, ...flags];
  return ["cairn", ...words, ...(rest.length > 0 ? [commandText(rest)] : [])].join(" ");
}
