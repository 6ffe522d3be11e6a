// Which space a command is about, when it does not say so.

import type { Client } from "../context/client/client.ts";
import { AppError } from "../kit/error.ts";

/**
 * The one that was named, or the only one, as it stands in an address. Raises `invalid` with the names to choose from. `named`: how the
 * command takes it.
 */
export async function chosenSpace(
  client: Client,
  given: string | undefined,
  named: "--space" | "<name>" = "--space",
): Promise<string> {
  if (given !== undefined) return encodeURIComponent(given);
  const spaces = await client.get<{ name: string }[]>("/spaces");
  if (spaces.length === 1) return spaces[0]!.name;
  throw new AppError(
    "invalid",
    spaces.length === 0
      ? "no space yet; create one with cairn space create <name>"
      : `missing ${named}: choose one of ${spaces.map(({ name }) => name).join(", ")}`,
  );
}
