// Goal: figures keep their significant digits, times follow the reader's time zone, and reasons of the server read as sentences.

import { describe, expect, test } from "bun:test";
import { ROOT } from "../../../release/step.ts";
import { sentence } from "../../../web/kit/format.ts";

const TIME = "2025-11-14T23:30:00.000Z";
const FIGURES = `
  const f = await import(${JSON.stringify(`${ROOT}/web/kit/format.ts`)});
  console.log(JSON.stringify([f.count(1234567), f.money(0.0042), f.money(1234.5), f.priceText(0.025), f.percent(0.004), f.percent(0.5),
    f.bytes(1536), f.duration(18200), f.moment("${TIME}", new Date("2026-11-22T12:00:00Z")), f.ago("${TIME}", Date.parse("2025-11-14T23:42:10Z")),
    f.plural(1, "turn"), f.plural(2000, "turn"), f.list(["python", "node"])]));
`;

/** In a process of its own: its time zone is fixed at the start. Bun writes as in American English; tests/web has another locale. */
async function figuresIn(zone: string): Promise<string[]> {
  const child = Bun.spawn([process.execPath, "-e", FIGURES], {
    env: { ...process.env, TZ: zone },
    stdout: "pipe",
  });
  // Spaces that do not break look alike.
  return (JSON.parse(await new Response(child.stdout).text()) as string[]).map((text) =>
    text.replace(/\s/gu, " "),
  );
}

describe("figures", () => {
  test("follow American English", async () => {
    expect(await figuresIn("UTC")).toEqual([
      "1,234,567",
      "$0.0042",
      "$1,234.50",
      "$0.025",
      "<1%",
      "50%",
      "1.5 KiB",
      "18.2 s",
      "Nov 14, 2025",
      "12 minutes ago",
      "1 turn",
      "2,000 turns",
      "python and node",
    ]);
  });

  test("follow the reader's time zone", async () => {
    expect((await figuresIn("Asia/Tokyo"))[8]).toBe("Nov 15, 2025");
  });
});

test.each([
  ["web search is off", "Web search is off."],
  ["Nothing was sent.", "Nothing was sent."],
  ["is it on?", "Is it on?"],
  ["", ""],
])("the reason %p is shown as %p", (reason, shown) => {
  expect(sentence(reason)).toBe(shown);
});
