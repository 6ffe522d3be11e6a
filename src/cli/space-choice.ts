// Chooses the space of a command that does not name one.

import type { Client } from "../context/client/client.ts";
import { AppError } from "../kit/error.ts";

/** Returns the named space, or the only one. Raises `invalid` with the names to choose from. */
export async function chosenSpace(client: Client, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const spaces = await client.get<{ name: string }[]>("/spaces");
  if (spaces.length === 1) return spaces[0]!.name;
  throw new AppError(
    "invalid",
    spaces.length === 0
      ? "no space yet; create one with cairn space create <name>"
      : `missing --space: choose one of ${spaces.map(({ name }) => name).join(", ")}`,
  );
}
