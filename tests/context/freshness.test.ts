// Goal: a server says which documents are stale by its own clock, to each caller about the documents that they may read.

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import type { FreshnessAnswer } from "../../src/context/freshness/schema.ts";
import { contextServer, deny, type ContextClient } from "../kit/context/context-server.ts";
import { eventually } from "../kit/eventually.ts";
import { openedContext } from "../kit/context/opened-context.ts";
import { DAY_MS, manualClock } from "../kit/manual-clock.ts";
import { refusal } from "../kit/http/refusal.ts";

const ask = (client: ContextClient) => client.get("/spaces/team/freshness") as Promise<FreshnessAnswer>;
const states = async (client: ContextClient) =>
  (await ask(client)).documents.map(({ path, state, due }) => `${path} ${state} ${due?.slice(0, 10)}`);

test("a document becomes stale when its window has passed since it was validated or written", async () => {
  const clock = manualClock();
  await using server = await contextServer({ clock });
  // The first token expires after a day.
  const admin = await server.user("ada", "admin");
  expect(await ask(admin)).toEqual({ now: "2026-01-01T12:00:00.000Z", important: [], documents: [] });
  await admin.write("validated.md", "---\nlast-validated: 2025-12-01\nstale-after: 12w\nowner: ann\n---\n");
  await admin.write("written.md", "---\nstale-after: 30d\n---\n");
  await admin.write("broken.md", "---\nstale-after: [\n---\n");
  await admin.write("plain.md", "# none");
  await admin.write("data.json", "---\nstale-after: 1d\n---\n");
  const fresh = [
    "broken.md unknown undefined",
    "validated.md fresh 2026-02-23",
    "written.md fresh 2026-01-31",
  ];
  expect(await states(admin)).toEqual(fresh);
  expect((await ask(admin)).documents[0]!.problems).toEqual([{ field: null, code: "not_yaml", value: null }]);
  clock.advance(30 * DAY_MS);
  expect(await states(admin)).toEqual(fresh);
  clock.advance(1);
  expect((await states(admin))[2]).toBe("written.md stale 2026-01-31");
  // A later version begins a new window, an older one comes back with its own.
  await admin.write("written.md", "---\nstale-after: 30d\n---\nagain");
  expect((await states(admin))[2]).toBe("written.md fresh 2026-03-02");
  await admin.delete("/spaces/team/files/written.md");
  expect(await states(admin)).toHaveLength(2);
  clock.advance(DAY_MS);
  await admin.post("/spaces/team/undelete/written.md", {});
  expect((await states(admin))[2]).toBe("written.md fresh 2026-03-02");
  writeFileSync(server.inSpace("broken.md"), "---\nlast-validated: 2026-01-02\nstale-after: 1y\n---\n");
  writeFileSync(server.inSpace("validated.md"), "no front matter");
  // An edit may be as late as the last look at all files.
  clock.advance(2_001);
  await eventually(() => states(admin), ["broken.md fresh 2027-01-02", "written.md fresh 2026-03-02"]);
  // A write over an edit counts at once.
  await admin.write("broken.md", "---\nstale-after: 1d\n---\n");
  expect((await states(admin))[0]).toBe("broken.md fresh 2026-02-02");
});

test("a caller learns nothing of documents that they may not list or not read", async () => {
  await using server = await contextServer();
  const { admin } = server;
  const paths = ["a.md", "listed/b.md", "secret/c.md", "unlisted/d.md"];
  for (const path of paths)
    await admin.write(path, "---\nlast-validated: 2020-01-01\nstale-after: 1d\nimportance: high\n---\n");
  const eve = await server.user("eve", "viewer");
  expect(await states(eve)).toHaveLength(4);
  expect((await ask(eve)).important).toEqual(paths);
  await server.rules(
    "eve",
    deny("secret/**", "list", "read"),
    deny("listed/**", "read"),
    deny("unlisted/**", "list"),
  );
  expect(await states(eve)).toEqual(["a.md stale 2020-01-02"]);
  expect((await ask(eve)).important).toEqual(["a.md"]);
  await admin.post("/spaces", { name: "other", template: "blank" });
  const bob = await server.user("bob", "viewer", ["other"]);
  await refusal(ask(bob), "not_found", "space team: not found");
});

test("a server announces what became stale once for each window", async () => {
  const clock = manualClock();
  await using server = await openedContext({ clock });
  const { events, staleEvents } = server.parts;
  const write = (path: string, text: string) => server.ask("PUT", `/spaces/team/files/${path}`, text);
  const told = async (days: number) => {
    const before = events.last;
    clock.advance(days * DAY_MS + 1);
    await staleEvents.look();
    return events
      .after(before)
      .map(({ type, path, version, actor, data }) => [type, path, version, actor, data]);
  };
  await write("old.md", "---\nstale-after: 30d\nowner: ann\n---\n");
  await write("secret/old.md", "---\nlast-validated: 2025-01-01\nstale-after: 1d\n---\n");
  await write("fresh.md", "---\nstale-after: 1y\n---\n");
  await events.settle();
  const stale = (path: string, version: number, due: string, owner: string | null) => [
    "freshness.stale",
    path,
    version,
    "server",
    { due, owner },
  ];
  expect(await told(0)).toEqual([stale("secret/old.md", 1, "2025-01-02T00:00:00.000Z", null)]);
  expect(await told(30)).toEqual([stale("old.md", 1, "2026-01-31T12:00:00.000Z", "ann")]);
  expect(await told(1)).toEqual([]);
  // A later version begins a new window.
  await write("old.md", "---\nstale-after: 1d\nowner: [bob, eve]\n---\n");
  await events.settle();
  expect(await told(0)).toEqual([]);
  expect(await told(1)).toEqual([stale("old.md", 2, "2026-02-02T12:00:00.003Z", "bob, eve")]);
});

test("an announcement of a space that was deleted does not count for another of its name", async () => {
  const clock = manualClock();
  await using server = await openedContext({ clock });
  const { events, staleEvents, db } = server.parts;
  const toldAfter = async (...asked: [method: string, path: string, body?: unknown][]) => {
    for (const [method, path, body] of asked) await server.ask(method, path, body);
    await events.settle();
    const before = events.last;
    await staleEvents.look();
    return events.after(before).map(({ type, space, path }) => [type, space, path]);
  };
  const remembered = () => db.query<{ path: string }, []>("SELECT path FROM stale_documents").all();
  const old = "---\nlast-validated: 2025-01-01\nstale-after: 1d\n---\n";
  const stale = [["freshness.stale", "team", "old.md"]];
  const write = ["PUT", "/spaces/team/files/old.md", old] as const;
  const remove = ["DELETE", "/spaces/team?confirm=team"] as const;
  const create = ["POST", "/spaces", { name: "team", template: "blank" }] as const;
  expect(await toldAfter([...write])).toEqual(stale);
  expect(await toldAfter([...remove], [...create], [...write])).toEqual(stale);
  expect(await toldAfter()).toEqual([]);
  expect(remembered()).toEqual([{ path: "old.md" }]);
  // Nothing is kept for a space that is gone.
  expect(await toldAfter([...remove])).toEqual([]);
  expect(remembered()).toEqual([]);
});

test("announcements that an earlier build recorded still count", async () => {
  await using server = await openedContext({ clock: manualClock() });
  const { events, staleEvents, db } = server.parts;
  await server.ask(
    "PUT",
    "/spaces/team/files/old.md",
    "---\nlast-validated: 2025-01-01\nstale-after: 1d\n---\n",
  );
  await staleEvents.look();
  await db.write(() => void db.query("UPDATE stale_documents SET epoch = NULL").run());
  const before = events.last;
  await staleEvents.look();
  expect(events.after(before)).toEqual([]);
});

test("the start of a server looks, and only who may read the document gets the event", async () => {
  await using server = await contextServer();
  await server.admin.write("old.md", "---\nlast-validated: 2020-01-01\nstale-after: 1d\n---\n");
  const eve = await server.user("eve", "viewer");
  await server.rules("eve", deny("old.md", "read"));
  await server.restart();
  await using stream = await server.admin.events("/events?spaces=team&after=0");
  await stream.until(({ type }) => type === "freshness.stale");
  await server.admin.write("last.md", "");
  await using hers = await server.as(eve.token).events("/events?spaces=team&after=0");
  await hers.until(({ data }) => (data as { path: string }).path === "last.md");
  expect(hers.seen.map(({ type }) => type)).not.toContain("freshness.stale");
});
