// Goal: the demo's scenario works with a minimal agent loop and the vendor's own client.

import { expect, test } from "bun:test";
import OpenAI from "openai";
import { startModel } from "../../kit/model/index.ts";
import { demoScript } from "../../kit/model/demo.ts";

type Messages = OpenAI.ChatCompletionMessageParam[];

function functionTool(name: string, properties: Record<string, object>): OpenAI.ChatCompletionTool {
  return { type: "function", function: { name, parameters: { type: "object", properties } } };
}

/** Runs a turn like the service: rounds until there is no call, with `delegate` listing the agents. */
async function runTurn(client: OpenAI, messages: Messages, agents: string[]): Promise<string[][]> {
  const rounds: string[][] = [];
  for (;;) {
    const tools = [functionTool("agent_create", { name: {}, role: {}, model: {} })];
    if (agents.length > 0) tools.push(functionTool("delegate", { agent: { enum: [...agents] }, task: {} }));
    const stream = client.chat.completions.stream({ model: "demo-orchestrator", messages, tools });
    const { message } = (await stream.finalChatCompletion()).choices[0] ?? {};
    if (!message) throw new Error("no answer");
    messages.push({
      role: "assistant",
      content: message.content,
      ...(message.tool_calls && { tool_calls: message.tool_calls }),
    });
    rounds.push(message.tool_calls?.map((asked) => ("function" in asked ? asked.function.name : "")) ?? []);
    if (!message.tool_calls) return rounds;
    for (const asked of message.tool_calls)
      if ("function" in asked)
        messages.push({
          role: "tool",
          tool_call_id: asked.id,
          content: await runTool(client, asked.function, agents),
        });
  }
}

async function runTool(
  client: OpenAI,
  asked: { name: string; arguments: string },
  agents: string[],
): Promise<string> {
  const { name, role, model, task } = JSON.parse(asked.arguments) as Record<string, string>;
  if (asked.name === "agent_create") {
    expect([role, model]).toEqual([expect.any(String), "demo-worker"]);
    agents.push(name ?? "");
    return "created";
  }
  const messages: Messages = [{ role: "user", content: task ?? "" }];
  const answer = await client.chat.completions.create({ model: "demo-worker", messages });
  return answer.choices[0]?.message.content ?? "";
}

test("creates two workers, delegates to both in parallel and answers; a second turn delegates directly", async () => {
  // Goal: the main job, decided from the conversation alone, also works for a second question.
  await using model = await startModel();
  demoScript(model, 0);
  const client = new OpenAI({ baseURL: model.openaiUrl, apiKey: "key", maxRetries: 0 });
  const agents: string[] = [];
  const messages: Messages = [{ role: "user", content: "How tall is the Eiffel Tower?" }];
  const first = await runTurn(client, messages, agents);
  expect(first).toEqual([["agent_create", "agent_create"], ["delegate", "delegate"], []]);
  expect(agents).toEqual(["researcher", "reviewer"]);
  messages.push({ role: "user", content: "And the Burj Khalifa?" });
  expect(await runTurn(client, messages, agents)).toEqual([["delegate", "delegate"], []]);
  const answers = messages
    .filter((message) => message.role === "assistant")
    .map(({ content }) => String(content));
  expect(answers[2]).toMatch(
    /researcher reports: On "How tall is the Eiffel Tower".*reviewer reports: Two things/s,
  );
  expect(answers.at(-1)).toMatch(/"And the Burj Khalifa"/);
  expect(model.problems).toEqual([]);
});

test("prints its address and serves as a program", async () => {
  // Goal: the demo's model is reachable at the printed address and stops on request.
  const main = Bun.fileURLToPath(new URL("../../kit/model/main.ts", import.meta.url));
  const program = Bun.spawn([process.execPath, main, "--key", "k"], { stdout: "pipe" });
  const line = await program.stdout.getReader().read();
  const url = new TextDecoder().decode(line.value).trim();
  const response = await fetch(`${url}/v1/models`, { headers: { authorization: "Bearer k" } });
  expect(await response.json()).toMatchObject({ data: [{ id: "demo-orchestrator" }, { id: "demo-worker" }] });
  program.kill();
  await program.exited;
});
