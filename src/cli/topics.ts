// The topics of `cairn help`: what no single command explains. The texts are in embed/topics.

import type { Topic } from "../kit/terminal/cli.ts";
import type { topicTexts } from "./topic-texts.ts";

const topic = (name: keyof typeof topicTexts, description: string): Topic => ({
  description,
  text: async () => (await import("./topic-texts.ts")).topicTexts[name],
});

export const topics = {
  spaces: topic("spaces", "What a space is, and how a command finds one"),
  sync: topic("sync", "How copies of a space sync"),
  mcp: topic("mcp", "How an AI tool starts cairn mcp"),
  rights: topic("rights", "Who may see and change what"),
  environment: topic("environment", "Variables and standard directories"),
  output: topic("output", "Text, JSON and YAML, and the stream for each"),
  "exit-codes": topic("exit-codes", "What exit codes mean"),
} satisfies Record<keyof typeof topicTexts, Topic>;
