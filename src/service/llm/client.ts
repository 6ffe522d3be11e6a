// Makes one model call: sends the request and streams the answer. Protocol details are in `chat-*` and `messages-*`.

import { EventStream } from "../../kit/network/event-stream.ts";
import { parsedObject } from "../../kit/text/parsed-json.ts";
import { endpointUrl } from "../catalog/endpoints.ts";
import type { Protocol as ProtocolName } from "../catalog/schema.ts";
import { Adaptations } from "./adaptations.ts";
import { Answer } from "./answer.ts";
import { chatBody } from "./chat-request.ts";
import { ChatReader } from "./chat-reader.ts";
import { advisedOnLength } from "./context-limit.ts";
import { answerAsExample } from "./example.ts";
import { abortedAnswer, brokenProtocol, requireModest, tooLarge } from "./failures.ts";
import { messagesBody } from "./messages-request.ts";
import { MessagesReader } from "./messages-reader.ts";
import type { CallModel, ModelAnswer } from "./model.ts";
import { ErrorEvent, OtherDocument, type AnswerReader, type Protocol } from "./protocol.ts";
import { requestBody } from "./request-body.ts";
import { openAnswer, otherThanEvents, type ProviderAnswer, type TransportDeps } from "./transport.ts";
import { WholeText } from "./whole-text.ts";

const PROTOCOLS: Readonly<Record<ProtocolName, Protocol>> = {
  anthropic: {
    path: "/messages",
    body: messagesBody,
    reader: (answer) => new MessagesReader(answer),
  },
  "openai-compatible": {
    path: "/chat/completions",
    body: chatBody,
    reader: (answer) => new ChatReader(answer),
  },
};

export function createModelClient(deps: TransportDeps): CallModel {
  const adaptations = new Adaptations();
  return async (endpoint, request, listener, signal) => {
    if (endpoint.isExample) return answerAsExample(endpoint, request, listener, signal);
    const { path, body } = PROTOCOLS[endpoint.protocol];
    const answer = new Answer(listener);
    let attempts = 0;
    try {
      const given = await adaptations.during(endpoint, request, async (asked, adapted) =>
        openAnswer(deps, {
          endpoint,
          signal,
          attempt: () => listener.attempt(++attempts),
          retryIn: (waitMs, status) => listener.retryIn(waitMs, status),
          url: endpointUrl(endpoint, path),
          keyHeaders: adapted.has("bearer") ? "both" : "own",
          body: await requestBody(body(endpoint, asked, adapted)),
        }),
      );
      return await readAnswer(given, endpoint.protocol, answer);
    } catch (error) {
      // Keep the text that arrived before the failure.
      answer.flush();
      signal.throwIfAborted();
      throw advisedOnLength(shownWithout(endpoint.apiKey, error));
    }
  };
}

/** Raises ModelFailure, ErrorEvent and OtherDocument. */
export async function readAnswer(
  given: ProviderAnswer,
  protocol: ProtocolName,
  answer: Answer,
): Promise<ModelAnswer> {
  const reader = PROTOCOLS[protocol].reader(answer);
  const whole = new WholeText();
  let events = 0;
  const stream = new EventStream((data, type) => {
    events += 1;
    if (type === "error") throw new ErrorEvent(data);
    reader.event(data);
  }, tooLarge);
  await given.read((reads) => {
    for (const bytes of reads) if (!whole.takes(bytes)) stream.push(bytes);
    answer.flush();
    return reader.ended;
  });
  if (whole.isDocument) return readDocument(whole.text, reader, answer);
  stream.end();
  reader.end();
  if (events > 0 && !reader.understood && !reader.ended)
    throw brokenProtocol("none of its events belongs to this protocol");
  return answer.end(reader.ended || given.isDelimited);
}

/** Raises OtherDocument, or ModelFailure for a document that is too deep or too crowded. */
function readDocument(text: string, reader: AnswerReader, answer: Answer): ModelAnswer {
  requireModest(text);
  const document = parsedObject(text);
  if (!document || !reader.document(document)) throw new OtherDocument(text);
  reader.end();
  return answer.end(true);
}

/** Turns a provider's words into a failure without the key, which the readers do not know. */
function shownWithout(key: string, error: unknown): unknown {
  if (error instanceof ErrorEvent) return abortedAnswer(error.body, key);
  return error instanceof OtherDocument ? otherThanEvents(error.body, key) : error;
}
