// Goal: the list of workspaces shows those of a team that the person joins while it is open, however many there are.

import { test } from "bun:test";
import { ACTIVITY_IDS_MAX } from "../../src/service/overview/schema.ts";
import { createPerson } from "../kit/service/person.ts";
import { onScreen, screen } from "../kit/browser/screen.ts";

const made = () => screen({ model: true });

onScreen("the list of workspaces of a person who joins a team", made, (at) => {
  test("shows more workspaces than the server names", async () => {
    const team = await at.team("Large");
    const nia = await createPerson(at.admin, "Nia");
    for (let number = 0; number <= ACTIVITY_IDS_MAX; number += 1) {
      const asked = { name: `Large ${number}`, description: "", orchestrator_model_id: at.bossId };
      const { id } = await at.admin.post("/workspaces", asked);
      await at.admin.put(`/workspaces/${id}/teams/${team}`);
    }
    await using page = await at.browser.open("about:blank", "");
    await page.setExtraHTTPHeaders({ Authorization: `Bearer ${nia.token}` });
    await page.goto(`${at.url}/workspaces`);
    await page.getByRole("heading", { name: "Workspaces", level: 1 }).waitFor();
    // A page that nobody looks at does not ask by itself.
    await page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'hidden' })");
    await at.admin.put(`/teams/${team}/members/${nia.id}`);
    await page.getByRole("link", { name: "Large 0", exact: true }).waitFor();
  });
});
