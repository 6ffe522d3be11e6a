// The palette's commands: actions of the open screens, global actions, pages, workspaces, gears and instructions.

import { useNavigate } from "@solidjs/router";
import BookOpen from "lucide-solid/icons/book-open";
import Cog from "lucide-solid/icons/cog";
import LogIn from "lucide-solid/icons/log-in";
import LogOut from "lucide-solid/icons/log-out";
import Monitor from "lucide-solid/icons/monitor";
import Moon from "lucide-solid/icons/moon";
import NotebookText from "lucide-solid/icons/notebook-text";
import Plus from "lucide-solid/icons/plus";
import Sun from "lucide-solid/icons/sun";
import TextAlignStart from "lucide-solid/icons/text-align-start";
import Zap from "lucide-solid/icons/zap";
import { type Accessor, createMemo, type JSX } from "solid-js";
import { Dynamic } from "solid-js/web";
import type { MarkedText } from "../../src/service/search/schema.ts";
import { attempt } from "../kit/toast.tsx";
import {
  documentsQuery,
  gearsQuery,
  instructionsQuery,
  modelsQuery,
  spaceQuery,
  workspacesQuery,
} from "../state/lists.ts";
import { askToSignIn, me, signOut } from "../state/session.ts";
import { setTheme, theme, type Theme } from "../state/theme.ts";
import type { Found } from "./command-search.ts";
import { offeredActions } from "./offered-actions.ts";
import { mayOpen, places } from "./places.ts";

export interface Command extends Found {
  readonly icon?: () => JSX.Element;
  /** The label is the path of a file. */
  readonly isPath?: boolean | undefined;
  /** The matches in the label, and the part of the text around its matches. */
  readonly ranges?: MarkedText["ranges"] | undefined;
  readonly snippet?: MarkedText | undefined;
  /** Of what a search found, to be offered again. */
  readonly address?: string;
  readonly run: () => void;
  readonly danger?: boolean | undefined;
  readonly disabled?: boolean | undefined;
}

/** Returns the commands in the order of their groups. Lists that are still loading are added when they arrive. */
export function everyCommand(): Accessor<readonly Command[]> {
  const navigate = useNavigate();
  const go = (path: string) => () => void navigate(path);
  const workspaces = workspacesQuery();
  const gears = gearsQuery();
  const instructions = instructionsQuery();
  const models = modelsQuery();
  const documents = documentsQuery(spaceQuery());
  // By itself, because there may be thousands.
  const ofDocuments = createMemo(() =>
    (documents.data() ?? [])
      .filter(({ state }) => state !== "deleted")
      .map(({ path }) => ({
        id: `document-${encodeURIComponent(path)}`,
        group: "Documents",
        label: path.slice(path.lastIndexOf("/") + 1),
        note: path,
        icon: () => <NotebookText aria-hidden="true" />,
        run: go(`/context?path=${encodeURIComponent(path)}`),
      })),
  );
  return createMemo(() => [
    ...offered(),
    ...everywhere(go, models.data()?.length === 0),
    ...pages(go),
    ...(workspaces.data() ?? []).map((one) => ({
      id: `workspace-${one.id}`,
      group: "Workspaces",
      label: one.display_name,
      note: firstLine(one.description),
      icon: () => <TextAlignStart aria-hidden="true" />,
      run: go(`/workspaces/${one.id}`),
    })),
    ...(gears.data() ?? []).map((one) => ({
      id: `gear-${one.id}`,
      group: "Gears",
      label: one.name,
      note: one.status,
      icon: () => <Cog aria-hidden="true" />,
      run: go(`/gears/${one.id}`),
    })),
    ...(instructions.data() ?? []).map((one) => ({
      id: `instruction-${one.id}`,
      group: "Instructions",
      label: one.name,
      note: `version ${one.version}`,
      icon: () => <BookOpen aria-hidden="true" />,
      run: go(`/library/${one.id}`),
    })),
    ...ofDocuments(),
  ]);
}

function offered(): Command[] {
  return offeredActions().map((action) => {
    const group = action.group ?? "On this page";
    return {
      id: action.id ?? `action-${group}-${action.label}`.replaceAll(/\s/g, "-"),
      group,
      label: action.label,
      icon: () => action.icon ?? <Zap aria-hidden="true" />,
      run: action.run,
      danger: action.danger,
      disabled: action.disabled,
    };
  });
}

function pages(go: (path: string) => () => void): Command[] {
  return places.filter(mayOpen).map((place) => ({
    id: `page-${place.path.slice(1)}`,
    group: "Pages",
    label: place.name,
    icon: () => <Dynamic component={place.icon} aria-hidden="true" />,
    run: go(place.path),
  }));
}

const THEMES: readonly (readonly [Theme, string, typeof Sun])[] = [
  ["light", "Switch to light theme", Sun],
  ["dark", "Switch to dark theme", Moon],
  ["system", "Switch to system theme", Monitor],
];

/** `lacksModels`: the catalogue was read and is empty. */
function everywhere(go: (path: string) => () => void, lacksModels: boolean): Command[] {
  const group = "Actions";
  const commands: Command[] = [
    {
      id: "new-workspace",
      group,
      label: "Create workspace",
      note: lacksModels ? "add a model first" : undefined,
      icon: () => <Plus aria-hidden="true" />,
      run: go("/workspaces?new=1"),
      disabled: lacksModels,
    },
    ...THEMES.filter(([value]) => value !== theme()).map(([value, label, icon]) => ({
      id: `theme-${value}`,
      group,
      label,
      icon: () => <Dynamic component={icon} aria-hidden="true" />,
      run: () => setTheme(value),
    })),
  ];
  if (me()?.auth === "session")
    commands.push({
      id: "sign-out",
      group,
      label: "Sign out",
      icon: () => <LogOut aria-hidden="true" />,
      run: () => void attempt(signOut),
    });
  if (me()?.auth === "loopback")
    commands.push({
      id: "sign-in",
      group,
      label: "Switch user",
      icon: () => <LogIn aria-hidden="true" />,
      run: askToSignIn,
    });
  return commands;
}

const NOTE_CHARACTERS_MAX = 80;

function firstLine(text: string): string | undefined {
  return text.trim().split("\n", 1)[0]!.slice(0, NOTE_CHARACTERS_MAX) || undefined;
}
