// Goal: `cairn ui` answers one browser of this machine at one address, and nobody else: no other name, origin, proxy, key or cookie, and a form only
// from its own page. Requests go over bare sockets.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KEY_MINUTES } from "../../src/context/local-ui/limits.ts";
import { visitor, type Visitor } from "../kit/context/console.ts";
import { until } from "../kit/eventually.ts";
import { localUi, type TestUi } from "../kit/context/local-ui.ts";
import { manualClock } from "../kit/manual-clock.ts";
import { rawRequest } from "../kit/http/raw-http.ts";
import { PERSON } from "../kit/context/space-doors.ts";

const PAGE = "/console/spaces/main/freshness";
const FILES = { "a.md": "---\nstale-after: 1d\nlast-validated: 2020-01-01\n---\n[[b]]\n" };
const FORM_TYPE = "application/x-www-form-urlencoded";

/** Lower-case names; undefined leaves a header out, a list sends it more than once. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

describe("a request", () => {
  let ui: TestUi;
  let cookie: string;
  let csrf: string;
  let head: string;
  beforeAll(async () => {
    ui = await localUi({ files: FILES });
    const one = await ui.enter();
    cookie = cookieOf(one);
    csrf = (await one.get(PAGE)).forms.find(({ method }) => method === "post")!.fields["csrf"]!;
    head = await headOf(ui);
  });
  afterAll(() => ui[Symbol.asyncDispose]());

  const send = (method: string, path: string, headers: Headers = {}, body = "") => {
    const all: Headers = {
      host: `127.0.0.1:${ui.port}`,
      cookie,
      ...(body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) }),
      ...headers,
    };
    const lines = Object.entries(all).flatMap(([name, value]) =>
      (value === undefined ? [] : [value].flat()).map((one) => `${name}: ${one}`),
    );
    return rawRequest(ui.url, [`${method} ${path} HTTP/1.1`, ...lines, "", body].join("\r\n"));
  };
  const post = (headers: Headers = {}, fields: Record<string, string> = {}, path = `${PAGE}/validate`) =>
    send(
      "POST",
      path,
      { origin: ui.url, "content-type": FORM_TYPE, ...headers },
      new URLSearchParams({ path: "a.md", csrf, ...fields }).toString(),
    );

  test("with the cookie and the exact address is answered, and every answer has the headers", async () => {
    const { status, headers, body } = await send("GET", PAGE);
    expect([status, body.includes("a.md")]).toEqual([200, true]);
    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'none'; style-src 'self'; script-src 'self' 'nonce-[\w-]{22}'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    for (const answer of [headers, (await send("GET", PAGE, { cookie: undefined })).headers]) {
      expect(answer["x-content-type-options"]).toBe("nosniff");
      expect(answer["cross-origin-resource-policy"]).toBe("same-origin");
      expect(answer["cross-origin-opener-policy"]).toBe("same-origin");
      expect(answer["cache-control"]).toBe("no-store");
      expect(Object.keys(answer).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
    expect((await send("GET", "/")).headers["location"]).toBe("/console");
  });

  test("for any other Host is misdirected, also by the names of this machine", async () => {
    const port = String(ui.port);
    const hosts = [
      `localhost:${port}`,
      `[::1]:${port}`,
      "127.0.0.1",
      `127.0.0.1:${ui.port === 1 ? 2 : 1}`,
      `127.0.0.1.:${port}`,
      `127.1:${port}`,
      `0.0.0.0:${port}`,
      `attacker.example:${port}`,
      `127.0.0.1.attacker.example:${port}`,
      `127.0.0.1:${port}.attacker.example`,
      `x@127.0.0.1:${port}`,
      "",
    ];
    for (const host of hosts)
      for (const path of [PAGE, "/", "/console/enter?key=x"])
        expect([host, (await send("GET", path, { host })).status]).toEqual([host, 421]);
    const twice = await send("GET", PAGE, { host: [`127.0.0.1:${port}`, `attacker.example:${port}`] });
    expect([400, 421]).toContain(twice.status);
    expect((await send("GET", PAGE, { host: undefined })).status).toBe(400);
  });

  test("from another origin or site, or through a proxy, is refused", async () => {
    const origins = ["null", "http://attacker.example", `https://127.0.0.1:${ui.port}`, "http://127.0.0.1:1"];
    for (const origin of [...origins, `http://localhost:${ui.port}`])
      for (const answer of [await send("GET", PAGE, { origin }), await post({ origin })])
        expect([origin, answer.status]).toEqual([origin, 403]);
    const sites: Headers[] = [
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
      { "sec-fetch-site": "same-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
      { "sec-fetch-site": "none", "sec-fetch-mode": "cors" },
    ];
    for (const site of sites) expect((await send("GET", PAGE, site)).status).toBe(403);
    const proxies: Headers[] = [
      { forwarded: "for=127.0.0.1" },
      { "x-forwarded-for": "127.0.0.1" },
      { "x-real-ip": "127.0.0.1" },
      { via: "1.1 proxy" },
      { "x-anything": "1" },
      { connection: "upgrade" },
    ];
    for (const proxy of proxies)
      expect([proxy, (await send("GET", PAGE, proxy)).status]).toEqual([proxy, 403]);
    // On Linux, the account of this test shows that no proxy ends the connection.
    const ended = await send("GET", PAGE, { connection: "close" });
    expect(ended.status).toBe(process.platform === "linux" ? 200 : 403);
  });

  test("without the session's cookie gets no page, and no form is taken", async () => {
    const port = String(ui.port);
    const wrong = [
      undefined,
      `cairn-ui-${port}=`,
      `cairn-ui-${port}=${"A".repeat(43)}`,
      `cairn-ui-1=${cookie.split("=")[1]}`,
      cookie.slice(0, -1),
      `${cookie}A`,
    ];
    for (const one of wrong) {
      const answers = [await send("GET", PAGE, { cookie: one }), await post({ cookie: one })];
      for (const { status, body } of answers)
        expect([one, status, body.includes("Open the address that cairn ui printed")]).toEqual([
          one,
          401,
          true,
        ]);
    }
    expect((await send("GET", "/console/nothing", { cookie: undefined })).status).toBe(401);
    expect((await send("GET", "/console/nothing")).status).toBe(404);
  });

  test("for a page with a slash at its end leads to the page, and never to another server", async () => {
    const to = async (path: string) => {
      const { status, headers } = await send("GET", path);
      return [status, headers["location"]];
    };
    expect(await to(`${PAGE}/`)).toEqual([303, PAGE]);
    for (const path of ["//other.example/", "//other.example:80/a/", "/\\other.example/", "/nothing/"])
      expect([path, ...(await to(path))]).toEqual([path, 404, undefined]);
  });

  test("that is a form needs the token of this session, the type of a form, and an Origin", async () => {
    const other = await localUi();
    const foreign =
      (await (await other.enter()).get(PAGE)).html.match(/name="csrf" value="(\w+)"/)?.[1] ?? "";
    await other[Symbol.asyncDispose]();
    for (const token of ["", foreign, `${csrf}0`, cookie.split("=")[1]!])
      expect([token, (await post({}, { csrf: token })).status]).toEqual([token, 403]);
    expect((await post({ origin: undefined })).status).toBe(403);
    for (const type of ["text/plain", "multipart/form-data; boundary=b", "application/json", undefined])
      expect([type, (await post({ "content-type": type })).status]).toEqual([type, 400]);
  });

  test("by another method is refused, and a key is exchanged by GET only", async () => {
    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"])
      expect([method, (await send(method, PAGE)).status]).toEqual([method, 405]);
    expect((await post({}, {}, "/console/live")).status).toBe(405);
    const path = ui.newAddress().slice(ui.url.length);
    expect((await send("HEAD", path, { cookie: undefined })).status).toBe(405);
    expect((await post({ cookie: undefined }, {}, path)).status).toBe(401);
    const ahead: Headers[] = [{ "sec-purpose": "prefetch;prerender" }, { purpose: "prefetch" }];
    for (const early of ahead)
      expect((await send("GET", path, { cookie: undefined, ...early })).status).toBe(503);
    const { status, headers } = await send("GET", path, { cookie: undefined });
    expect([status, headers["location"]]).toEqual([303, "/console"]);
    // The new session has ended the old one.
    expect((await send("GET", PAGE)).status).toBe(401);
  });

  test("that is refused changes nothing", async () => {
    expect(await headOf(ui)).toBe(head);
  });
});

describe("the key", () => {
  test("is exchanged once for a cookie that scripts and other sites do not get, and is in no later address", async () => {
    await using ui = await localUi();
    const address = ui.newAddress();
    expect(address).toMatch(new RegExp(`^${ui.url}/console/enter\\?key=[\\w-]{43}$`));
    const first = await fetch(address, { redirect: "manual" });
    expect([first.status, first.headers.get("location")]).toEqual([303, "/console"]);
    expect(first.headers.get("set-cookie")).toMatch(
      new RegExp(`^cairn-ui-${ui.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
    );
    expect(await first.text()).toBe("");
    const second = visitor(ui.url);
    const refused = await second.get(address.slice(ui.url.length));
    expect([refused.status, second.cookies.size]).toEqual([403, 0]);
    expect(refused.text).toContain("This address has been used; press Enter in the terminal of cairn ui");
    // The browser that has the session goes on, for example when it loads the page again.
    const cookie = first.headers.get("set-cookie")!.split(";")[0]!;
    const again = await fetch(address, { redirect: "manual", headers: { cookie } });
    expect([again.status, again.headers.get("location"), again.headers.get("set-cookie")]).toEqual([
      303,
      "/console",
      null,
    ]);
  });

  test("expires, and a wrong one is refused and uses up nothing", async () => {
    const clock = manualClock();
    await using ui = await localUi({ clock });
    const one = visitor(ui.url);
    const late = ui.newAddress().slice(ui.url.length);
    expect((await one.get("/console/enter?key=wrong")).text).toContain("This is not the address that");
    expect((await one.get("/console/enter")).status).toBe(403);
    clock.advance(KEY_MINUTES * 60_000 + 1);
    expect((await one.get(late)).text).toContain(`This address expired after ${KEY_MINUTES} minutes`);
    expect((await one.get(ui.newAddress().slice(ui.url.length))).status).toBe(200);
  });

  test("opened from another site is followed by a page that loads with the cookie", async () => {
    await using ui = await localUi();
    const site = {
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
    };
    const answer = await fetch(ui.newAddress(), { headers: site, redirect: "manual" });
    expect([answer.status, answer.headers.has("set-cookie")]).toEqual([200, true]);
    expect(await answer.text()).toContain('<meta http-equiv="refresh" content="0;url=/console">');
    const page = await fetch(`${ui.url}/console`, { headers: site });
    expect([page.status, (await page.text()).includes("Overview")]).toEqual([200, false]);
  });
});

test("a page that is only open keeps the program no longer than one that is closed", async () => {
  await using ui = await localUi({ idleMs: 300 });
  const one = await ui.enter();
  const live = { "sec-fetch-mode": "cors", "sec-fetch-site": "same-origin" };
  const over = ui.idle.then(() => true);
  for (;;) if (await Promise.race([over, one.get("/console/live", live).then(() => false)])) break;
});

test("the address ::1 works the same", async () => {
  let ui: TestUi;
  try {
    ui = await localUi({ address: "::1" });
  } catch {
    return console.log("skipped: this machine has no address ::1");
  }
  await using _ended = ui;
  const page = await (await ui.enter()).get("/console");
  expect(page.status).toBe(200);
  expect((await fetch(`${ui.url}/console`, { headers: { host: `127.0.0.1:${ui.port}` } })).status).toBe(421);
});

test("pages and other commands use the space in turns", async () => {
  await using ui = await localUi({ files: FILES });
  const one = await ui.enter();
  const text = new TextEncoder();
  for (let round = 0; round < 3; round += 1) {
    const [page] = await Promise.all([
      one.get(PAGE),
      ui.inSpace((space) => space.write(`round-${round}.md`, text.encode("x"), null)),
    ]);
    expect(page.status).toBe(200);
  }
  const page = await one.get(`${PAGE}?show=none`);
  expect(page.text).toContain("round-0.md");
});

test("documents are edited, deleted and restored, and a hand edit on disk is shown and recorded", async () => {
  await using ui = await localUi({ files: FILES });
  const one = await ui.enter();
  const space = "/console/spaces/main";
  const form = await one.get(`${space}/edit/a.md`);
  const saved = await one.submit(form, `${space}/edit/a.md`, { content: "# New\r\n", action: "save" });
  expect([saved.path, saved.text.includes("Saved a.md as v2.")]).toEqual([`${space}/files/a.md`, true]);
  expect(readFileSync(join(ui.tree, "a.md"), "utf8")).toBe("# New\n");
  const versions = await ui.inSpace((opened) => opened.history("a.md"));
  expect(versions.versions.map(({ author }) => author)).toEqual([PERSON, PERSON]);
  writeFileSync(join(ui.tree, "a.md"), "by hand\n");
  expect((await one.get(`${space}/files/a.md`)).text).toContain("Edited on disk, not recorded yet");
  const disk = await one.get(`${space}/disk`);
  const recorded = await one.submit(disk, `${space}/disk`);
  expect([recorded.status, recorded.text.includes("Recorded 1 file.")]).toEqual([200, true]);
  const remove = await one.get(`${space}/remove/a.md`);
  expect((await one.submit(remove, `${space}/remove/a.md`)).text).toContain("Deleted a.md.");
  const page = await one.get(`${space}/deleted`);
  const action = page.forms.find(({ method }) => method === "post")!.action;
  expect((await one.submit(page, action)).text).toContain("Restored a.md");
  // The folder follows the log a moment later while changes come one after the other.
  await until(() => existsSync(join(ui.tree, "a.md")));
  expect(readFileSync(join(ui.tree, "a.md"), "utf8")).toBe("by hand\n");
});

test("a change that the disk refuses to take is recorded, and the notice says which file is old", async () => {
  await using ui = await localUi({ files: { "a.md": "one\n", "b.md": "one\n" } });
  const one = await ui.enter();
  const space = "/console/spaces/main";
  const block = (name: string) => {
    rmSync(join(ui.tree, name));
    mkdirSync(join(ui.tree, name));
    writeFileSync(join(ui.tree, name, "in the way.md"), "x");
  };
  block("a.md");
  const form = await one.get(`${space}/edit/a.md`);
  const saved = await one.submit(form, `${space}/edit/a.md`, { content: "two", action: "save" });
  expect(saved.text).toContain("Saved a.md as v2. But on disk a.md is out of date: ");
  const history = await one.get(`${space}/history/a.md`);
  const restore = history.forms.find(({ action }) => action.startsWith(`${space}/restore/`))!.action;
  expect((await one.submit(history, restore)).text).toContain("as v3. But on disk a.md is out of date: ");
  rmSync(join(ui.tree, "a.md"), { recursive: true });
  const other = await one.get(`${space}/edit/b.md`);
  const next = await one.submit(other, `${space}/edit/b.md`, { content: "two", action: "save" });
  expect(next.text).toContain("Saved b.md as v2.");
  expect(next.text).not.toContain("out of date");
  expect(readFileSync(join(ui.tree, "a.md"), "utf8")).toBe("one\n");
});

test("pages about all files show every change made before the request, and when the files were looked at", async () => {
  const clock = manualClock();
  await using ui = await localUi({ files: { ...FILES, "b.md": "# B\n" }, clock });
  const one = await ui.enter();
  const at = (name: string) => join(ui.tree, name);
  const disk = async () => {
    const { html } = await one.get("/console/spaces/main/disk");
    return [...html.matchAll(/<bdi>([^<]+)<\/bdi><\/a><\/td><td class="tight">(\w+)/g)].map(
      ([, path, state]) => `${path} ${state}`,
    );
  };
  const figure = async (label: string) =>
    new RegExp(`${label}</dt><dd>(\\d+)`).exec((await one.get("/console/spaces/main/graph")).html)?.[1];
  const stale = async () => /Stale \((\d+)\)/.exec((await one.get(PAGE)).text)?.[1];
  expect([await disk(), await figure("Broken links"), await stale()]).toEqual([[], "0", "1"]);
  for (let round = 1; round <= 20; round += 1) {
    appendFileSync(at("b.md"), `[[missing-${round}]]\n`);
    expect([round, await figure("Broken links")]).toEqual([round, String(round)]);
  }
  mkdirSync(at("new/deep"), { recursive: true });
  writeFileSync(at("new/deep/c.md"), "---\nstale-after: 1d\nlast-validated: 2020-01-01\n---\n");
  expect(await disk()).toEqual(["b.md Modified", "new/deep/c.md Untracked"]);
  expect(await stale()).toBe("2");
  rmSync(at("new"), { recursive: true });
  rmSync(at("a.md"));
  expect(await disk()).toEqual(["a.md Missing", "b.md Modified"]);
  expect(await stale()).toBe("1");
  await ui.inSpace((space) => space.remove("a.md", undefined));
  expect([await disk(), await stale()]).toEqual([["b.md Modified"], "0"]);

  const looked = async () =>
    /Files as of ([\d :-]+) UTC/.exec((await one.get(`${PAGE}?show=none`)).text)?.[1];
  expect(await looked()).toBe("2026-01-01 12:00:00");
  clock.advance(20_000);
  expect(await looked()).toBe("2026-01-01 12:00:00");
  const again = await one.get(`${PAGE}?show=none&look=again`);
  expect([again.path, again.text.includes("2026-01-01 12:00:20")]).toEqual([`${PAGE}?show=none`, true]);
  clock.advance(31_000);
  // Shown at once, with its time, while the files are looked at once more.
  expect(await looked()).toBe("2026-01-01 12:00:20");
  await until(async () => (await looked()) === "2026-01-01 12:00:51");
});

test("looks at all files as soon as someone comes in, so that the first page about them is ready", async () => {
  const clock = manualClock();
  await using ui = await localUi({ files: FILES, clock });
  const one = await ui.enter();
  // Another command has its turn once the files have been looked at.
  await ui.inSpace((space) => space.record());
  clock.advance(20_000);
  for (const page of ["disk", "graph", "freshness"])
    expect((await one.get(`/console/spaces/main/${page}`)).text).toContain(
      "Files as of 2026-01-01 12:00:00 UTC",
    );
});

function cookieOf({ cookies }: Visitor): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

async function headOf(ui: TestUi): Promise<string> {
  return (await ui.inSpace((space) => space.record())).head;
}
