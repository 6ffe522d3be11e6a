// Adapts requests to providers that refuse or demand single fields. A refusal names the field; the request is then sent once more in the other
// form, and the form that worked is kept until the service stops. Only the names in it count, never the
// sentence around them.

import type { ModelEndpoint } from "../catalog/models.ts";
import type { Protocol } from "../catalog/schema.ts";
import { ModelFailure, type ModelRequest } from "./model.ts";
import type { PlacedThought } from "./thoughts.ts";

/**
 * - `completion-limit`: the output limit is `max_completion_tokens`.
 * - `no-usage-option`: without `stream_options`.
 * - `no-effort`: `reasoning_effort` is `none`; without it, some models refuse tools.
 * - `reasoning`: each answer is replayed with its `reasoning_content`.
 * - `no-tool-choice`: without `tool_choice`; calls that the model must not make are dropped from its answer.
 * - `answer-after-tools`: an answer stands between the results of tools and the next message of a person.
 * - `signatures`: each replayed tool call has a thought signature.
 * - `plain-tools`: the schemas of tools have no limits.
 * - `no-thinking`: `thinking` is disabled.
 * - `bearer`: the key is also sent as a bearer token.
 */
type Adaptation =
  | "completion-limit"
  | "no-usage-option"
  | "no-effort"
  | "reasoning"
  | "signatures"
  | "no-tool-choice"
  | "answer-after-tools"
  | "plain-tools"
  | "no-thinking"
  | "bearer";

export type Adapted = ReadonlySet<Adaptation>;

export const UNADAPTED: Adapted = new Set();

interface Rule {
  readonly adaptation: Adaptation;
  /** Undefined: both. */
  readonly protocol?: Protocol;
  readonly statuses: ReadonlySet<number | undefined>;
  /** The field in the provider's words. */
  readonly names: RegExp;
}

const REFUSED_FIELD: ReadonlySet<number | undefined> = new Set([400, 422]);
/** Some gateways report a field that they cannot translate as their own failure. */
const REFUSED_OR_FAILED: ReadonlySet<number | undefined> = new Set([...REFUSED_FIELD, 500]);
const REFUSED_KEY: ReadonlySet<number | undefined> = new Set([401]);

const RULES: readonly Rule[] = [
  chatRule("completion-limit", /max_completion_tokens/),
  chatRule("no-usage-option", /stream_options|include_usage/),
  chatRule("no-effort", /reasoning_effort/),
  chatRule("reasoning", /reasoning_content/),
  chatRule("signatures", /thought_?signature/i),
  chatRule("answer-after-tools", /role '?user'? after role '?tool/i),
  {
    adaptation: "plain-tools",
    protocol: "openai-compatible",
    statuses: REFUSED_OR_FAILED,
    names: /\bgrammar\b|json schema conversion/i,
  },
  { adaptation: "no-tool-choice", statuses: REFUSED_OR_FAILED, names: /tool[_ ]choice/i },
  {
    adaptation: "no-thinking",
    protocol: "anthropic",
    statuses: REFUSED_FIELD,
    names: /content\[\]\.thinking|redacted_thinking/,
  },
  {
    adaptation: "bearer",
    protocol: "anthropic",
    statuses: REFUSED_KEY,
    names: /\b(?:authori[sz]ation|authentication|bearer)\b/i,
  },
];

/** The provider's words for a block of thoughts. */
const THOUGHTS = /thinking|bound to a different conversation/i;

const MODELS_KEPT_MAX = 5_000;

/** The forms that providers have accepted, by model. */
export class Adaptations {
  readonly #kept = new Map<string, Adapted>();
  /** Thoughts are bound to everything before them, which may have changed since. */
  readonly #refused = new WeakSet<readonly PlacedThought[]>();

  /** Repeats `send` in another form for as long as a refusal asks for one. Raises what `send` does. */
  async during<Result>(
    endpoint: ModelEndpoint,
    request: ModelRequest,
    send: (request: ModelRequest, adapted: Adapted) => Promise<Result>,
  ): Promise<Result> {
    const key = `${endpoint.baseUrl} ${endpoint.modelName}`;
    let adapted = this.#kept.get(key) ?? UNADAPTED;
    for (;;) {
      const asked = this.#withoutRefusedThoughts(request);
      try {
        const result = await send(asked, adapted);
        this.#keep(key, adapted);
        return result;
      } catch (error) {
        if (refusesThoughts(endpoint, error) && this.#dropThoughts(asked)) continue;
        const next = demanded(endpoint, error, adapted);
        if (next === undefined) throw error;
        adapted = new Set([...adapted, next]);
      }
    }
  }

  #withoutRefusedThoughts(request: ModelRequest): ModelRequest {
    const messages = request.messages.map((message) => {
      if (message.role !== "assistant" || !message.thoughts || !this.#refused.has(message.thoughts))
        return message;
      const { thoughts: _, ...rest } = message;
      return rest;
    });
    return { ...request, messages };
  }

  /** Returns false if the request has none. */
  #dropThoughts({ messages }: ModelRequest): boolean {
    const sent = messages.flatMap((message) =>
      message.role === "assistant" && message.thoughts ? [message.thoughts] : [],
    );
    for (const thoughts of sent) this.#refused.add(thoughts);
    return sent.length > 0;
  }

  #keep(key: string, adapted: Adapted): void {
    if (adapted.size === 0 || this.#kept.get(key) === adapted) return;
    if (this.#kept.size >= MODELS_KEPT_MAX) this.#kept.clear();
    this.#kept.set(key, adapted);
  }
}

function refusesThoughts({ protocol }: ModelEndpoint, error: unknown): boolean {
  return (
    protocol === "anthropic" &&
    error instanceof ModelFailure &&
    REFUSED_FIELD.has(error.status) &&
    THOUGHTS.test(error.words ?? "")
  );
}

function demanded({ protocol }: ModelEndpoint, error: unknown, adapted: Adapted) {
  if (!(error instanceof ModelFailure)) return undefined;
  const { status, words = "" } = error;
  const rule = RULES.find(
    (one) =>
      (one.protocol ?? protocol) === protocol &&
      one.statuses.has(status) &&
      !adapted.has(one.adaptation) &&
      one.names.test(words),
  );
  return rule?.adaptation;
}

function chatRule(adaptation: Adaptation, names: RegExp): Rule {
  return { adaptation, protocol: "openai-compatible", statuses: REFUSED_FIELD, names };
}
