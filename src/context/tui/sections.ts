// The sections of the terminal UI. A section that the person may not use is not there.

import type { WhoAmI } from "../people/schema.ts";
import type { Desk } from "./desk.ts";
import type { Page } from "./page.ts";
import { auditPage } from "./pages/audit.ts";
import { conflictsPage } from "./pages/conflicts.ts";
import { overviewPage } from "./pages/overview.ts";
import { SearchPage } from "./pages/search.ts";
import { spacesPage } from "./pages/spaces.ts";
import { usersPage } from "./pages/users.ts";

export interface Section {
  readonly name: string;
  /** The page on top is the last. */
  readonly pages: Page[];
  isLoaded: boolean;
}

/** `me` undefined: a local space. */
export function sectionsOf(desk: Desk, me: WhoAmI | undefined): readonly Section[] {
  const section = (name: string, page: Page): Section => ({ name, pages: [page], isLoaded: false });
  const { server } = desk;
  return [
    section("Overview", overviewPage(desk)),
    section("Spaces", spacesPage(desk)),
    section("Search", new SearchPage(desk)),
    ...(server && me?.role === "admin"
      ? [section("Users", usersPage(server)), section("Audit", auditPage(server))]
      : []),
    section("Conflicts", conflictsPage(desk)),
  ];
}
