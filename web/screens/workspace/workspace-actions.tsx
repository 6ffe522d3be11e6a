// The palette's entries inside a workspace: its views, its agents, and cancelling the turn.

import { useNavigate } from "@solidjs/router";
import Bot from "lucide-solid/icons/bot";
import CircleStop from "lucide-solid/icons/circle-stop";
import PanelsTopLeft from "lucide-solid/icons/panels-top-left";
import { api, take } from "../../api/client.ts";
import { type OfferedAction, useActions } from "../../frame/offered-actions.ts";
import { attempt } from "../../kit/toast.tsx";
import { type Here, type WorkspaceView, workspaceViews } from "../../state/here.ts";
import { openTurn } from "../../state/workspace-state.ts";

export const VIEW_NAMES: Readonly<Record<WorkspaceView, string>> = {
  chat: "Chat",
  blueprint: "Blueprint",
  files: "Files",
  memory: "Memory",
  activity: "Activity",
};

/** The address of a view. */
export function viewPath(workspaceId: number, view: WorkspaceView): string {
  return `/workspaces/${workspaceId}${view === "chat" ? "" : `/${view}`}`;
}

/** For the workspace's screen, while it is there. */
export function offerWorkspaceActions(here: Here): void {
  const navigate = useNavigate();
  useActions(() => {
    const state = here.feed.state();
    if (!state || state.gone) return [];
    const turn = openTurn(state);
    const actions: OfferedAction[] = workspaceViews
      .filter((view) => view !== here.view())
      .map((view) => ({
        group: "This workspace",
        label: `Go to ${VIEW_NAMES[view]}`,
        icon: <PanelsTopLeft aria-hidden="true" />,
        run: () => void navigate(viewPath(here.id, view)),
      }));
    actions.push({
      group: "This workspace",
      label: "Show bound documents",
      icon: <PanelsTopLeft aria-hidden="true" />,
      run: () => void navigate(`${viewPath(here.id, here.view())}?inspect=workspace-${here.id}`),
    });
    // Last: the first one is selected, and Enter must not end work by mistake.
    if (turn)
      actions.push({
        group: "This workspace",
        label: "Stop turn",
        icon: <CircleStop aria-hidden="true" />,
        danger: true,
        run: () => void attempt(() => take(api.turns({ id: turn.id }).cancel.post())),
      });
    const agents = state.agents.map((agent) => ({
      id: `agent-${agent.id}`,
      group: "Agents",
      label: agent.name,
      icon: <Bot aria-hidden="true" />,
      run: () => void navigate(`${viewPath(here.id, here.view())}?inspect=agent-${agent.id}`),
    }));
    return [...actions, ...agents];
  });
}
