// Snapshots of a space: names for a moment, and going back to one by writing new versions.

import { h } from "preact";
import { AppError, fieldError, notFound } from "../../../kit/error.ts";
import { SNAPSHOT_NAME_CHARACTERS_MAX as NAME_CHARACTERS_MAX } from "../../versioned-store/schema.ts";
import { to, type Answer, type Area, type Asked } from "../area.ts";
import { failureOf, type Failure } from "../failure.ts";
import { counted } from "../../../kit/text/amounts.ts";
import { spacePath } from "../format.ts";
import { ConfirmBody } from "../pages/confirm.tsx";
import { SnapshotsBody } from "../pages/snapshots.tsx";
import { diskSentence } from "../../space/disk-note.ts";
import { get, idOf, post } from "../routes.ts";
import { spacePage } from "../space-head.tsx";
import type { SpaceSource } from "../space-source.ts";

const ROOT = "/console/spaces/:space";
const LOST_NAMED_MAX = 5;

export function snapshotsArea(source: SpaceSource): Area {
  const path = `${ROOT}/snapshots`;
  return {
    spaceTabs: [{ label: "Snapshots", path: "/snapshots" }],
    routes: [
      { method: "GET", path, answer: (asked) => snapshots(source, asked) },
      {
        method: "POST",
        path,
        answer: async (asked) => {
          const { visit, params, form } = asked;
          const space = params["space"]!;
          const name = form.text("name").trim();
          try {
            if (name === "" || name.length > NAME_CHARACTERS_MAX)
              throw fieldError("invalid", "name", `1 to ${NAME_CHARACTERS_MAX} characters`);
            const made = await source.use(visit.caller, space, (one) => one.snapshot(name));
            return to(spacePath(space, "/snapshots"), `Created the snapshot ${made.name}.`);
          } catch (error) {
            return snapshots(source, asked, name, failureOf(error, "name"));
          }
        },
      },
      get(`${path}/:id/restore`, (asked) => askRestore(source, asked)),
      post(`${path}/:id/restore`, async ({ visit, params }) => {
        const space = params["space"]!;
        const text = await source.use(visit.caller, space, async (one) => {
          const { files, lost } = await one.restore(idOf("snapshot", params));
          const note = await diskSentence(one, ...files);
          return `Restored the snapshot: ${counted(files.length, "document")} changed.${lostSentence(lost)}${note}`;
        });
        return to(spacePath(space, "/snapshots"), text);
      }),
    ],
  };
}

function lostSentence(lost: readonly string[]): string {
  if (lost.length === 0) return "";
  const more = lost.length - LOST_NAMED_MAX;
  const names = lost.slice(0, LOST_NAMED_MAX).join(", ") + (more > 0 ? ` and ${counted(more, "other")}` : "");
  return ` Not restored, because the content at that time was destroyed or pruned: ${names}.`;
}

async function askRestore(source: SpaceSource, { visit, params }: Asked): Promise<Answer> {
  const space = params["space"]!;
  const rows = await source.use(visit.caller, space, (one) => one.snapshots());
  const snapshot = rows.find(({ id }) => String(id) === params["id"]);
  if (!snapshot) throw notFound("snapshot", params["id"]!);
  if (!visit.caller.rights.has("lead", space))
    throw new AppError("forbidden", `restoring a snapshot requires the role space-lead or admin in ${space}`);
  const back = spacePath(space, "/snapshots");
  const text =
    "Writes every document as it was in the snapshot, as a new version, and deletes documents created since then. All versions stay in the history.";
  const confirm = {
    visit,
    action: spacePath(space, `/snapshots/${snapshot.id}/restore`),
    back,
    button: "Restore the snapshot",
    children: h("p", null, text),
    isHarmless: true,
  };
  const crumbs = [{ label: "Snapshots", path: back }];
  const facts = { title: `Restore the snapshot ${snapshot.name}`, tab: "/snapshots", crumbs };
  return spacePage(visit, space, facts, h(ConfirmBody, confirm));
}

async function snapshots(
  source: SpaceSource,
  { visit, params }: Asked,
  name = "",
  failure?: Failure,
): Promise<Answer> {
  const space = params["space"]!;
  const rows = await source.use(visit.caller, space, (one) => one.snapshots());
  const isLead = visit.caller.rights.has("lead", space);
  const facts = { title: "Snapshots", tab: "/snapshots", status: failure?.status };
  const body = h(SnapshotsBody, { visit, space, rows: rows.toReversed(), isLead, name, failure });
  return spacePage(visit, space, facts, body);
}
