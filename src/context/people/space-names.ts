// The spaces that a user or a webhook is limited to: as one column holds their names, and the refusal of unknown ones.

import { fieldError } from "../../kit/error.ts";

/** Null: every space. */
export function spacesOf(stored: string | null): string[] | null {
  return stored === null ? null : (JSON.parse(stored) as string[]);
}

export function storedSpaces(names: readonly string[] | null): string | null {
  return names === null ? null : JSON.stringify(names);
}

/** Raises `invalid` with the `unknown` names: a misspelt one would match nothing. `stored`: may stay, even if their space was deleted. */
export function requireSpaces(
  names: readonly string[] | null | undefined,
  isKnown: (name: string) => boolean,
  stored: string | null = null,
): void {
  const kept = spacesOf(stored) ?? [];
  const unknown = (names ?? []).filter((name) => !kept.includes(name) && !isKnown(name));
  if (unknown.length > 0)
    throw fieldError("invalid", "spaces", `unknown space "${unknown.join('", "')}"`, { unknown });
}
