// Stores the tokens of servers that a person signed in to, in a private file. The environment overrides it, for machines.

import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { accessTokenIn, TOKEN_EXPECTED } from "../kit/access-token.ts";
import { homeDirectory, type Environment } from "../kit/environment.ts";
import { AppError } from "../kit/error.ts";
import { PRIVATE_DIRECTORY_MODE, PRIVATE_FILE_MODE } from "../kit/modes.ts";
import { replaceFile } from "../kit/replace-file.ts";

interface SignIn {
  readonly user: string;
  readonly token: string;
  /** The sign-in that commands use if they name no server. */
  readonly last?: boolean;
}

/** By address. */
type Stored = Record<string, SignIn>;

/** Undefined if there is none; the server then answers that one is required. Raises `invalid` for a variable without a token. */
export function storedToken(url: string, environment: Environment): string | undefined {
  return variableToken(environment) ?? read(environment)[url]?.token;
}

/** Undefined if the variable is not set. Raises `invalid`. */
function variableToken(environment: Environment): string | undefined {
  const text = environment["SERVICE_TOKEN"];
  if (!text) return undefined;
  const token = accessTokenIn(text);
  if (token === undefined) throw new AppError("invalid", `SERVICE_TOKEN: ${TOKEN_EXPECTED}`);
  return token;
}

/** The server of the last sign-in that was not ended since. */
export function lastSignIn(environment: Environment): string | undefined {
  return Object.entries(read(environment)).find(([, { last }]) => last === true)?.[0];
}

/** An undefined `entry` deletes the stored one. */
export async function store(url: string, entry: SignIn | undefined, environment: Environment): Promise<void> {
  const path = pathOf(environment);
  const others = Object.entries(read(environment)).filter(([address]) => address !== url);
  const isLast = entry?.last === true;
  const kept = others.map(([address, { last, ...one }]) => [
    address,
    last === true && !isLast ? { ...one, last } : one,
  ]);
  const stored: Stored = { ...Object.fromEntries(kept), ...(entry && { [url]: entry }) };
  mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_DIRECTORY_MODE });
  await replaceFile(path, JSON.stringify(stored, null, 2), { mode: PRIVATE_FILE_MODE });
}

function read(environment: Environment): Stored {
  const path = pathOf(environment);
  if (!existsSync(path)) return {};
  chmodSync(path, PRIVATE_FILE_MODE);
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Stored;
  } catch {
    throw new AppError("invalid", `${path} is damaged; delete it and sign in again with cairn auth login`);
  }
}

function pathOf(environment: Environment): string {
  return join(homeDirectory(environment), ".cairn", "credentials.json");
}
