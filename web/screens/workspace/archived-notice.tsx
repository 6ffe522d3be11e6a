// Says that the workspace is archived, so that a refusal surprises nobody, and offers the way back.

import { type JSX, Show } from "solid-js";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { createAction } from "../../kit/action.ts";
import { Button } from "../../kit/button.tsx";
import { useHere } from "../../state/here.ts";
import { ownsWorkspace } from "../../state/session.ts";

export function ArchivedNotice(): JSX.Element {
  const here = useHere();
  const isOwn = () => ownsWorkspace(here.state().workspace);
  const unarchiving = createAction(async () => {
    await take(api.workspaces({ id: here.id }).unarchive.post());
    await refresh("workspaces");
  });
  return (
    <div class="notice workspace-archived" role="status">
      <div>
        This workspace is archived. You can read it; nothing in it changes.
        <Show when={!isOwn()}> Its owner or an admin can unarchive it.</Show>
      </div>
      <Show when={isOwn()}>
        <Button small busy={unarchiving.busy()} onClick={() => void unarchiving.run()}>
          Unarchive
        </Button>
      </Show>
    </div>
  );
}
