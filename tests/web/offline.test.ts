// Goal: the interface can be installed; without the server it shows what was read last, says as of when, and nothing of it outlives the session or
// reaches another person. A new build takes over without breaking the pages of the old one.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { accessibilityProblems } from "../kit/browser/axe.ts";
import { bubble, chatRoom, composer, write } from "../kit/browser/chat-room.ts";
import { eventually } from "../kit/eventually.ts";
import { say } from "../kit/model/index.ts";
import { OTHER_BUILD, otherBuild } from "../kit/browser/other-build.ts";
import { createPerson, type Person } from "../kit/service/person.ts";
import { onScreen } from "../kit/browser/screen.ts";

const LOST =
  /net::ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING|CONNECTION_RESET|EMPTY_RESPONSE|FAILED)|Failed to fetch/;

/** Twice the worker fetches the whole interface, on a busy machine. */
const UPDATE_MS_MAX = 240_000;

onScreen("reading offline", chatRoom, (room) => {
  /** Paths of the answers that the browser keeps. */
  const kept = (page: Page) =>
    page.evaluate<string[]>(
      `caches.open("cairn-data").then((data) => data.keys()).then((keys) => keys.map(({ url }) => new URL(url).pathname))`,
    );
  const holds = async (page: Page, path: string) => (await kept(page)).includes(path);
  async function signIn(page: Page, { name, password }: Person): Promise<void> {
    await page.evaluate(
      ([user, secret]) =>
        fetch("/api/v1/login", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ user, password: secret }),
        }).then(() => undefined),
      [name, password],
    );
  }

  test("can be installed", async () => {
    const page = await room.open("/workspaces");
    const manifest = await page.evaluate(async () => {
      const link = document.querySelector<HTMLLinkElement>("link[rel=manifest]")!;
      const response = await fetch(link.href);
      return {
        type: response.headers.get("content-type"),
        ...((await response.json()) as Record<string, unknown>),
      };
    });
    expect(manifest).toMatchObject({
      type: "application/manifest+json",
      name: "Cairn",
      start_url: "/workspaces",
      display: "standalone",
    });
    const fits = await page.evaluate(
      (icons) =>
        Promise.all(
          icons.map(async ({ src, sizes }) => {
            const image = new Image();
            image.src = src;
            await image.decode();
            return sizes === "any" || sizes === `${image.naturalWidth}x${image.naturalHeight}`;
          }),
        ),
      manifest["icons" as never] as { src: string; sizes: string }[],
    );
    expect(fits).toEqual([true, true, true, true]);
    await eventually(() => page.locator("meta[name=theme-color]").count(), 2);
    expect(await page.locator("meta[name=description]").getAttribute("content")).toStartWith(
      "A workspace for agents",
    );
    await page.keyboard.press("Tab");
    await eventually(() => page.evaluate<string>("document.activeElement.textContent"), "Skip to content");
  });

  test("has targets of 24 pixels or more for a thumb at 360 pixels", async () => {
    const desk = await room.desk("scribe");
    room.model.script("boss", [
      say("Text[^1] with a [link](https://example.org).\n\n```ts\nlet a = 1;\n```\n\n[^1]: A note."),
    ]);
    const page = await room.open(desk.own, { width: 360, height: 740 });
    await write(page, "Go.");
    await page.getByRole("button", { name: "Save to file" }).waitFor();
    await page.getByRole("button", { name: "Footnote 1", exact: true }).waitFor();
    const small = () =>
      page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>("button, a[href], input, textarea, select, summary")]
          // Links in a sentence are as high as its line; what is hidden until it has the focus is no target.
          .filter(
            (one) => !one.closest(".markdown p, .visually-hidden, .skip, [inert]") && one.checkVisibility(),
          )
          .map((one) => ({ one, box: one.getBoundingClientRect() }))
          .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
          .map(({ one, box }) => `${one.className} ${Math.round(box.width)}×${Math.round(box.height)}`),
      );
    await eventually(small, []);
    await eventually(() => page.evaluate<number>("document.documentElement.scrollWidth"), 360);
    for (const view of ["Files", "Activity"]) {
      await page.getByRole("link", { name: view }).click();
      await page.waitForURL(`**/${view.toLowerCase()}`);
      await page.getByRole("main").getByRole("button").first().waitFor();
      await eventually(small, []);
    }
    await page.goto(`${room.url}/workspaces`);
    await page.getByRole("button", { name: "Create workspace" }).waitFor();
    await eventually(small, []);
  });

  test("shows what was read last and says as of when; continues when the server is back", async () => {
    const desk = await room.desk();
    room.model.script("boss", [say("**Kept** for later."), say("Live again.")]);
    const page = await room.open(desk.own, { offline: true });
    await write(page, "Keep this.");
    await bubble(page, "orchestrator", "Kept for later.").waitFor();
    await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
    // Another visit, with the worker: it keeps what it passes on.
    await page.reload();
    await bubble(page, "orchestrator", "Kept for later.").waitFor();
    for (const path of [
      "/api/v1/whoami",
      `/api/v1${desk.own}/entries`,
      `/api/v1${desk.own}/blueprint`,
      `/api/v1${desk.own}/usage`,
      "/api/v1/approvals",
    ])
      await eventually(() => holds(page, path), true);
    expect(await page.getByText("Offline, as of").count()).toBe(0);

    await room.program.end("SIGKILL");
    await page.reload();
    await bubble(page, "orchestrator", "Kept for later.").waitFor();
    await page.getByText(/^Offline, as of/).waitFor();
    // The note says it once.
    await page.getByRole("button", { name: "Retry" }).first().waitFor();
    expect(await page.getByText("Connection lost").count()).toBe(0);
    await page.setViewportSize({ width: 360, height: 700 });
    await eventually(() => page.evaluate<number>("document.documentElement.scrollWidth"), 360);
    expect(await accessibilityProblems(page)).toEqual([]);
    // Nothing pretends to work.
    await composer(page).fill("Are you there?");
    await composer(page).press("Enter");
    await page.getByText("The server is unreachable.").waitFor();

    await room.restart();
    await page.getByText(/^Offline, as of/).waitFor({ state: "detached" });
    await page.getByText("The server is unreachable.").waitFor({ state: "detached" });
    await composer(page).press("Enter");
    await bubble(page, "orchestrator", "Live again.").waitFor();
    room.browser.expected(LOST);
  });

  test("keeps nothing after signing out, nor for another person", async () => {
    const desk = await room.desk();
    const ada = await createPerson(room.admin, "Ada", "admin");
    const bob = await createPerson(room.admin, "Bob", "member");
    const page = await room.open(desk.own, { offline: true });
    await page.evaluate("navigator.serviceWorker.ready.then(() => undefined)");
    await signIn(page, ada);
    await page.reload();
    await composer(page).waitFor();
    await eventually(() => holds(page, `/api/v1${desk.own}/entries`), true);
    await page.evaluate(() => fetch("/api/v1/logout", { method: "POST" }).then(() => undefined));
    expect(await kept(page)).toEqual([]);

    await signIn(page, ada);
    await page.reload();
    await eventually(() => holds(page, `/api/v1${desk.own}/entries`), true);
    // Without a sign-out: her session ends elsewhere, and another person signs in.
    await signIn(page, bob);
    await page.goto(`${room.url}/workspaces`);
    await page.getByText("Bob").first().waitFor();
    await eventually(() => holds(page, "/api/v1/whoami"), true);
    expect(await holds(page, `/api/v1${desk.own}/entries`)).toBe(false);
    await room.program.end("SIGKILL");
    await page.goto(`${room.url}${desk.own}`);
    await page.getByText("Bob").first().waitFor();
    await page.getByText("The server is unreachable.").first().waitFor();
    expect(await page.getByRole("textbox", { name: "Message the orchestrator" }).count()).toBe(0);
    await page.context().close();
    await room.restart();
    room.browser.expected(LOST);
    room.browser.expected(/status of 404/);
  });

  test(
    "lets a new build take over, and pages of the old build stay whole",
    async () => {
      const desk = await room.desk();
      room.model.script("boss", [say("**Kept** over the update.")]);
      await room.admin.raw("PUT", `${desk.own}/file?path=note.py`, { body: "x = 1\n" });
      const proxy = room.use(await otherBuild(room.url));
      const old = await room.browser.open(proxy.url, desk.own, { offline: true });
      const shells = () =>
        old.evaluate<string[]>(
          `caches.keys().then((names) => names.filter((name) => name.startsWith("cairn-shell-")))`,
        );
      /** Some hundred files: as long as the test may take. */
      const holdsAll = (page: Page, shell: string) =>
        page.evaluate(
          async ([name, count]) => {
            const cache = await caches.open(name);
            const assets = async () => (await cache.keys()).filter(({ url }) => url.includes("/assets/"));
            while ((await assets()).length < count) await new Promise((resolve) => setTimeout(resolve, 200));
          },
          [shell, total] as const,
        );
      const listed = (await (await fetch(`${proxy.url}/sw.js`)).text()).match(/\/assets\/[\w.-]+/g);
      const total = new Set(listed).size;
      expect(total).toBeGreaterThan(100);
      await write(old, "Keep this.");
      await bubble(old, "orchestrator", "Kept over the update.").waitFor();
      await eventually(async () => (await shells()).length, 1);
      const oldShell = (await shells())[0]!;
      await holdsAll(old, oldShell);
      await composer(old).fill("A draft that is being typed");

      proxy.install();
      expect((await fetch(`${proxy.url}${await entry(old)}`)).status).toBe(404);
      const context = old.context();
      const fresh = await room.browser.open(proxy.url, desk.own, { context });
      await bubble(fresh, "orchestrator", "Kept over the update.").waitFor();
      const buildOf = (page: Page) => page.locator("meta[name=build]").getAttribute("content");
      expect(await buildOf(fresh)).toBe(OTHER_BUILD);
      expect(await entry(fresh)).toContain("other.");
      const isOther = (shell: string) => shell.includes("other.");
      await eventually(async () => (await shells()).some(isOther), true);
      const newShell = (await shells()).find(isOther)!;
      await holdsAll(fresh, newShell);

      // The new worker serves the old page, too: parts that it has not loaded yet are those of its own build.
      await eventually(() => composer(old).inputValue(), "A draft that is being typed");
      expect(await shells()).toContain(oldShell);
      await old.getByRole("link", { name: "Files" }).click();
      await old.getByText("note.py").click();
      await old.locator(".cm-content").getByText("x = 1").waitFor();
      await old.getByRole("link", { name: "Blueprint" }).click();
      await old.locator(".blueprint").first().waitFor();
      await old.getByRole("link", { name: "Chat", exact: true }).click();
      expect(await old.getByText("could not be loaded").count()).toBe(0);

      await fresh.close();
      // Its next visit is of the new build, with the draft, and the old shell goes.
      await old.reload();
      await eventually(() => composer(old).inputValue(), "A draft that is being typed");
      await eventually(() => old.locator("meta[name=build]").count(), 1);
      await eventually(shells, [newShell]);
      await proxy[Symbol.asyncDispose]();
      await old.reload();
      await bubble(old, "orchestrator", "Kept over the update.").waitFor();
      await old.getByText(/^Offline, as of/).waitFor();
      expect(await buildOf(old)).toBe(OTHER_BUILD);
      await context.close();
      room.browser.expected(LOST);
    },
    UPDATE_MS_MAX,
  );
});

/** Path of the script that a page starts with. */
const entry = (page: Page) =>
  page.locator("script[type=module][src^='/assets/']").first().getAttribute("src");
