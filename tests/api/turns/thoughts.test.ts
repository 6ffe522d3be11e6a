// Goal: a provider gets the thoughts of an answer back unchanged and in their places while the tools of that answer run, and never later or another
// model's; one that refuses them gets the request without them, in the same turn.

import { expect, test } from "bun:test";
import { call, httpError, say, think } from "../../kit/model/index.ts";
import { signThinking } from "../../kit/model/messages-rules.ts";
import { QUICK, world } from "../../kit/service/world.ts";

type Body = Record<string, unknown>;

/** The types of the blocks in each answer that a request replays. */
const replayed = (body: Body) =>
  (body["messages"] as { role: string; content: Body[] }[])
    .filter(({ role }) => role === "assistant")
    .map(({ content }) => content.map(({ type }) => type));

const SIGNED = ["thinking", "tool_use"];

test("thoughts are sent back in their places until the turn ends", async () => {
  await using lab = await world({ protocol: "anthropic", times: QUICK });
  lab.model.script("boss", [
    [
      think("They want "),
      think("a list."),
      say("Let me look."),
      think("Which tool?"),
      call("agent_list", {}),
    ],
    [think("And the models."), call("model_list", {})],
    [think("Enough."), say("Done.")],
    say("You are welcome."),
  ]);
  expect((await lab.chat("hello")).turn).toMatchObject({ status: "done", error: null });
  expect((await lab.chat("thanks")).turn.status).toBe("done");
  expect(lab.model.problems).toEqual([]);
  const [, second, third, next] = lab.model.requests.map(({ raw }) => raw);
  const [, answer] = second!["messages"] as { content: Body[] }[];
  expect(answer!.content).toEqual([
    { type: "thinking", thinking: "They want a list.", signature: signThinking("They want a list.") },
    { type: "text", text: "Let me look." },
    { type: "thinking", thinking: "Which tool?", signature: signThinking("Which tool?") },
    expect.objectContaining({ type: "tool_use", name: "agent_list" }),
  ]);
  expect(replayed(third!)).toEqual([["thinking", "text", "thinking", "tool_use"], SIGNED]);
  expect(replayed(next!)).toEqual([["text", "tool_use"], ["tool_use"], ["text"]]);
});

test("a request without the thoughts that the provider refuses follows, and later ones are sent", async () => {
  await using lab = await world({ protocol: "anthropic", times: QUICK });
  lab.model.on("boss", ({ raw }) => {
    const answers = replayed(raw);
    const refused = answers.length === 1 && answers[0]!.includes("thinking");
    if (refused)
      return httpError(400, "messages.1.content.0: The block is bound to a different conversation");
    return answers.length < 3 ? [think(`round ${answers.length}`), call("agent_list", {})] : say("Done.");
  });
  expect((await lab.chat("hello")).turn).toMatchObject({ status: "done", error: null });
  expect(lab.model.requests.map(({ raw }) => replayed(raw))).toEqual([
    [],
    [SIGNED],
    [["tool_use"]],
    [["tool_use"], SIGNED],
    [["tool_use"], SIGNED, SIGNED],
  ]);
  expect(lab.model.problems).toEqual([]);
});

test("people see the text of thoughts with the answer, and no signature anywhere", async () => {
  await using lab = await world({ protocol: "anthropic", times: QUICK });
  lab.model.script("boss", [[think("A secret plan."), call("agent_list", {})], say("Done.")]);
  const { turn } = await lab.chat("hello");
  const calls = await lab.admin.get<{ id: number }[]>(`/turns/${turn.id}/calls`);
  const shown = await Promise.all([
    lab.admin.get(`/calls/${calls.at(-1)!.id}`),
    lab.admin.get(`${lab.own}/entries`),
  ]);
  expect(JSON.stringify(shown)).toContain("A secret plan.");
  expect(JSON.stringify(shown)).not.toContain(signThinking("A secret plan."));
});
