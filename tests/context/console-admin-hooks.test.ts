// Goal: admins create webhooks on pages, see what was delivered and what was not, and send it again.

import { describe, expect, test } from "bun:test";
import { signedIn, type ConsolePage } from "../kit/context/console.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { until } from "../kit/eventually.ts";
import { hookReceiver } from "../kit/context/hook-receiver.ts";

const NEW = "/console/webhooks/new";
const secret = ({ html }: ConsolePage) => /console-secret"[^>]*>(.*?)</s.exec(html)?.[1];

describe("webhooks", () => {
  test("are created with a secret shown once, tested, edited, disabled, deleted", async () => {
    await using hooks = hookReceiver();
    await using server = await contextServer({ outbound: hooks.outbound });
    const root = await signedIn(server, "root");
    expect((await root.get("/console/webhooks")).text).toContain("No webhooks.");
    const url = hooks.url("/a?b=<1>");
    const page = await root.submit(await root.get(NEW), NEW, { url, everything: "no", "event file.*": "on" });
    expect([page.status, page.path]).toEqual([200, "/console/webhooks/1"]);
    expect(page.html).not.toContain("b=<1>");
    const first = secret(page)!;
    expect(secret(await root.get(page.path))).toBeUndefined();
    await root.submit(page, `${page.path}/test`);
    const sent = await until(async () => {
      const { text } = await root.get(page.path);
      return text.includes("Delivered") ? text : undefined;
    });
    expect(sent).toContain("webhook.test Delivered 1 HTTP 200");
    const replace = `${page.path}/secret`;
    const replaced = await root.submit(await root.get(replace), replace);
    expect(secret(replaced)).not.toBe(first);
    const edit = await root.get(`${page.path}/edit`);
    expect(edit.forms.at(-1)!.fields).toMatchObject({ everything: "no", "event file.*": "on" });
    await root.submit(edit, `${page.path}/edit`, { everything: "yes" });
    expect((await server.admin.get("/webhooks"))[0]).toMatchObject({ events: ["*"], spaces: null });
    const disable = `${page.path}/disable`;
    const disabled = await root.submit(await root.get(disable), disable);
    const csrf = disabled.forms[0]!.fields["csrf"]!;
    const refused = await root.post(`${page.path}/test`, { csrf });
    expect([refused.status, refused.problems]).toEqual([409, { "": "webhook 1 is disabled" }]);
    await root.submit(disabled, `${page.path}/enable`);
    expect((await server.admin.get("/webhooks"))[0]).toMatchObject({ enabled: true });
    const remove = `${page.path}/delete`;
    expect((await root.submit(await root.get(remove), remove)).text).toContain("Deleted webhook 1.");
    expect((await root.get(page.path)).status).toBe(404);
  });

  test("are limited to some spaces, which stay in the form when they are deleted", async () => {
    await using server = await contextServer();
    for (const name of ["docs", "old"]) await server.admin.post("/spaces", { name });
    const root = await signedIn(server, "root");
    const url = "http://93.184.215.14/";
    const form = await root.get(NEW);
    const none = await root.submit(form, NEW, { url, everywhere: "no" });
    expect([none.status, none.problems]).toEqual([400, { spaces: "must not be empty" }]);
    const fields = { url, everywhere: "no", "space docs": "on", "space old": "on" };
    const page = await root.submit(form, NEW, fields);
    expect(page.text).toContain("Spaces docs, old");
    await server.admin.delete("/spaces/old?confirm=old");
    const edit = await root.get(`${page.path}/edit`);
    expect(edit.text).toContain("old (deleted)");
    expect(edit.forms.at(-1)!.fields).toMatchObject({
      everywhere: "no",
      "space docs": "on",
      "space old": "on",
    });
    await root.submit(edit, `${page.path}/edit`, { url: `${url}new` });
    expect((await server.admin.get("/webhooks"))[0]).toMatchObject({
      url: `${url}new`,
      spaces: ["docs", "old"],
    });
    await server.admin.delete("/spaces/docs?confirm=docs");
    expect((await root.get(page.path)).text).toContain(
      "It receives nothing: all of its 2 spaces were deleted",
    );
    await root.submit(edit, `${page.path}/edit`, { everywhere: "yes" });
    expect((await root.get("/console/webhooks")).text).toContain(`${url} all all Enabled`);
  });

  test("show failed deliveries and dead letters, and deliver again", async () => {
    let answer = 500;
    await using hooks = hookReceiver(() => new Response(null, { status: answer }));
    await using server = await contextServer({ outbound: hooks.outbound });
    const root = await signedIn(server, "root");
    const { id } = await server.admin.post("/webhooks", { url: hooks.url("/a"), events: ["file.write"] });
    await server.admin.write("a.md", "a\n");
    const path = `/console/webhooks/${id}`;
    const failed = await until(async () => {
      const page = await root.get(path);
      return page.text.includes("Failed") ? page : undefined;
    });
    expect(failed.text).toMatch(/file\.write Failed \d HTTP 500/);
    const listed = async (show: string) =>
      (await root.get(`/console/webhooks${show}`)).links.filter((link) => link === path);
    expect([await listed(""), await listed("?show=failing"), await listed("?show=disabled")]).toEqual([
      [path],
      [path],
      [],
    ]);
    const letters = await root.get("/console/webhooks/dead-letters");
    const redeliver = letters.forms.find(({ action }) => action.endsWith("/redeliver"))!.action;
    answer = 204;
    expect((await root.submit(letters, redeliver)).text).toContain("Queued the delivery again.");
    await until(async () => (await root.get(path)).text.includes("Delivered") || undefined);
    const gone = redeliver.replace(/deliveries\/\w+/, "deliveries/none");
    const csrf = letters.forms[0]!.fields["csrf"]!;
    expect((await root.post(gone, { csrf })).text).toContain("the server no longer has this delivery");
    const all = await root.get("/console/webhooks");
    expect(all.text).toContain("All (1) Failing (0) Disabled (0)");
    expect(all.text).toContain("file.write all Enabled none Delivered");
  });

  test("that lead into the network or subscribe to nothing are refused at the field", async () => {
    await using server = await contextServer();
    const root = await signedIn(server, "root");
    const form = await root.get(NEW);
    const asked = async (fields: Record<string, string>) => {
      const { status, problems } = await root.submit(form, NEW, fields);
      return [status, problems];
    };
    expect(await asked({ url: "http://169.254.169.254/latest" })).toEqual([
      422,
      { url: expect.stringMatching(/169\.254\.169\.254/) },
    ]);
    expect(await asked({ url: "http://192.168.1.1/" })).toEqual([
      422,
      { url: expect.stringContaining("webhooks.allow_private_targets") },
    ]);
    expect(await asked({ url: "x" })).toEqual([400, { url: expect.stringMatching(/^expected a URL/) }]);
    expect(await asked({ url: `https://example.org/${"a".repeat(4_000)}` })).toEqual([
      400,
      { url: "at most 2048 characters" },
    ]);
    expect(await asked({ url: "https://example.org/", everything: "no" })).toEqual([
      400,
      { events: "must not be empty" },
    ]);
    expect(await server.admin.get("/webhooks")).toEqual([]);
  });
});
