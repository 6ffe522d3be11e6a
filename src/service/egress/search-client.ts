// Client of the search service. The destination is compiled in: no setting, row or model can change it. A failure is a fixed sentence for the
// model, because raw network errors would reveal the internal network; the details go to the log, without the query.
// Format: Brave Search API, "Web Search" (GET /res/v1/web/search).

import { shapeOf } from "../../kit/text/json-shape.ts";
import { Type, type Static } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Log } from "../../kit/log.ts";
import {
  OutboundFailure,
  sendOutbound,
  type Network,
  type OutboundAnswer,
  type OutboundProblem,
} from "../../kit/network/outbound.ts";

const DESTINATION = "https://api.search.brave.com/res/v1/web/search";
const DEADLINE_MS = 15_000;
const ANSWER_BYTES_MAX = 1024 * 1024;
export const RESULTS_MAX = 10;

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly description: string;
}

export interface SearchClient {
  /** Raises SearchFailure. */
  search(query: string, signal: AbortSignal): Promise<SearchResult[]>;
}

export class SearchFailure extends Error {
  override readonly name = "SearchFailure";
}

/** Other fields are ignored, because the service adds new ones. */
const Answer = Type.Object({
  web: Type.Optional(
    Type.Object({
      results: Type.Array(
        Type.Object({ title: Type.String(), url: Type.String(), description: Type.Optional(Type.String()) }),
      ),
    }),
  ),
});

const SENTENCES: Record<OutboundProblem, string> = {
  refused: "The search service's address is not one that this installation may contact.",
  unresolved: "The search service could not be reached.",
  unreachable: "The search service could not be reached.",
  deadline: "The search service did not answer in time.",
  too_large: "The search service's answer could not be used.",
  stopped: "The search was stopped.",
};

const UNUSABLE = "The search service's answer could not be used.";

export class BraveSearch implements SearchClient {
  readonly #network: Network;
  readonly #key: string;
  readonly #log: Log;

  constructor(network: Network, key: string, log: Log) {
    this.#network = network;
    this.#key = key;
    this.#log = log;
  }

  async search(query: string, signal: AbortSignal): Promise<SearchResult[]> {
    const url = new URL(DESTINATION);
    url.searchParams.set("q", query);
    url.searchParams.set("count", String(RESULTS_MAX));
    const answer = await this.#send(url, signal);
    if (answer.status !== 200) throw this.#failure(sentenceOf(answer.status), `status ${answer.status}`);
    const parsed = parseAnswer(answer.body);
    if (!parsed) throw this.#failure(UNUSABLE, "not in the expected format");
    return (parsed.web?.results ?? [])
      .slice(0, RESULTS_MAX)
      .map(({ title, url: link, description = "" }) => ({ title, url: link, description }));
  }

  async #send(url: URL, signal: AbortSignal): Promise<OutboundAnswer> {
    try {
      return await sendOutbound(this.#network, {
        url,
        method: "GET",
        headers: { Accept: "application/json", "X-Subscription-Token": this.#key },
        deadlineMs: DEADLINE_MS,
        answerBytesMax: ANSWER_BYTES_MAX,
        signal,
      });
    } catch (error) {
      if (error instanceof OutboundFailure)
        throw this.#failure(SENTENCES[error.problem], `${error.problem}: ${error.message}`);
      throw error;
    }
  }

  #failure(sentence: string, detail: string): SearchFailure {
    this.#log.warn("search failed", { detail });
    return new SearchFailure(sentence);
  }
}

function sentenceOf(status: number): string {
  if (status === 401 || status === 403)
    return "The search service did not accept this installation's credential.";
  if (status === 429) return "The search service accepts no more searches for now.";
  return "The search service answered with an error.";
}

function parseAnswer(body: Uint8Array): Static<typeof Answer> | undefined {
  if (shapeOf(body).excess !== undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    return Value.Check(Answer, value) ? value : undefined;
  } catch {
    return undefined;
  }
}
