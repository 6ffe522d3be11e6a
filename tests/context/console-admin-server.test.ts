// Goal: admins start backups where the operator allows it, and see what is in force, how the server is, and what to do, without any secret.

import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { signedIn } from "../kit/context/console.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { eventually, until } from "../kit/eventually.ts";
import { temporaryFolder } from "../kit/folder.ts";
import { manualClock, MINUTE_MS } from "../kit/manual-clock.ts";

const BACKUPS = "/console/backups";
/** So that a backup takes longer than asking to cancel it. */
const LARGE_FILES = 8;
const LARGE_BYTES = 4 * 1024 * 1024;

describe("backups", () => {
  test("start in the operator's directory only, show their progress and the archive", async () => {
    await using folder = await temporaryFolder();
    await using server = await contextServer({ config: { backup: { directory: folder.path } } });
    await server.admin.write("a.md", "a\n");
    const root = await signedIn(server, "root");
    const empty = await root.get(BACKUPS);
    expect(empty.text).toContain(`No archives in ${folder.path}`);
    await root.submit(empty, BACKUPS);
    const done = await until(async () => {
      const page = await root.get(BACKUPS);
      return page.text.includes("State Done") ? page : undefined;
    });
    const [name] = readdirSync(folder.path);
    expect(name).toMatch(/^cairn-backup-\d{8}T\d{6}Z\.tar\.zst$/);
    const file = join(folder.path, name!);
    expect(statSync(file).size).toBeGreaterThan(0);
    expect(done.text).toContain(`cairn backup restore ${file} --server-dir ${server.directory}-restored`);
    expect((await root.get(`${BACKUPS}/live`)).text).toContain("Done");
    const [record] = await server.audit("action=backup.create&limit=1");
    expect([record!.actor.name, record!.target, record!.result]).toEqual(["root", file, "ok"]);
    const csrf = done.forms[0]!.fields["csrf"]!;
    expect((await root.post(`${BACKUPS}/7/cancel`, { csrf })).status).toBe(404);
  });

  test("are made by the server on the operator's schedule", async () => {
    await using folder = await temporaryFolder();
    const clock = manualClock();
    const directory = join(folder.path, "backups");
    const config = { backup: { directory, every_hours: 6, keep: 1 } };
    await using server = await contextServer({ config, clock, timers: clock });
    const root = await signedIn(server, "root");
    const shows = (text: string) => until(async () => (await root.get(BACKUPS)).text.includes(text));
    const scheduled = () => until(() => clock.waits().length > 0);
    await scheduled();
    clock.advance(MINUTE_MS);
    await shows(`The last scheduled backup failed: ${directory}: no such directory; create it first`);
    const [refused] = await server.audit("action=backup.create&limit=1");
    expect([refused!.actor.name, refused!.actor.auth, refused!.result]).toEqual([
      "server",
      "system",
      "error",
    ]);
    mkdirSync(directory);
    await scheduled();
    clock.advance(60 * MINUTE_MS);
    await shows("State Done");
    await shows("Every 6 hours");
    await scheduled();
    clock.advance(6 * 60 * MINUTE_MS);
    const name = "cairn-backup-20260101T190100Z-scheduled.tar.zst";
    await eventually(() => readdirSync(directory), [name]);
    const [record] = await server.audit("action=backup.create&limit=1");
    expect([record!.actor.name, record!.target, record!.result]).toEqual([
      "server",
      join(directory, name),
      "ok",
    ]);
  });

  test("that run are cancelled and leave no file; one that is finished says so and stays", async () => {
    await using folder = await temporaryFolder();
    await using server = await contextServer({ config: { backup: { directory: folder.path } } });
    for (let count = 0; count < LARGE_FILES; count += 1)
      await server.admin.write(`${count}.bin`, crypto.getRandomValues(new Uint8Array(LARGE_BYTES)));
    const root = await signedIn(server, "root");
    const cancelled = async () => {
      const running = await root.submit(await root.get(BACKUPS), BACKUPS);
      const form = running.forms.find(({ action }) => action.endsWith("/cancel"));
      // It may be finished before the page is, on a fast machine.
      if (!form) return undefined;
      expect(running.html).toContain(`data-live="${BACKUPS}/live"`);
      const page = await root.submit(running, form.action);
      return page.text.includes("Cancelled the backup. No file was kept.") ? form.action : undefined;
    };
    const action = await until(cancelled);
    const left = readdirSync(folder.path).length;
    const ended = await until(async () => {
      const page = await root.get(BACKUPS);
      return page.text.includes("State Running") ? undefined : page;
    });
    expect(ended.text).toContain("State Cancelled");
    expect(ended.text).toContain("the backup was cancelled: stopped by root; no file was kept");
    // Without the temporary file of the one that was cancelled.
    const files = readdirSync(folder.path);
    expect(files.filter((name) => name.includes(".part-"))).toEqual([]);
    expect(files.length).toBeLessThanOrEqual(left);
    const [record] = await server.audit("action=backup.create&limit=1");
    expect([record!.actor.name, record!.result]).toEqual(["root", "error"]);
    expect(ended.forms.some((form) => form.action === BACKUPS)).toBe(true);
    await root.submit(ended, BACKUPS);
    const done = await until(async () => {
      const page = await root.get(BACKUPS);
      return page.text.includes("State Done") ? page : undefined;
    });
    const csrf = done.forms[0]!.fields["csrf"]!;
    const last = Number(/\d+/.exec(action)![0]) + 1;
    const late = await root.post(`${BACKUPS}/${last}/cancel`, { csrf });
    expect(late.text).toContain("The backup was finished already. Its file is kept.");
  });

  test("without such a directory say what to do, and refuse a form that is sent anyway", async () => {
    await using server = await contextServer();
    const root = await signedIn(server, "root");
    const page = await root.get(BACKUPS);
    expect(page.text).toContain(`cairn backup create --out /var/backups --server-dir ${server.directory}`);
    expect(page.forms.filter(({ action }) => action === BACKUPS)).toEqual([]);
    const csrf = page.forms[0]!.fields["csrf"]!;
    const refused = await root.post(BACKUPS, { csrf });
    expect([refused.status, refused.problems[""]]).toEqual([
      422,
      "no directory for backups is set; set backup.directory in server.yaml",
    ]);
  });

  test("into the data directory are refused, and a directory that is gone is reported", async () => {
    await using folder = await temporaryFolder();
    const directory = join(folder.path, "server");
    await using server = await contextServer({
      directory,
      config: { backup: { directory: join(directory, "spaces") } },
    });
    const root = await signedIn(server, "root");
    const refused = await root.submit(await root.get(BACKUPS), BACKUPS);
    expect([refused.status, refused.problems[""]]).toEqual([
      400,
      expect.stringContaining("is inside the data directory and would be lost with it"),
    ]);
    await using away = await contextServer({ config: { backup: { directory: join(folder.path, "no") } } });
    const page = await (await signedIn(away, "root")).get(BACKUPS);
    expect(page.text).toContain(`Cannot read ${join(folder.path, "no")}`);
  });
});

describe("settings and health", () => {
  test("show what is in force with the key masked, versions, checks with what to do, and metrics", async () => {
    await using server = await contextServer({
      config: {
        secrets_key: "elsewhere.key",
        listen: { address: "127.0.0.1", port: 0, allowed_hosts: ["a.example"] },
      },
    });
    const root = await signedIn(server, "root");
    const page = await root.get("/console/settings");
    expect(page.text).toContain("The server works");
    expect(page.text).toContain("listen.allowed_hosts a.example");
    expect(page.text).toContain("secrets_key ••••••");
    expect(page.html).not.toContain("elsewhere.key");
    expect(page.text).toContain("service_audit_entries_total");
    expect(page.text).not.toContain("Findings");
    const checked = await root.submit(page, "/console/settings");
    expect(checked.text).toMatch(/permissions Good/);
    expect(checked.text).toMatch(/bootstrap token Warning .*cairn auth token create/);
  });
});
