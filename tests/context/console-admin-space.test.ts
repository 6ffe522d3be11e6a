// Goal: leads set the quotas and the sync rules of a space on a page, with each mistake at its field, and nobody else can.

import { describe, expect, test } from "bun:test";
import { signedIn, willSignIn } from "../kit/context/console.ts";
import { contextServer } from "../kit/context/context-server.ts";
import { shared } from "../kit/group-resource.ts";

const SETTINGS = "/console/spaces/team/settings";

const config = { quotas: { max_files: 70, max_file_size: 1_048_576 } };
const server = shared(() => contextServer({ config, people: { lee: "space-lead" } }));
const [root, lead] = [willSignIn(server, "root"), willSignIn(server, "lee")];

describe("quotas", () => {
  const path = `${SETTINGS}/quotas`;

  test("show what is in force and where it is from, and take sizes with a unit", async () => {
    const page = await lead.get(SETTINGS);
    expect(page.text).toContain("Current: 70, the server's limit. Used: 0.");
    const saved = await lead.submit(page, path, { max_file_size: "1.5 KiB", max_files: "12" });
    expect(saved.text).toContain("Saved the quotas.");
    expect(saved.text).toContain("Current: 1536 bytes, set by lee. Empty: the server's limit, 1 MiB.");
    const { quotas } = await server.admin.get("/spaces/team");
    expect(quotas).toMatchObject({ max_file_size: 1_536, max_files: 12 });
    const cleared = await lead.submit(saved, path, { max_file_size: "", max_files: "" });
    expect(cleared.text).toContain("Current: 70, the server's limit.");
  });

  test("that a lead may not set, or that are no size, are refused at the field", async () => {
    const page = await lead.get(SETTINGS);
    const above = await lead.submit(page, path, { max_files: "71" });
    expect([above.status, above.problems]).toEqual([
      403,
      { max_files: "above the server's limit of 70; only an admin may set a higher limit" },
    ]);
    const odd = await lead.submit(page, path, { max_file_size: "much" });
    expect([odd.status, odd.problems]).toEqual([400, { max_file_size: "expected a size such as 5 MiB" }]);
    const huge = await lead.submit(page, path, { max_space_size: "999999999 TiB" });
    expect([huge.status, Object.keys(huge.problems)]).toEqual([400, ["max_space_size"]]);
    const raised = await root.submit(await root.get(SETTINGS), path, { max_files: "71" });
    expect(raised.text).toContain("Current: 71, set by root.");
  });
});

describe("sync rules", () => {
  const path = `${SETTINGS}/sync`;

  test("are added, changed and removed in rows", async () => {
    const page = await lead.get(SETTINGS);
    const more = await lead.submit(page, path, { "rules.1.prefix": "drafts/", do: "row" });
    const saved = await lead.submit(more, path, {
      "rules.2.prefix": "notes/ä b",
      "rules.2.mode": "init-only",
      do: "save",
    });
    expect(saved.text).toContain("Saved 3 sync rules.");
    const rules = { "identity/": "init-only", "drafts/": "never", "notes/ä b": "init-only" } as const;
    expect(await server.admin.get("/spaces/team/sync")).toEqual(rules);
    const removed = await lead.submit(saved, path, { "rules.1.prefix": "", do: "save" });
    expect(removed.text).toContain("Saved 2 sync rules.");
  });

  test("of one prefix are refused at the second row, however it is written", async () => {
    const before = await server.admin.get("/spaces/team/sync");
    const page = await lead.get(SETTINGS);
    const last = Number(page.forms.find(({ action }) => action === path)!.fields["rows"]) - 1;
    const two = await lead.submit(page, path, {
      rows: String(last + 2),
      [`rules.${last}.prefix`]: "é/",
      [`rules.${last}.mode`]: "never",
      [`rules.${last + 1}.prefix`]: "e\u0301/",
      [`rules.${last + 1}.mode`]: "always",
      do: "save",
    });
    expect([two.status, two.problems]).toEqual([
      400,
      { [`rules.${last + 1}`]: "é/ has a rule already; remove one of the two" },
    ]);
    expect(await server.admin.get("/spaces/team/sync")).toEqual(before);
  });

  test("with a bad prefix are refused at the row, and those of someone else are not overwritten", async () => {
    const page = await lead.get(SETTINGS);
    const form = page.forms.find(({ action }) => action === path)!;
    const last = Number(form.fields["rows"]) - 1;
    const bad = await lead.submit(page, path, { [`rules.${last}.prefix`]: "../x", do: "save" });
    expect([bad.status, Object.keys(bad.problems)]).toEqual([400, [`rules.${last}`]]);
    await server.admin.put("/spaces/team/sync", { "other/": "never" });
    const late = await lead.submit(page, path, { [`rules.${last}.prefix`]: "mine/", do: "save" });
    expect([late.status, late.problems]).toEqual([
      412,
      { "": "the rules have changed in the meantime; open the page again" },
    ]);
    expect(await server.admin.get("/spaces/team/sync")).toEqual({ "other/": "never" });
  });

  test("of two forms that are sent at once, one is saved and the other one refused", async () => {
    const page = await lead.get(SETTINGS);
    const last = Number(page.forms.find(({ action }) => action === path)!.fields["rows"]) - 1;
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        lead.submit(page, path, { [`rules.${last}.prefix`]: `both-${index}/`, do: "save" }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(412)]);
    const saved = answers.findIndex(({ status }) => status === 200);
    const rules = { "other/": "never", [`both-${saved}/`]: "never" };
    expect(await server.admin.get("/spaces/team/sync")).toEqual(rules as never);
  });

  test("are refused to a lead who is none any more when they are saved", async () => {
    await server.user("len", "space-lead");
    const len = await signedIn(server, "len");
    const page = await len.get(SETTINGS);
    await server.admin.patch("/users/len", { role: "contributor" });
    const before = await server.admin.get("/spaces/team/sync");
    expect((await len.submit(page, path, { do: "save" })).status).toBe(403);
    expect(await server.admin.get("/spaces/team/sync")).toEqual(before);
  });
});

describe("the settings of a space", () => {
  test.each(["contributor", "viewer"] as const)("are not shown to a %s, and refused", async (role) => {
    await server.user(role, role);
    const one = await signedIn(server, role);
    const space = await one.get("/console/spaces/team");
    expect(space.links).not.toContain(SETTINGS);
    const csrf = space.forms[0]!.fields["csrf"]!;
    expect([
      (await one.get(SETTINGS)).status,
      (await one.post(`${SETTINGS}/quotas`, { csrf })).status,
      (await one.post(`${SETTINGS}/sync`, { csrf, rows: "0", do: "save" })).status,
    ]).toEqual([403, 403, 403]);
  });

  test("of a space that a lead does not see are the same page as of none", async () => {
    await server.user("far", "space-lead", []);
    const far = await signedIn(server, "far");
    expect((await far.get(SETTINGS)).status).toBe(404);
    expect((await far.get("/console/spaces/none/settings")).status).toBe(404);
  });
});
