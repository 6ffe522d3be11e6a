// Chooses the space of a command that does not name one. No other space stands in for one that the server cannot open.

import type { Client } from "../context/client/client.ts";
import { listedSpaces } from "../context/space/listed-spaces.ts";
import type { Space } from "../context/spaces/schema.ts";
import { AppError, messageOf } from "../kit/error.ts";

interface UnopenedSpaces {
  readonly names: readonly string[];
  /** Names the spaces, and says why the first one cannot be opened, with the code of that. */
  readonly error: AppError;
}

/** `One`: what a caller needs to know of a space. */
export interface ListedSpaces<One extends Pick<Space, "name"> = Space> {
  readonly spaces: readonly One[];
  /** Absent if the server can open all spaces. */
  readonly unopened?: UnopenedSpaces;
}

export async function listSpaces(client: Client): Promise<ListedSpaces> {
  const { spaces, unopened } = await listedSpaces(client);
  if (unopened.length === 0) return { spaces };
  return { spaces, unopened: { names: unopened, error: await unopenedError(client, unopened) } };
}

/** Returns the named space, or the only one. Raises `invalid` with the names to choose from. */
export async function chosenSpace(client: Client, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const none = new AppError("invalid", "no space yet; create one with cairn space create <name>");
  return onlySpace(await listSpaces(client), none);
}

/** Raises `none` if there is no space, otherwise `invalid` with the names to choose from. */
export function onlySpace(list: ListedSpaces<Pick<Space, "name">>, none: AppError): string {
  const { spaces, unopened } = list;
  if (spaces.length === 1 && unopened === undefined) return spaces[0]!.name;
  throw unchosen("missing flag: --space", list, none);
}

/** Returns the error for a space that is not chosen yet. `none`: the one for a server without spaces. */
export function unchosen(
  problem: string,
  { spaces, unopened }: ListedSpaces<Pick<Space, "name">>,
  none: AppError,
): AppError {
  if (spaces.length === 0) return unopened?.error ?? none;
  const choice = `${problem}; choose one of ${spaces.map(({ name }) => name).join(", ")}`;
  return new AppError("invalid", unopened === undefined ? choice : `${choice}; ${unopened.error.message}`);
}

async function unopenedError(client: Client, names: readonly string[]): Promise<AppError> {
  const [first, ...rest] = names;
  const why = await client.get(`/spaces/${first}`).then(
    () => new AppError("unavailable", "it was busy; try again"),
    (error: unknown) => error,
  );
  const others = rest.length === 0 ? "" : `; it cannot open ${rest.join(", ")} either`;
  const text = `the server cannot open the space ${first}: ${messageOf(why)}${others}`;
  return new AppError(why instanceof AppError ? why.code : "unavailable", text);
}
