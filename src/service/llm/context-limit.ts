// Recognises that a request is too long for its model, and says what helps. Servers have no common code for it, so their words count.

import { ModelFailure } from "./model.ts";

const TOO_LARGE = 413;
/** Undefined: the answer had begun. */
const STATUSES: ReadonlySet<number | undefined> = new Set([undefined, 400, TOO_LARGE, 422, 500]);
const TOO_LONG = new RegExp(
  [
    "context[_ ]length[_ ]exceeded",
    "exceed_context_size",
    "maximum (?:context|prompt) length",
    "context length of only",
    "(?:prompt|input) is too long",
    "exceeds? (?:the )?(?:available )?context",
    "(?:prompt|token count).{0,80}exceeds?.{0,30}max",
    "reduce the length of the messages",
  ].join("|"),
  "i",
);

/** Adds advice to the failure if it means that; returns anything else as it is. */
export function advisedOnLength(error: unknown): unknown {
  if (!(error instanceof ModelFailure) || !STATUSES.has(error.status)) return error;
  if (error.status !== TOO_LARGE && !TOO_LONG.test(error.words ?? "")) return error;
  return new ModelFailure(`${error.message.replace(/\.$/, "")}; ${ADVICE}`, error.status, error.words);
}

const ADVICE =
  "the conversation is too long for the model: forget entries, begin another branch, or choose a model with a larger context";
