// Goal: scripts are consumed in order, requests are recorded, and mistakes of a test are reported clearly.

import { expect, test } from "bun:test";
import OpenAI from "openai";
import {
  call,
  type ModelRequest,
  say,
  type ScriptedModel,
  startModel,
  times,
} from "../../kit/model/index.ts";

async function ask(model: ScriptedModel, name: string): Promise<string> {
  const client = new OpenAI({ baseURL: model.openaiUrl, apiKey: "key", maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "hi" }];
  const answer = await client.chat.completions.create({ model: name, messages });
  return answer.choices[0]?.message.content ?? "";
}

test("replies by model name, in order, and finally by a function", async () => {
  // Goal: two agents with two model names never receive each other's replies.
  await using model = await startModel();
  model.script("boss", [say("one"), times(2, say("two")), (request) => say(`three for ${request.model}`)]);
  model.on("boss", say("again")).reply(say("anyone"));
  const answers = [];
  for (const name of ["boss", "helper", "boss", "boss", "boss"]) answers.push(await ask(model, name));
  expect(answers).toEqual(["one", "anyone", "two", "two", "three for boss"]);
  expect(model.left).toBe(0);
  expect(await ask(model, "boss")).toBe("again");
  expect(model.requestsOf("boss")).toHaveLength(5);
});

test("reports an exhausted script without causing a retry", async () => {
  // Goal: the error names the model and the number of replies.
  await using model = await startModel();
  model.script("boss", [say("one")]);
  await ask(model, "boss");
  expect(await ask(model, "boss").catch(String)).toMatch(/400.*model "boss" has run out after 1 replies/);
  expect(model.problems).toEqual([
    'request 1 (boss): the script of model "boss" has run out after 1 replies',
  ]);
});

test("refuses a script with a status after text", async () => {
  // Goal: something impossible in HTTP is refused instead of silently changed.
  await using model = await startModel();
  model.on("boss", () => [
    say("x"),
    { kind: "status", status: 500, message: "m", headers: {}, type: undefined },
  ]);
  const client = new OpenAI({ baseURL: model.openaiUrl, apiKey: "key", maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "hi" }];
  const asked = client.chat.completions.create({ model: "boss", messages, stream: true });
  expect(await asked.catch(String)).toContain("httpError after speech");
});

test("ends a wait for a request at the limit, with the requests so far", async () => {
  // Goal: a failed wait names the received requests.
  await using model = await startModel();
  model.reply(say("hi"));
  await ask(model, "boss");
  expect(await model.waitFor(2, 1).catch(String)).toContain("requests so far: boss (done)");
});

test("reads both protocols into one form", async () => {
  // Goal: a script function need not know which protocol it serves.
  await using model = await startModel();
  const seen: ModelRequest[] = [];
  model.on("boss", (request) => {
    seen.push(request);
    return call("next");
  });
  const schema = { type: "object", properties: {} };
  const bodies = {
    "/v1/messages": {
      model: "boss",
      max_tokens: 9,
      system: "be brief",
      tools: [{ name: "t", description: "d", input_schema: schema }],
      tool_choice: { type: "none" },
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: [{ type: "tool_use", id: "call00001", name: "t", input: { x: 1 } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "call00001", content: "done" }] },
      ],
    },
    "/v1/chat/completions": {
      model: "boss",
      tools: [{ type: "function", function: { name: "t", description: "d", parameters: schema } }],
      tool_choice: "none",
      messages: [
        { role: "system", content: "be brief" },
        { role: "user", content: "hi" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "call00001", type: "function", function: { name: "t", arguments: '{"x":1}' } }],
        },
        { role: "tool", tool_call_id: "call00001", content: "done" },
      ],
    },
  };
  for (const [path, body] of Object.entries(bodies))
    await fetch(model.url + path, {
      method: "POST",
      headers: { authorization: "Bearer k", "anthropic-version": "2023-06-01" },
      body: JSON.stringify(body),
    });
  const [one, other] = seen.map(({ system, messages, tools, toolChoice }) => ({
    system,
    messages,
    tools,
    toolChoice,
  }));
  expect(one).toEqual({
    system: "be brief",
    toolChoice: "none",
    tools: [{ name: "t", description: "d", schema }],
    messages: [
      { role: "user", text: "hi", reasoning: "", calls: [], results: [] },
      {
        role: "assistant",
        text: "",
        reasoning: "",
        calls: [{ id: "call00001", name: "t", json: '{"x":1}', args: { x: 1 } }],
        results: [],
      },
      {
        role: "user",
        text: "",
        reasoning: "",
        calls: [],
        results: [{ id: "call00001", text: "done", error: false }],
      },
    ],
  });
  expect(other).toEqual(one);
});
