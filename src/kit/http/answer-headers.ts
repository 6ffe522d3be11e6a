// The headers of answers that clients act on, for the API description. A route names those of its success under `x-headers` of its `detail`.

import type { ErrorCode } from "../error.ts";

const TEXT = { type: "string" } as const;
const SECONDS = { type: "integer", minimum: 0 } as const;

const HEADERS = {
  ETag: { description: "the version in double quotes, for If-Match and If-None-Match", schema: TEXT },
  "X-Service-State": {
    description: "in place of ETag: the content is an edit by hand that has no version yet",
    schema: { type: "string", enum: ["modified", "untracked"] },
  },
  "X-Service-Unopened": {
    description:
      "names of spaces that cannot be opened, with commas between; they are left out of the answer",
    schema: TEXT,
  },
  "WWW-Authenticate": { description: "always Bearer", schema: TEXT },
  "Retry-After": { description: "the seconds to wait, where waiting helps", schema: SECONDS },
} as const;
export type AnswerHeader = keyof typeof HEADERS;

const OF_CODES: Partial<Record<ErrorCode, AnswerHeader>> = {
  unauthenticated: "WWW-Authenticate",
  rate_limited: "Retry-After",
  unavailable: "Retry-After",
};

export function describedHeaders(names: readonly AnswerHeader[]): { headers?: object } {
  if (names.length === 0) return {};
  return { headers: Object.fromEntries(names.map((name) => [name, HEADERS[name]])) };
}

/** The headers of a refusal with one of these codes. */
export function headersOf(codes: readonly string[]): AnswerHeader[] {
  return codes.flatMap((code) => OF_CODES[code as ErrorCode] ?? []);
}

/** The `detail` of a route whose answer has its version as ETag. */
export const VERSIONED = { "x-headers": ["ETag"] as const };
