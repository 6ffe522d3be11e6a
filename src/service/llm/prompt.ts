// Conversation helpers for the requests of both protocols.

import { isTooDeep } from "../../kit/json-depth.ts";
import { parsedObject } from "./json.ts";
import type { Message, ToolCall } from "./model.ts";

const BETWEEN_TEXTS = "\n\n";

/** Merges adjacent messages of one role, because the templates of many models require alternating roles. Tool results stay separate. */
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

/** Returns a call's arguments. If they were not an object, or nested too deeply, the call failed, and the model sees its own text. */
export function inputOf(call: ToolCall): object {
  const object = isTooDeep(call.arguments) ? undefined : parsedObject(call.arguments);
  return object ?? { invalid_arguments: call.arguments };
}
