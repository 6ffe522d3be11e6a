// What the requests of both protocols need of a conversation.

import { isTooDeep } from "../../kit/json-depth.ts";
import { parsedObject } from "./json.ts";
import type { Message, ToolCall } from "./model.ts";

const BETWEEN_TEXTS = "\n\n";

/** Neighbours of one speaker as one message: the templates of many models want speakers to take turns. Results stay apart. */
export function joinNeighbours(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === "user" && last?.role === "user")
      joined.splice(-1, 1, { role: "user", text: joinTexts(last.text, message.text) });
    else if (message.role === "assistant" && last?.role === "assistant")
      joined.splice(-1, 1, {
        role: "assistant",
        text: joinTexts(last.text, message.text),
        calls: [...last.calls, ...message.calls],
      });
    else joined.push(message);
  }
  return joined;
}

function joinTexts(first: string, second: string): string {
  return [first, second].filter((text) => text !== "").join(BETWEEN_TEXTS);
}

/** Arguments that were not an object, or too deep, were answered with an error; what the model wrote is shown to it as text. */
export function inputOf(call: ToolCall): object {
  const object = isTooDeep(call.arguments) ? undefined : parsedObject(call.arguments);
  return object ?? { invalid_arguments: call.arguments };
}
