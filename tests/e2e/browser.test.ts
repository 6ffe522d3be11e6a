// Goal: in a real browser, a page of another origin can neither read nor change anything, even if the user is logged in, while the service's own
// page can.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chromium, type Browser } from "playwright-core";
import { locateTool } from "../../release/system-packages.ts";
import { LIGHT_BROWSER_ARGUMENTS } from "../kit/browser/browser.ts";
import { ATTACKS_FAIL, ATTACK_SCRIPT, attackerPage } from "../kit/http/attacker.ts";
import { compiledWorld } from "../kit/service/world.ts";

const SETUP_LIMIT_MS = 30_000;
const FOREIGN_NAME = "attacker.example";
const PASSWORD = "a-password-of-the-admin";

const executablePath = locateTool("chromium");

describe.if(executablePath !== undefined)("in a browser", () => {
  const stack = new AsyncDisposableStack();
  let browser: Browser;
  let service: Awaited<ReturnType<typeof compiledWorld>>;
  let attackerPort = 0;

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: executablePath!,
      args: [
        ...LIGHT_BROWSER_ARGUMENTS,
        // DNS rebinding: an attacker's name that resolves to this machine.
        `--host-resolver-rules=MAP ${FOREIGN_NAME} 127.0.0.1`,
      ],
    });
    stack.defer(() => browser.close());
    service = stack.use(await compiledWorld({ model: true }));
    await service.admin.put("/users/1/password", { password: PASSWORD });
    attackerPort = stack.use(attackerPage()).port;
  }, SETUP_LIMIT_MS);
  afterAll(() => stack.disposeAsync());

  /** Without the service worker, which would load all of the interface and has no part in requests of other origins. */
  const newContext = () => browser.newContext({ serviceWorkers: "block" });

  /** Everything that an attack could change. */
  async function state(): Promise<unknown> {
    const [teams, users, workspaces, audit, providers] = await Promise.all(
      ["/teams", "/users", "/workspaces", "/audit", "/providers"].map((path) =>
        service.admin.get<Record<string, unknown>[]>(path),
      ),
    );
    const unused = users!.map((user) => ({ ...user, last_used_at: null }));
    return { teams, users: unused, workspaces, audit, providers };
  }

  const attacks: [string, string, string][] = [
    ["another port of localhost, against localhost", "localhost", "localhost"],
    ["localhost, against 127.0.0.1", "localhost", "127.0.0.1"],
    ["127.0.0.1, against localhost", "127.0.0.1", "localhost"],
    ["another port of 127.0.0.1, against 127.0.0.1", "127.0.0.1", "127.0.0.1"],
    ["a foreign name, against 127.0.0.1", FOREIGN_NAME, "127.0.0.1"],
  ];
  for (const [name, from, against] of attacks) {
    test(`a page of ${name} reads and changes nothing`, async () => {
      await using context = await newContext();
      const base = `http://${against}:${service.program.port}`;
      // The user is logged in: the browser has a session cookie for that host, whatever the port.
      const own = await context.newPage();
      await own.goto(base);
      const login = `fetch("/api/v1/login", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(${JSON.stringify({ user: "admin", password: PASSWORD })}) }).then((answer) => answer.status)`;
      expect(await own.evaluate(login)).toBe(200);
      expect(
        (await context.cookies(base)).map((cookie) => [cookie.name, cookie.httpOnly, cookie.sameSite]),
      ).toEqual([["cairn_session", true, "Strict"]]);
      const before = await state();

      const page = await context.newPage();
      await page.goto(`http://${from}:${attackerPort}/`);
      expect(await page.evaluate(`run(${JSON.stringify(base)})`)).toEqual(ATTACKS_FAIL);
      // Navigating forms get a refusal, not data.
      await page.goto(`http://${from}:${attackerPort}/`);
      await Promise.all([
        page.waitForURL(`${base}/**`),
        page.evaluate(`location.href = ${JSON.stringify(`${base}/api/v1/users`)}`),
      ]);
      expect(JSON.parse((await page.textContent("body"))!)).toMatchObject({
        error: { message: "requests from another site are refused", code: "forbidden" },
      });

      expect(await state()).toEqual(before);
      // The session still works.
      expect(await own.evaluate(`fetch("/api/v1/whoami").then((answer) => answer.json())`)).toMatchObject({
        name: "admin",
        auth: "session",
      });
    });
  }

  test("a foreign name that resolves to this server is refused, for pages and the API", async () => {
    await using context = await newContext();
    const page = await context.newPage();
    for (const path of ["/", "/api/v1/whoami", "/health"]) {
      const answer = await page.goto(`http://${FOREIGN_NAME}:${service.program.port}${path}`);
      expect([answer!.status(), (await answer!.json()).error.code]).toEqual([421, "misdirected"]);
    }
    expect(await page.evaluate(`fetch("/api/v1/whoami").then((answer) => answer.status)`)).toBe(421);
  });

  test("a page of the service's own origin reads, writes and opens streams", async () => {
    await using context = await newContext();
    const page = await context.newPage();
    const answer = await page.goto(`${service.url}/`);
    expect(answer!.headers()["content-security-policy"]).toBe(
      "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'",
    );
    await page.evaluate(
      ATTACK_SCRIPT.replace(
        /^globalThis\.run = [\s\S]*$/m,
        "globalThis.eventSource = eventSource; globalThis.request = request;",
      ),
    );
    expect(await page.evaluate(`fetch("/api/v1/whoami").then((answer) => answer.json())`)).toMatchObject({
      name: "admin",
      auth: "loopback",
    });
    const post = `request("", "/api/v1/teams", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"name":"ours"}' })`;
    expect(await page.evaluate(post)).toBe("read 201");
    expect(await page.evaluate(`eventSource("", false)`)).toBe("opened");
    expect(
      await page.evaluate(`request("", "/api/v1/teams", { method: "POST", body: '{"name":"text"}' })`),
    ).toBe("read 400");
    const teams = await service.admin.get("/teams");
    expect(teams.map((team) => team.name)).toEqual(["ours"]);
  });
});
