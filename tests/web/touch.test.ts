// Goal: on a phone, a finger hits every main control, fields do not make the page zoom, and no screen scrolls sideways, upright or not.

import { beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { call, say } from "../kit/model/index.ts";
import { eventually } from "../kit/eventually.ts";
import { middleOf } from "../kit/browser/blueprint-desk.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";
import { makeGear } from "../kit/service/gears.ts";
import { edgesOf } from "../kit/browser/edges.ts";

/** Of a control that a finger hits (WCAG 2.5.5), and of any other (2.5.8). */
const MAIN_PX = 44;
const OTHER_PX = 24;
/** Phones zoom into fields with smaller text. */
const FIELD_TEXT_PX = 16;
const DRAG_STEPS = 8;
type Point = { readonly x: number; readonly y: number };
const UPRIGHT = { width: 390, height: 844, touch: true };
const LYING = { width: 844, height: 390, touch: true };

/** Real touches, as the browser gets them from a screen: no mouse follows a drag. */
async function fingerOn(page: Page) {
  const session = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...touchPoints: Point[]) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints });
  return {
    async drag(from: Point, to: Point): Promise<void> {
      await touch("touchStart", from);
      for (let step = 1; step <= DRAG_STEPS; step += 1) {
        const share = step / DRAG_STEPS;
        await touch("touchMove", {
          x: from.x + (to.x - from.x) * share,
          y: from.y + (to.y - from.y) * share,
        });
      }
      await touch("touchEnd");
    },
  };
}

onScreen(
  "on a phone",
  () => screen({ workers: ["scout"] }),
  (at) => {
    const heights = (page: Page, selector: string) =>
      page.locator(`:is(${selector}):visible`).evaluateAll((all) =>
        all.flatMap((one) => {
          const { height } = one.getBoundingClientRect();
          return height === 0 ? [] : [{ name: one.getAttribute("aria-label") ?? one.textContent, height }];
        }),
      );
    const below = async (page: Page, selector: string, px: number) =>
      (await heights(page, selector)).filter(({ height }) => height < px);
    const paths = () => [
      at.own,
      `${at.own}/blueprint`,
      `${at.own}/files?path=a.md`,
      `${at.own}/activity`,
      "/workspaces",
      "/gears",
      "/gears?new=1",
      "/gears/1/review",
      "/approvals",
      "/library",
      "/models?open=new-provider",
      "/people?show=new-person",
      "/audit",
      "/settings",
    ];

    beforeAll(async () => {
      await makeGear(at.admin, { name: "a_gear_with_a_name_as_long_as_a_name_may_be_here" });
      await at.admin.raw("PUT", `${at.own}/file?path=a.md`, { body: "# A\n" });
    });

    test.each([
      ["upright", UPRIGHT],
      ["lying", LYING],
    ] as const)(
      "has room for fingers, text that is not zoomed, and nothing beside the page, %s",
      async (_, size) => {
        await using page = await at.browser.open("about:blank", "", size);
        for (const path of paths()) {
          await page.goto(at.url + path);
          await page.locator("h1").first().waitFor({ state: "attached" });
          await eventually(() => page.locator(".skeleton").count(), 0);
          const small = await page
            .locator(":is(input, select, textarea):visible")
            .evaluateAll(
              (all, px) => all.filter((one) => parseFloat(getComputedStyle(one).fontSize) < px).length,
              FIELD_TEXT_PX,
            );
          expect({
            path,
            main: await below(page, ".btn:not(.small), .input, .rail-link, .chat-box-foot > .btn", MAIN_PX),
            other: await below(page, "button, summary, [type=range]", OTHER_PX),
            small,
            sideways: await page.evaluate<number>(
              "document.documentElement.scrollWidth - document.documentElement.clientWidth",
            ),
          }).toEqual({ path, main: [], other: [], small: 0, sideways: 0 });
        }
      },
    );

    test("shows the menu of an answer beside its task, not over it", async () => {
      const task = "Look at this at length, at more length than there is room for.";
      at.model.script("boss", [call("delegate", { agent: "scout", task }), say("Done.")]);
      at.model.script("scout", [say("Seen.")]);
      await at.chat("Go.");
      await using page = await at.open(at.own, UPRIGHT);
      const line = page.locator(".chat-fold .ellipsis");
      const menu = page.getByRole("button", { name: "Actions for this answer by scout" });
      await eventually(async () => (await edgesOf(line)).right <= (await edgesOf(menu)).left, true);
    });

    test("moves and wires agents, and zooms without a second finger", async () => {
      const place = await at.place("By hand");
      const id = (await place.agent("scribe", { model: "boss", position: { x: 340, y: -90 } })).id;
      const scribe = async () => (await place.blueprint()).agents.find((agent) => agent.id === id)!.position;
      await using page = await at.open(`${place.own}/blueprint`, UPRIGHT);
      await page.getByRole("button", { name: "Canvas" }).tap();
      const card = page.getByRole("group", { name: "Agents" }).getByRole("button", { name: /^scribe ?, / });
      await card.waitFor();
      const dots = await page.locator(".blueprint-card-dot").evaluateAll((all) =>
        all.map((one) => {
          const { width, height } = one.getBoundingClientRect();
          return Math.min(width, height);
        }),
      );
      expect([dots.length, dots.filter((px) => px < OTHER_PX)]).toEqual([2, []]);
      const before = (await card.boundingBox())!.width;
      await page.getByRole("button", { name: "Zoom in" }).tap();
      await eventually(async () => (await card.boundingBox())!.width > before, true);
      await page.getByRole("button", { name: "Zoom out" }).tap();
      await eventually(async () => (await card.boundingBox())!.width, before);
      const finger = await fingerOn(page);
      const middle = await middleOf(card);
      await finger.drag(middle, { x: middle.x, y: middle.y + 120 });
      await eventually(async () => (await scribe()).y > -90, true);
      const dot = await middleOf(page.locator(".blueprint-card-dot").first());
      await finger.drag(dot, await middleOf(card));
      await eventually(async () => (await place.blueprint()).wires.length, 1);
      const tools = page.getByRole("toolbar", { name: "Canvas" });
      await eventually(async () => (await edgesOf(tools)).right <= UPRIGHT.width, true);
    });

    test("opens menus with entries as high, within the screen", async () => {
      await using page = await at.open("/workspaces", UPRIGHT);
      await page
        .getByRole("button", { name: /^Actions for/ })
        .first()
        .tap();
      await page.getByRole("menuitem").first().waitFor();
      await eventually(() => below(page, "[role=menuitem]", MAIN_PX), []);
      await eventually(async () => {
        const { left, right } = await edgesOf(page.getByRole("menu"));
        return left >= 0 && right <= UPRIGHT.width;
      }, true);
    });

    test("asks for a page that ends above the keyboard on the screen", async () => {
      await using page = await at.open(at.own, UPRIGHT);
      expect(await page.locator("meta[name=viewport]").getAttribute("content")).toContain(
        "interactive-widget=resizes-content",
      );
    });
  },
);
