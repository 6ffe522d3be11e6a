// Goal: the main job works in both protocols: the orchestrator creates a worker and so a wire, delegates twice in parallel, both answer, and the
// final answer streams.

import { expect, test } from "bun:test";
import { call, gate, say } from "../kit/model/index.ts";
import { protocols, world } from "../kit/service/world.ts";

for (const protocol of protocols) {
  test(`creates a worker, wires it, and delegates to it twice in parallel (${protocol})`, async () => {
    await using lab = await world({ protocol });
    await lab.addModel("worker");
    lab.model.script("boss", [
      [
        say("I need help."),
        call("agent_create", { name: "researcher", role: "You research.", model: "worker" }),
      ],
      [
        call("delegate", { agent: "researcher", task: "first" }),
        call("delegate", { agent: "researcher", task: "second" }),
      ],
      say("All done.", { chunks: 4 }),
    ]);
    const both = gate();
    lab.model.on("worker", (request) => [both, say(`answer to ${request.messages.at(-1)!.text}`)]);

    const chat = lab.chat("please");
    await lab.model.waitFor(() => lab.model.requestsOf("worker").length === 2);
    both.open();
    const { events, turn } = await chat;

    expect(turn).toMatchObject({ status: "done", error: null });
    const blueprint = await lab.admin.get(`${lab.own}/blueprint`);
    expect(blueprint.agents.map((agent) => agent.name)).toEqual(["orchestrator", "researcher"]);
    expect(blueprint.wires).toHaveLength(1);
    expect(lab.model.problems).toEqual([]);
    expect(lab.model.resultsOf("boss")).toEqual(["answer to first", "answer to second"]);
    const spoken = events
      .filter((event) => event.type === "delta" && event.data.data.run_id === 1)
      .map((event) => event.data.data.text);
    expect(spoken.join("")).toBe("I need help.All done.");
    expect(lab.model.peak).toBe(2);
  });
}
