// Goal: agents remember in their branches and nowhere else, what is bound stands in their prompts, and each works the same for a folder and a server.

import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { doorSource } from "../../../src/context/delivery/door-source.ts";
import { parseReceipt, verifyReceipt } from "../../../src/context/delivery/receipts.ts";
import { sha256Hex } from "../../../src/kit/crypto.ts";
import type { StreamEvent } from "../../kit/http/client.ts";
import { eventually } from "../../kit/eventually.ts";
import { bytes } from "../../kit/store/file-engine.ts";
import { memoryKinds, memoryWorld, type MemoryWorld } from "../../kit/service/memory-world.ts";
import { call, say } from "../../kit/model/index.ts";
import { refusal } from "../../kit/http/refusal.ts";

/** The results of a turn's tool calls, in order. */
const results = (events: readonly StreamEvent[]) =>
  events
    .filter(({ type }) => type === "tool.result")
    .map(({ data }) => data.data as { outcome: string; text: string });

const systemOf = ({ at }: MemoryWorld) => at.model.requests.at(-1)!.system;

for (const kind of memoryKinds)
  describe(`memory in a ${kind}`, () => {
    test("a worker writes, a later turn of another agent reads, and both are versions by agent", async () => {
      await using memory = await memoryWorld(kind, { workers: ["scout", "clerk"] });
      const { at } = memory;
      at.model
        .script("boss", [call("delegate", { agent: "scout", task: "Note it." }), say("Noted.")])
        .script("scout", [
          call("memory_write", { name: "shared/facts.md", content: "The sea is cold.\n", version: 0 }),
          say("Done."),
        ]);
      await at.chat("Remember that the sea is cold.");
      at.model
        .script("boss", [call("delegate", { agent: "clerk", task: "Read and add." }), say("Added.")])
        .script("clerk", [
          call("memory_read", { name: "shared/facts.md" }),
          call("memory_write", {
            name: "shared/facts.md",
            content: "The sea is cold and wide.\n",
            version: 1,
          }),
          say("Done."),
        ]);
      const { events } = await at.chat("Add that it is wide.");
      expect(results(events).map(({ outcome, text }) => [outcome, text])).toEqual([
        ["ok", "shared/facts.md, version 1:\n\nThe sea is cold.\n"],
        ["ok", "Saved shared/facts.md, version 2."],
        ["ok", "Done."],
      ]);
      const { branch } = await at.admin.get(at.own);
      const history = await memory.space((space) => space.history(`${branch}/shared/facts.md`));
      const by = (agent: string) => (kind === "folder" ? agent : `root (${agent})`);
      expect(history.versions.map(({ author, message }) => [author, message])).toEqual([
        [by("clerk"), `turn 2 of workspace ${at.workspaceId}`],
        [by("scout"), `turn 1 of workspace ${at.workspaceId}`],
      ]);
      const path = `${branch}/shared/facts.md`;
      expect(await at.admin.get(`${at.own}/memory`)).toMatchObject([{ path, version: 2, state: "live" }]);
      const { versions } = await at.admin.get(`${at.own}/memory/history?path=${path}`);
      const agentOf = new Map((await at.admin.get(`${at.own}/agents`)).map(({ id, name }) => [id, name]));
      expect(
        versions.map(({ version, turn_id, agent_id }) => [version, turn_id, agentOf.get(agent_id!)]),
      ).toEqual([
        [2, 2, "clerk"],
        [1, 1, "scout"],
      ]);
      expect(await at.admin.get(`${at.own}/memory/file?path=${path}&version=1`)).toMatchObject({
        version: 1,
        text: "The sea is cold.\n",
      });
      expect(await at.admin.get(`${at.own}/memory/writes?turn=2`)).toMatchObject([
        { path, version: 2, replaced: 1, turn_id: 2 },
      ]);
      expect(events.find(({ type }) => type === "memory.written")?.data.data).toMatchObject({
        write: { path, version: 2 },
      });
    });

    test("a stale write changes nothing and hands the current content to the model", async () => {
      await using memory = await memoryWorld(kind, { model: true });
      const { at } = memory;
      const { branch } = await at.admin.get(at.own);
      await memory.space((space) => space.write(`${branch}/shared/plan.md`, bytes("theirs"), null));
      at.model.script("boss", [
        call("memory_write", { name: "shared/plan.md", content: "mine", version: 0 }),
        call("memory_write", { name: "mine/none.md", content: "mine", version: 3 }),
        say("I see."),
      ]);
      const { events } = await at.chat("Write the plan.");
      expect(results(events)).toMatchObject([
        {
          outcome: "error",
          text: "Nothing was written: shared/plan.md is at version 1 now. Its content:\n\ntheirs",
        },
        { outcome: "error", text: expect.stringContaining("mine/none.md does not exist") },
      ]);
      expect((await memory.space((space) => space.read(`${branch}/shared/plan.md`))).version).toBe(1);
    });

    test("a long document is cut visibly, and read on from there", async () => {
      await using memory = await memoryWorld(kind, { model: true });
      const { at } = memory;
      const { branch } = await at.admin.get(at.own);
      const text = "0123456789".repeat(4_000);
      await memory.space((space) => space.write(`${branch}/shared/long.md`, bytes(text), null));
      const read = (offset?: number) => call("memory_read", { name: "shared/long.md", offset });
      at.model.script("boss", [read(), read(32_000), read(40_000), say("I see.")]);
      const { events } = await at.chat("Read it.");
      const [first, rest, beyond] = results(events);
      expect(first!.text).toEndWith(
        `${text.slice(0, 32_000)}\n\n(These are characters 0 to 32000 of 40000. To continue, call memory_read with offset 32000.)`,
      );
      expect(rest!.text).toEndWith(
        `${text.slice(32_000)}\n\n(These are characters 32000 to 40000 of 40000. That is the end.)`,
      );
      expect(beyond).toMatchObject({ outcome: "error" });
      expect(beyond!.text).toContain("beyond the end; the document has 40000 characters");
    });

    test("a long document is cut between characters, also where one takes two units", async () => {
      await using memory = await memoryWorld(kind, { model: true });
      const { at } = memory;
      const { branch } = await at.admin.get(at.own);
      const text = `0${"🪿".repeat(20_000)}`;
      await memory.space((space) => space.write(`${branch}/shared/geese.md`, bytes(text), null));
      const read = (offset?: number) => call("memory_read", { name: "shared/geese.md", offset });
      const stale = call("memory_write", { name: "shared/geese.md", content: "None.", version: 0 });
      at.model.script("boss", [read(), read(32_000), stale, say("I see.")]);
      const { events } = await at.chat("Read it.");
      const [first, rest, current] = results(events).map((result) => result.text.split("\n\n"));
      expect(first!.slice(1)).toEqual([
        text.slice(0, 31_999),
        "(These are characters 0 to 31999 of 40001. To continue, call memory_read with offset 31999.)",
      ]);
      expect(rest!.slice(1)).toEqual([
        text.slice(31_999),
        "(These are characters 31999 to 40001 of 40001. That is the end.)",
      ]);
      expect(current!.slice(1)).toEqual([text.slice(0, 15_999), "(cut; memory_read reads the rest)"]);
    });

    test("an agent whose prompt has text from the web may read memory, and not write it", async () => {
      await using memory = await memoryWorld(kind, { model: true });
      const { at } = memory;
      const offered = () => at.model.requests.at(-1)!.tools.map(({ name }) => name);
      at.model.script("boss", [say("They fly south.")]);
      await at.chat("When do herons fly?");
      expect(offered()).toContain("memory_write");
      // Only searches produce such text, and this service has none.
      await at.restart((data) => {
        using db = new Database(`${data}/service.db`);
        db.run("UPDATE entries SET tainted = 1 WHERE kind = 'agent'");
      });
      at.model.script("boss", [
        call("memory_write", { name: "shared/facts.md", content: "South.", version: 0 }),
        say("I may not."),
      ]);
      const { events } = await at.chat("Note it.");
      expect(results(events)).toMatchObject([{ outcome: "error" }]);
      expect(offered()).not.toContain("memory_write");
      expect(offered()).toContain("memory_read");
      expect((await memory.space((space) => space.list())).map(({ path }) => path)).not.toContainEqual(
        expect.stringContaining("facts.md"),
      );
    });

    test("refuses every name outside the agent's branches, secrets, and content that is too large", async () => {
      await using memory = await memoryWorld(kind, { workers: ["scout"] });
      const { at } = memory;
      await memory.space((space) => space.write("private.md", bytes("secret plans"), null));
      const names = [
        "private.md",
        "../private.md",
        "shared/../../../private.md",
        "shared/",
        "mine/.git/x",
        "/x",
      ];
      at.model.script("boss", [
        ...names.map((name) => call("memory_read", { name })),
        ...names.map((name) => call("memory_write", { name, content: "x", version: 0 })),
        call("memory_write", { name: "shared/key.md", content: "AKIAQWERTYUIOPASDFGH", version: 0 }),
        call("memory_write", { name: "shared/big.md", content: "x".repeat(300_000), version: 0 }),
        say("No."),
      ]);
      const { events } = await at.chat("Try.");
      const outcomes = results(events);
      expect(outcomes.every(({ outcome }) => outcome === "error")).toBe(true);
      expect(outcomes.some(({ text }) => text.includes("secret plans"))).toBe(false);
      expect(outcomes.at(-2)!.text).toContain("looks like a secret");
      expect(outcomes.at(-1)!.text).toContain("at most 262144 bytes");
      expect((await memory.space((space) => space.list())).map(({ path }) => path)).toEqual(["private.md"]);
    });

    test("bound documents and memory stand in the prompt by version, fresh on the next turn, gone when unbound", async () => {
      await using memory = await memoryWorld(kind, { workers: ["scout"] });
      const { at } = memory;
      const { branch } = await at.admin.get(at.own);
      await memory.space(async (space) => {
        await space.write("team/style.md", bytes("Be brief."), null);
        await space.write(`${branch}/shared/facts.md`, bytes("Cold sea."), null);
      });
      const bound = await at.admin.post(`${at.own}/context`, { path: "team/style.md" });
      await at.admin.post(`${at.own}/context`, { path: "team/none@v2", agent_id: at.orchestratorId });
      const prompt = await at.admin.get(`/agents/${at.orchestratorId}/prompt`);
      const inPrompt = prompt.parts.filter(({ kind: of }) => of === "context");
      expect(inPrompt.map(({ source, document }) => ({ source, ...document }))).toEqual([
        { source: "context:team/style.md@v1", path: "team/style.md", version: 1, unread: null },
        {
          source: "context:team/none@v2",
          path: "team/none@v2",
          version: null,
          unread: "file team/none@v2: not found",
        },
        {
          source: `context:${branch}/shared/facts.md@v1`,
          path: `${branch}/shared/facts.md`,
          version: 1,
          unread: null,
        },
      ]);
      at.model.script("boss", [say("Yes.")]);
      const { turn } = await at.chat("Hello.");
      expect(systemOf(memory)).toContain("Document team/style.md, version 1:\n\nBe brief.");
      expect(systemOf(memory)).toContain(
        "team/none@v2 is bound here and cannot be read now: file team/none@v2: not found",
      );
      const [sent] = await at.admin.get(`/turns/${turn.id}/calls`);
      const receipt = await at.admin.get(`/calls/${sent!.id}/receipt`);
      expect(receipt.documents).toMatchObject([
        { path: "team/style.md", version: 1, hash: sha256Hex("Be brief."), bytes: 9 },
        { path: `${branch}/shared/facts.md`, version: 1, hash: sha256Hex("Cold sea."), bytes: 9 },
      ]);
      expect(receipt.omitted).toMatchObject([{ path: "team/none@v2" }]);
      await memory.space((space) => space.write("team/style.md", bytes("Be long."), 1));
      at.model.script("boss", [say("Yes.")]);
      await at.chat("Again.");
      expect(systemOf(memory)).toContain("Document team/style.md, version 2:\n\nBe long.");
      // The receipt from before the edit is still proven.
      const kept = parseReceipt(JSON.stringify(receipt));
      const proof = await memory.space((space) =>
        verifyReceipt(
          kept,
          doorSource(space, () => Promise.resolve()),
        ),
      );
      expect(proof.ok).toBe(true);
      expect(proof.rows.map(({ path, version, current }) => [path, version, current])).toEqual([
        ["team/style.md", 1, 2],
        [`${branch}/shared/facts.md`, 1, 1],
      ]);
      await at.admin.delete(`/context-bindings/${bound.id}`);
      at.model.script("boss", [say("Yes.")]);
      await at.chat("And now?");
      expect(systemOf(memory)).not.toContain("team/style.md");
    });

    test("searches by words, by relevance and age, and says why", async () => {
      await using memory = await memoryWorld(kind, { model: true });
      const { at } = memory;
      const { branch } = await at.admin.get(at.own);
      await memory.space(async (space) => {
        await space.write(`${branch}/shared/sea.md`, bytes("The sea is cold.\n"), null);
        await space.write("else/sea.md", bytes("The sea is elsewhere.\n"), null);
      });
      at.model.script("boss", [
        call("memory_search", { query: "cold sea" }),
        call("memory_search", { query: "cold mountains" }),
        call("memory_search", { query: "mountains" }),
        call("memory_list", {}),
        say("Found."),
      ]);
      const { events } = await at.chat("Search.");
      const [both, one, none, list] = results(events).map(({ text }) => text);
      expect(both).toMatch(
        /^shared\/sea\.md \(version 1, today; matches cold, sea\)\n {2}1: The sea is cold\.$/,
      );
      expect(one).toContain("matches cold)");
      expect(none).toBe("Nothing in your memory matches.");
      expect(list).toMatch(/^shared\/sea\.md \(version 1, by .+, 17 bytes\)$/);
    });

    test("fifty agents that write at once lose nothing", async () => {
      await using memory = await memoryWorld(kind, { model: true });
      const { at } = memory;
      const { branch } = await at.admin.get(at.own);
      const places = await Promise.all(Array.from({ length: 50 }, (_, index) => at.place(`room ${index}`)));
      const write = call("memory_write", { name: "mine/note.md", content: "here", version: 0 });
      at.model.on("boss", (request) =>
        request.messages.some(({ role }) => role === "assistant") ? say("Done.") : write,
      );
      await Promise.all(places.map((place) => place.chat("Write it down.")));
      const files = await memory.space((space) => space.list({ prefix: "workspaces" }));
      expect(files.filter(({ path }) => path.endsWith("/agents/orchestrator/note.md"))).toHaveLength(50);
      expect(branch).toStartWith("workspaces/");
    });

    test("a clone gets its own branch with the bound documents; a deleted workspace leaves its versions", async () => {
      await using memory = await memoryWorld(kind, { model: true });
      const { at } = memory;
      const { branch } = await at.admin.get(at.own);
      await memory.space(async (space) => {
        await space.write(`${branch}/shared/plan.md`, bytes("the plan"), null);
        await space.write("team/style.md", bytes("Be brief."), null);
      });
      for (const path of [`${branch}/shared/plan.md`, "team/style.md"])
        await at.admin.post(`${at.own}/context`, { path });
      const clone = await at.admin.post(`${at.own}/clone`, { name: "copy" });
      expect((await at.admin.get(`/workspaces/${clone.id}/context`)).map(({ path }) => path)).toEqual([
        "team/style.md",
        `${clone.branch}/shared/plan.md`,
      ]);
      // Asked of the service: a command that opens the space again and again would leave it no turn on a busy machine.
      const copied = () =>
        at.admin.get(`/context/file?path=${clone.branch}/shared/plan.md`).then(
          ({ text }) => text,
          () => "",
        );
      await eventually(copied, "the plan");
      await at.admin.delete(at.own);
      await eventually(() => at.admin.get(`/context/files?path=${branch}`), []);
      expect(await memory.space((space) => space.list({ prefix: branch, deleted: true }))).toMatchObject([
        { path: `${branch}/shared/plan.md`, state: "deleted" },
      ]);
    });

    test("the admin's area reads and saves by version; others do not see it", async () => {
      await using memory = await memoryWorld(kind, { model: true, people: { ann: "member" } });
      const { at } = memory;
      const { admin } = at;
      const ann = at.people["ann"]!;
      const put = (text: string, headers: Record<string, string>) =>
        admin.raw("PUT", "/context/file?path=team/style.md", { body: text, headers });
      const created = await put("one", { "If-None-Match": "*" });
      expect([created.status, await created.json()]).toMatchObject([201, { version: 1 }]);
      await refusal(await put("two", { "If-None-Match": "*" }), "stale");
      const saved = await put("two", { "If-Match": '"1"' });
      expect([saved.status, saved.headers.get("etag")]).toEqual([200, '"2"']);
      expect(await admin.get("/context/file?path=team/style.md")).toEqual({
        path: "team/style.md",
        version: 2,
        state: "live",
        text: "two",
      });
      expect(await admin.get("/context/files?path=team")).toMatchObject([
        { path: "team/style.md", version: 2 },
      ]);
      for (const path of ["/context/files", "/context/file?path=team/style.md"] as const)
        await refusal(ann.get(path), "forbidden");
      await refusal(ann.get(`${at.own}/memory`), "not_found");
      await refusal(ann.post(`${at.own}/context`, { path: "team/style.md" }), "not_found");
      expect(await ann.get("/context/status")).toMatchObject({ available: true, kind });
      expect(await ann.get("/context/status")).not.toHaveProperty("place");
      await refusal(
        admin.post(`${at.own}/context`, { path: "workspaces/other-99/shared/x.md" }),
        "forbidden",
      );
      for (const what of ["file", "history"])
        await refusal(admin.get(`${at.own}/memory/${what}?path=team/style.md`), "not_found");
      await refusal(ann.get(`${at.own}/memory/writes?turn=1`), "not_found");
    });
  });
