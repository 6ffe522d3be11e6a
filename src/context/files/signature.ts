// How a program signs for someone else: the agent that it writes for, and a few words about the version. The authenticated user stays part of the
// author, so nobody can write in another user's name.

import { AppError } from "../../kit/error.ts";
import { header } from "../../kit/http/request-headers.ts";
import { visibleInLine } from "../../kit/text/visible.ts";
import { MESSAGE_CHARACTERS_MAX } from "../versioned-store/schema.ts";

const AGENT_CHARACTERS_MAX = 64;
/** The values are percent-encoded UTF-8, because headers are ASCII. */
const AGENT_HEADER = "X-Service-Agent";
const MESSAGE_HEADER = "X-Service-Message";

/** For the API description. */
export const SIGNATURE_HEADERS = [
  header(
    AGENT_HEADER,
    `the agent that wrote the version for the caller, percent-encoded; at most ${AGENT_CHARACTERS_MAX} characters, without parentheses`,
  ),
  header(
    MESSAGE_HEADER,
    `what the version changes, percent-encoded; at most ${MESSAGE_CHARACTERS_MAX} characters`,
  ),
];

export interface Signature {
  /** The agent that wrote the version on behalf of the caller. */
  readonly agent?: string;
  readonly message?: string;
}

/** Returns the author as recorded: the user, with the agent in parentheses. */
export function authorOf(user: string, { agent }: Signature): string {
  return agent === undefined ? user : `${user} (${agent})`;
}

/** Header names are in lower case. Raises `invalid`. */
export function signatureFrom(headers: Readonly<Record<string, string>>): Signature {
  const agent = textIn(headers, AGENT_HEADER, AGENT_CHARACTERS_MAX);
  if (agent !== undefined && /[()]/.test(agent))
    throw new AppError("invalid", `header ${AGENT_HEADER}: must not contain parentheses`);
  const message = textIn(headers, MESSAGE_HEADER, MESSAGE_CHARACTERS_MAX);
  return { ...(agent !== undefined && { agent }), ...(message !== undefined && { message }) };
}

export function headersOf({ agent, message }: Signature): Record<string, string> {
  return {
    ...(agent !== undefined && { [AGENT_HEADER]: encodeURIComponent(agent) }),
    ...(message !== undefined && { [MESSAGE_HEADER]: encodeURIComponent(message) }),
  };
}

function textIn(
  headers: Readonly<Record<string, string>>,
  name: string,
  charactersMax: number,
): string | undefined {
  const encoded = headers[name.toLowerCase()];
  if (encoded === undefined) return undefined;
  const problem = (what: string) => new AppError("invalid", `header ${name}: ${what}`);
  let text: string;
  try {
    text = decodeURIComponent(encoded).trim();
  } catch {
    throw problem("expected percent-encoded UTF-8");
  }
  if (text === "" || text.length > charactersMax) throw problem(`expected 1 to ${charactersMax} characters`);
  if (visibleInLine(text) !== text) throw problem("must not contain control or invisible characters");
  return text;
}
