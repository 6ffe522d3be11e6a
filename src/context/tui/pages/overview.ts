// The first page: where this is, who looks at it, how it is doing.

import { AppError } from "../../../kit/error.ts";
import { problemText } from "../../../kit/health.ts";
import type { WhoAmI } from "../../people/schema.ts";
import { allOf, type ListedSpace, type SpaceList } from "../../spaces/open-space.ts";
import type { Space } from "../../spaces/schema.ts";
import type { Desk } from "../desk.ts";
import { TextPage } from "../text-page.ts";
import { plural, sizeText } from "../../../kit/text/amounts.ts";
import { errorText, timeText } from "../words.ts";

/** Looking into many spaces takes long; the pages of the spaces show the rest. */
const SPACES_LOOKED_INTO_MAX = 5;
const LABEL_COLUMNS = 14;

export function overviewPage(desk: Desk): TextPage {
  return new TextPage({
    title: "Overview",
    text: async () => {
      const [me, list] = await Promise.all([desk.server?.whoAmI(), desk.spaces()]);
      const spaces = allOf(list);
      const sections = [
        about(desk, me, list),
        ...(desk.server ? [await healthOf(desk)] : []),
        ...(await Promise.all(
          spaces.slice(0, SPACES_LOOKED_INTO_MAX).map((space) => spaceText(desk, space)),
        )),
      ];
      const rest = spaces.length - SPACES_LOOKED_INTO_MAX;
      if (rest > 0) sections.push([`${plural(rest, "more space")}: see Spaces`]);
      return sections.map((lines) => lines.join("\n")).join("\n\n");
    },
    tone: (line) => (/^\S/.test(line) && !line.includes("  ") ? "bold" : "plain"),
  });
}

function about({ place, hands }: Desk, me: WhoAmI | undefined, list: SpaceList): string[] {
  const { spaces, unopened } = list;
  const total = (of: (space: Space) => number) => spaces.reduce((sum, space) => sum + of(space), 0);
  return [
    row(me ? "Server" : "Folder", place),
    ...(me ? [row("Signed in as", `${me.name} (${me.role})`)] : []),
    ...(hands.transport === "ssh" ? [row("Connection", "SSH: everything can be read, nothing changed")] : []),
    row("Spaces", String(spaces.length)),
    ...(unopened.length > 0
      ? [row("", `${plural(unopened.length, "more space")} cannot be opened: see Spaces`)]
      : []),
    row(
      "Content",
      `${plural(
        total(({ files }) => files),
        "file",
      )}, ${plural(
        total(({ versions }) => versions),
        "version",
      )}, ${sizeText(total(({ bytes }) => bytes))}`,
    ),
  ];
}

async function healthOf({ server }: Desk): Promise<string[]> {
  const { status, version, problems } = await server!.health();
  return [
    row("Health", status),
    ...problems.map((problem) => row("", problemText(problem))),
    row("Version", version),
  ];
}

async function spaceText(desk: Desk, space: ListedSpace): Promise<string[]> {
  const state = await stateOf(desk, space.name).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "unauthenticated") throw error;
    // One space that cannot be opened must not hide the others.
    return [row("  Problem", errorText(error))];
  });
  return [
    space.name,
    ...("files" in space
      ? [
          row("  Files", `${space.files} (${sizeText(space.bytes)})`),
          row("  Created", timeText(space.created_at)),
        ]
      : []),
    ...state,
  ];
}

async function stateOf(desk: Desk, space: string): Promise<string[]> {
  const { documents } = await desk.look(space, (door) => door.freshness());
  const stale = documents.filter(({ state }) => state === "stale").length;
  const conflicts = await desk.conflicts(space);
  return [
    row("  Stale", plural(stale, "document")),
    row("  Conflicts", conflicts.length === 0 ? "none" : `${conflicts.length} open`),
  ];
}

function row(label: string, value: string): string {
  return `${label.padEnd(LABEL_COLUMNS)}  ${value}`;
}
