// Goal: `kill -9` while a model answers costs at most the last second of its text. The rest is kept as a partial answer, which resuming replaces.

import { expect, test } from "bun:test";
import { eventually } from "../kit/eventually.ts";
import { call, gate, hang, say } from "../kit/model/index.ts";
import { lookAtCopy } from "../kit/service/database-copy.ts";
import { compiledWorld } from "../kit/service/world.ts";

/** The pieces, in their order, as one text. */
const keptIn = (data: string) =>
  lookAtCopy(data, (db) =>
    db
      .query<{ text: string }, []>("SELECT text FROM arrived_texts ORDER BY call_id, kind, start")
      .all()
      .map(({ text }) => text)
      .join(""),
  );

test("the text of every agent that was answering is there after the next start, and nothing is left over", async () => {
  const [first, second] = [gate(), gate()];
  await using at = await compiledWorld({
    workers: ["scribe"],
    model: {
      boss: [[say("I ask."), call("delegate", { agent: "scribe", task: "Write." })], say("All is written.")],
      scribe: [[...say("Half a "), first, ...say("sen"), second, hang()], say("A whole sentence.")],
    },
  });
  const chat = await at.admin.events(`${at.own}/chat`, { method: "POST", body: { text: "go" } });
  let arrived = "";
  const arrives = (end: string) =>
    chat.until(({ type, data }) => {
      if (type === "delta") arrived += data.data.text;
      return arrived.endsWith(end);
    });
  await arrives("Half a ");
  await eventually(() => keptIn(at.data), "Half a ");
  first.open();
  await arrives("sen");
  // Only what is new is written.
  await eventually(() => keptIn(at.data), "Half a sen");
  await at.restart(async (data) => expect(await keptIn(data)).toBe("Half a sen"));
  second.open();
  const [turn] = await at.admin.get(`${at.own}/turns`);
  expect(turn!.status).toBe("interrupted");
  const texts = async () =>
    (await at.admin.get(`${at.own}/entries`))
      .filter(({ kind }) => kind === "agent")
      .map(({ text, partial, forgotten }) => [text, partial, forgotten]);
  expect(await texts()).toEqual([
    ["I ask.", false, false],
    ["Half a sen", true, false],
  ]);
  await at.admin.post(`/turns/${turn!.id}/resume`);
  await at.end(turn!);
  expect(await texts()).toEqual([
    ["I ask.", false, false],
    ["Half a sen", true, true],
    ["A whole sentence.", false, false],
    ["All is written.", false, false],
  ]);
  await at.restart(async (data) => expect(await keptIn(data)).toBe(""));
});
