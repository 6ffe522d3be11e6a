// The pages that the rail and the palette lead to, and who may open each.

import BookOpen from "lucide-solid/icons/book-open";
import Box from "lucide-solid/icons/box";
import ClipboardList from "lucide-solid/icons/clipboard-list";
import Cog from "lucide-solid/icons/cog";
import NotebookText from "lucide-solid/icons/notebook-text";
import ShieldCheck from "lucide-solid/icons/shield-check";
import SlidersHorizontal from "lucide-solid/icons/sliders-horizontal";
import SquareTerminal from "lucide-solid/icons/square-terminal";
import TextAlignStart from "lucide-solid/icons/text-align-start";
import Users from "lucide-solid/icons/users";
import { isAdmin, me } from "../state/session.ts";

export interface Place {
  readonly path: string;
  readonly name: string;
  readonly icon: typeof Box;
  readonly admin?: boolean;
  /** Also for team-leads. */
  readonly lead?: boolean;
}

export const places: readonly Place[] = [
  { path: "/workspaces", name: "Workspaces", icon: TextAlignStart },
  { path: "/approvals", name: "Approvals", icon: ShieldCheck },
  { path: "/gears", name: "Gears", icon: Cog },
  { path: "/library", name: "Library", icon: BookOpen },
  { path: "/context", name: "Context", icon: NotebookText, admin: true },
  { path: "/models", name: "Models", icon: Box },
  { path: "/people", name: "People", icon: Users, admin: true, lead: true },
  { path: "/audit", name: "Audit", icon: ClipboardList, admin: true },
  { path: "/terminal", name: "Terminal", icon: SquareTerminal, admin: true },
  { path: "/settings", name: "Settings", icon: SlidersHorizontal },
];

export const mayOpen = (place: Place) =>
  !place.admin || isAdmin() || (place.lead === true && me()?.role === "team-lead");
