// Exports a workspace: says what the file holds, and lets the browser save it.

import Download from "lucide-solid/icons/download";
import { createSignal, type JSX } from "solid-js";
import type { Workspace } from "../../../src/service/workspaces/schema.ts";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";

export function ExportDialog(props: {
  readonly workspace: Workspace;
  readonly onClose: () => void;
}): JSX.Element {
  const [withFiles, setWithFiles] = createSignal(true);
  const address = () => `/api/v1/workspaces/${props.workspace.id}/export${withFiles() ? "" : "?files=0"}`;
  return (
    <Dialog open onClose={props.onClose} title={`Export ${props.workspace.display_name}`}>
      <div class="stack">
        <p>
          One file with agents, wires, gears, instructions, the whole conversation with its branches, and the
          exact prompts.
        </p>
        <p class="muted">
          Provider keys, tokens, approvals, search permissions, memory and message attachments are not in it.
        </p>
        <label class="check">
          <input
            type="checkbox"
            checked={withFiles()}
            onChange={(event) => setWithFiles(event.currentTarget.checked)}
          />
          <span>Include workspace files</span>
        </label>
        <div class="actions">
          <Button onClick={props.onClose}>Cancel</Button>
          <a
            class="btn primary"
            href={address()}
            download={`${fileName(props.workspace.display_name)}.jsonl`}
            target="_self"
            onClick={() => setTimeout(props.onClose)}
          >
            <Download aria-hidden="true" />
            Export
          </a>
        </div>
      </div>
    </Dialog>
  );
}

/** Without characters that file systems refuse. */
function fileName(name: string): string {
  return name.replace(/[/\\:*?"<>|\p{Cc}]/gu, "-");
}
