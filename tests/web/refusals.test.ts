// Goal: a form that the server refuses shows why where the person is: at the field, which gets the focus, or in view; it keeps the input, and says how
// long attempts are refused.

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { eventually } from "../kit/eventually.ts";
import { approvedGear } from "../kit/service/gears.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";

interface Refused {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details?: Record<string, unknown>;
}

/** From now on, every change is refused like this. */
async function refuseChanges(page: Page, { status, ...error }: Refused): Promise<void> {
  const json = { error: { ...error, request_id: "test" } };
  await page.route("**/api/v1/**", (route) =>
    route.request().method() === "GET" ? route.fallback() : route.fulfill({ status, json }),
  );
}

onScreen("a refusal", screen, (at) => {
  const name = (page: Page) => page.getByLabel("Name", { exact: true });

  test("focuses its field after Ctrl S, too, and keeps the input", async () => {
    await using page = await at.open("/gears?new=1");
    await name(page).fill("Not A Name");
    await page.locator(".cm-content").first().click();
    await page.keyboard.press("Control+s");
    await page.getByText("expected 2 to 49 lower-case letters").waitFor();
    await eventually(() => name(page).evaluate((one) => one === document.activeElement), true);
    await eventually(() => name(page).inputValue(), "Not A Name");
    at.browser.expected(/status of 400/);
  });

  test("that is about no field is in view, however far the buttons are, and begins with a capital", async () => {
    await using page = await at.open("/gears?new=1", { width: 390, height: 700 });
    await name(page).fill("a_gear");
    await refuseChanges(page, { status: 403, code: "forbidden", message: "only an admin may do this" });
    await page.locator(".cm-content").first().click();
    await page.keyboard.press("Control+s");
    const alert = page.getByRole("alert").filter({ hasText: "only an admin may do this" });
    await alert.waitFor();
    await eventually(async () => (await alert.boundingBox())!.y < 700, true);
    const first = await alert
      .getByText("only an admin may do this")
      .evaluate((one) => getComputedStyle(one, "::first-letter").textTransform);
    expect(first).toBe("uppercase");
    at.browser.expected(/status of 403/);
  });

  test("gets a capital, and a name that begins a message gets none", async () => {
    const { id } = await at.admin.post("/instructions", { name: "tone", text: "Be brief." });
    await using page = await at.open(`/library/${id}`);
    const remove = async () => {
      await page.getByRole("button", { name: "Delete instruction" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete instruction" }).click();
    };
    const firstLetter = (text: string) =>
      page
        .getByText(text, { exact: true })
        .evaluate((one) => getComputedStyle(one, "::first-letter").textTransform);
    await refuseChanges(page, { status: 403, code: "forbidden", message: "only an admin may do this" });
    await remove();
    expect(await firstLetter("only an admin may do this")).toBe("uppercase");
    await page.unrouteAll();
    await remove();
    expect(await firstLetter("tone deleted.")).toBe("none");
    at.browser.expected(/status of 403/);
  });

  test("of too many attempts says how long they are refused, also at a single field", async () => {
    const { id } = await approvedGear(at.admin);
    await using page = await at.open(`/gears/${id}/review`);
    const limit = page.getByLabel("Time limit (seconds)");
    await limit.fill("77");
    await refuseChanges(page, {
      status: 429,
      code: "rate_limited",
      message: "too many requests",
      details: { retry_after_seconds: 90 },
    });
    await page.getByRole("button", { name: "Save limit" }).click();
    await page.locator(".notice", { hasText: /Too many attempts\. Try again in \d+ s\./ }).waitFor();
    await eventually(() => limit.inputValue(), "77");
    at.browser.expected(/status of 429/);
  });
});
