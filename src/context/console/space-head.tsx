// The top of every page of a space: its tabs, the way back, and a search box.

import type { ComponentChildren, VNode } from "preact";
import { page, type Page } from "./area.ts";
import { spacePath } from "./format.ts";
import type { Crumb } from "./frame.tsx";
import type { SpaceTab, Visit } from "./visit.ts";

/** Of the pages that only leads and admins see. */
export const SETTINGS_TAB = "/settings";

/** A page of a space. `tab`: the path of its tab. `crumbs`: below the space. */
export function spacePage(
  visit: Visit,
  space: string,
  { title, tab, crumbs = [], status }: SpacePageFacts,
  body: ComponentChildren,
): Page {
  const above: Crumb[] = [
    { label: "Spaces", path: "/console/spaces" },
    ...(title === space ? [] : [{ label: space, path: spacePath(space) }]),
    ...crumbs,
  ];
  const whole = (
    <>
      <Tabs visit={visit} space={space} tab={tab} />
      {body}
    </>
  );
  return page(title, whole, { crumbs: above, ...(status === undefined ? {} : { status }) });
}

interface SpacePageFacts {
  readonly title: string;
  readonly tab: string;
  readonly crumbs?: readonly Crumb[];
  readonly status?: number | undefined;
}

function Tabs({ visit, space, tab }: { visit: Visit; space: string; tab: string }): VNode {
  const isShown = (one: SpaceTab) => one.isShown?.(visit.caller, space) ?? true;
  return (
    <nav class="console-tabs" aria-label="Space">
      <ul>
        {visit.spaceTabs.filter(isShown).map((one) => (
          <li>
            <a href={spacePath(space) + one.path} aria-current={one.path === tab ? "page" : undefined}>
              {one.label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The folders above a path, as links. */
export function folderCrumbs(space: string, path: string): Crumb[] {
  const segments = path.split("/").slice(0, -1);
  return segments.map((label, index) => ({
    label,
    path: spacePath(space, "/tree", segments.slice(0, index + 1).join("/")),
  }));
}
