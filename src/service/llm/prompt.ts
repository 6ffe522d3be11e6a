// Conversation helpers for the requests of both protocols.

import { contentKey, type AttachmentContent } from "../attachments/content.ts";
import type { SentAttachment } from "../attachments/schema.ts";
import { excessIn } from "../../kit/text/json-shape.ts";
import { parsedObject } from "../../kit/text/parsed-json.ts";
import type { Message, ModelRequest, ToolCall } from "./model.ts";

export const BETWEEN_TEXTS = "\n\n";

/** Merges adjacent messages of one role, because the templates of many models require alternating roles. Tool results stay separate. */
export function joinNeighbours(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === "user" && last?.role === "user") joined.splice(-1, 1, joinedUsers(last, message));
    else if (message.role === "assistant" && last?.role === "assistant")
      joined.splice(-1, 1, {
        role: "assistant",
        text: joinTexts(last.text, message.text),
        calls: [...last.calls, ...message.calls],
        reasoning: joinTexts(last.reasoning ?? "", message.reasoning ?? ""),
      });
    else joined.push(message);
  }
  return joined;
}

type UserMessage = Extract<Message, { role: "user" }>;

function joinedUsers(first: UserMessage, second: UserMessage): UserMessage {
  const attachments = [...(first.attachments ?? []), ...(second.attachments ?? [])];
  const text = joinTexts(first.text, second.text);
  return attachments.length === 0 ? { role: "user", text } : { role: "user", text, attachments };
}

function joinTexts(first: string, second: string): string {
  return [first, second].filter((text) => text !== "").join(BETWEEN_TEXTS);
}

/** Returns a call's arguments. If they were not an object, or had too much of something, the call failed, and the model sees its own text. */
export function inputOf(call: ToolCall): object {
  const object = excessIn(call.arguments) === undefined ? parsedObject(call.arguments) : undefined;
  return object ?? { invalid_arguments: call.arguments };
}

/** Names the attachment for a protocol that has no field for it. */
export function heading({ name, media_type: type, bytes }: SentAttachment): string {
  return `[Attachment "${name}" (${type}, ${bytes} bytes)]`;
}

/** Raises for an attachment whose content was not read, which is a defect. */
export function contentOf(one: SentAttachment, contents: ModelRequest["contents"]): AttachmentContent {
  const content = contents?.get(contentKey(one));
  if (content === undefined) throw new Error(`the content of attachment ${one.hash} was not read`);
  return content;
}
