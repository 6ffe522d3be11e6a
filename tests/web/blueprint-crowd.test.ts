// Goal: 200 agents and 400 wires fit into view; panning and zooming touch no card; tidying them takes seconds; the times are printed.

import { expect, test } from "bun:test";
import { blueprintOffice, card } from "../kit/browser/blueprint-desk.ts";
import { eventually } from "../kit/eventually.ts";
import { mainThreadMs } from "../kit/browser/page-time.ts";
import { onScreen } from "../kit/browser/screen.ts";

/** Of the page's processor: about 1,400. A move that routes every wire again when it is confirmed takes 5,000. */
const TIDY_MS_MAX = 3_000;

const crowded = () => blueprintOffice({ browser: "people's" });

onScreen("a crowded blueprint", crowded, (office) => {
  /** In the page: cards outside the pane. */
  const HIDDEN = `(() => {
  const pane = document.querySelector(".blueprint-pane").getBoundingClientRect();
  return [...document.querySelectorAll("[data-agent]")].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.left < pane.left || box.right > pane.right || box.top < pane.top || box.bottom > pane.bottom;
  }).map((one) => one.textContent);
})()`;

  /** In the page: turns the wheel frame by frame and counts changes of cards. */
  const ZOOM_AND_WATCH = `(async () => {
  const records = [];
  const observer = new MutationObserver((found) => records.push(...found));
  const layer = document.querySelector(".blueprint-layer");
  observer.observe(layer, { subtree: true, attributes: true, childList: true });
  const times = [];
  for (let step = 0; step < 30; step++) {
    const from = performance.now();
    const at = { deltaY: step % 2 ? 40 : -40, clientX: 700, clientY: 400, bubbles: true, cancelable: true };
    layer.parentElement.dispatchEvent(new WheelEvent("wheel", at));
    await new Promise(requestAnimationFrame);
    times.push(performance.now() - from);
  }
  observer.disconnect();
  const cards = records.filter(({ target }) => target.closest("[data-agent]")).length;
  return { cards, slowest: Math.max(...times), mean: times.reduce((a, b) => a + b, 0) / times.length };
})()`;

  test("draws and fits 200 agents and 400 wires, and stays fluid", async () => {
    const crowd = await office.place("crowd");
    const ids = [crowd.orchestratorId];
    for (let index = 1; index < 200; index++) {
      const name =
        index === 7 ? "a worker with a name so long that it can't stand on any card" : `worker ${index}`;
      ids.push((await crowd.agent(name, { role: "", model: "worker" })).id);
    }
    const pairs = ids.flatMap((to, index) =>
      index === 0
        ? []
        : [
            [ids[0]!, to],
            [to, ids[(index % 199) + 1]!],
          ],
    );
    for (const [from, to] of [...pairs, [ids[5]!, ids[9]!], [ids[6]!, ids[11]!]])
      await crowd.wire(from!, to!);
    const started = performance.now();
    const page = await office.open(`${crowd.own}/blueprint`);
    await card(page, "worker 199").waitFor();
    const cards = page.locator("[data-agent]");
    await eventually(() => cards.count(), 200);
    await eventually(() => page.locator("[data-wire]").count(), 400);
    console.log(`200 agents, 400 wires: shown after ${Math.round(performance.now() - started)} ms`);
    await eventually(() => page.evaluate(HIDDEN), []);
    // Panning touches only the layer.
    const touched = (await page.evaluate(ZOOM_AND_WATCH)) as Record<"cards" | "mean" | "slowest", number>;
    console.log(
      `zooming: mean ${touched.mean.toFixed(1)} ms per frame, slowest ${touched.slowest.toFixed(1)} ms`,
    );
    expect(touched.cards).toBe(0);
    const tidied = await mainThreadMs(page, async () => {
      await page.getByRole("button", { name: "Tidy" }).click();
      await page.getByRole("button", { name: "Undo: tidy layout" }).waitFor();
    });
    console.log(`tidy of 200 agents: ${Math.round(tidied)} ms of the page's processor`);
    expect(tidied).toBeLessThan(TIDY_MS_MAX);
    await page.context().close();
  });
});
