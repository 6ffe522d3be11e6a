// The door of the scripted model: what tests, the benchmark and the demo import.

export { validateChatRequest } from "./chat-rules.ts";
export * from "./conversation.ts";
export { demoOrchestrator, demoScript, demoWorker } from "./demo.ts";
export { signThinking, validateMessagesRequest } from "./messages-rules.ts";
export type { RecordedRequest } from "./requests.ts";
export * from "./script.ts";
export { closedPort, type Lookup, type ModelOptions, ScriptedModel, startModel } from "./server.ts";
export { readStamps } from "./stamp.ts";
