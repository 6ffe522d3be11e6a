// Builds the conversation feature, and the record of sent prompts.

import type { Ground } from "../ground.ts";
import type { Access } from "../workspaces/access.ts";
import { Conversation } from "./conversation.ts";
import { SentPrompts } from "./sent-prompts.ts";
import { conversationStore } from "./store.ts";

export function buildConversation({ db, clock, audit, journal }: Ground, access: Access) {
  const store = conversationStore(db);
  return {
    conversation: new Conversation({ db, store, access, journal, audit, clock }),
    prompts: new SentPrompts(store),
  };
}
