// Says why the agents have no tools that write: the conversation holds text from the web. Leads to the first such entry.

import { createMemo, type JSX, Show } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { plural } from "../../kit/format.ts";
import { useHere } from "../../state/here.ts";
import { isTainting } from "../../state/taint.ts";
import { useRoom } from "./room.ts";

export function TaintNotice(): JSX.Element {
  const here = useHere();
  const room = useRoom();
  const tainting = createMemo(() => here.state().entries.filter(isTainting));
  const first = () => tainting()[0];
  return (
    <Show when={first()}>
      {(entry) => (
        <div class="notice wait" role="group" aria-label="Text from the web">
          <div>
            {plural(tainting().length, "entry", "entries")} with text from the web: agents get no tools that
            write. Forget each, or clear its mark.
          </div>
          <Button small onClick={() => room.select({ kind: "entry", id: entry().id })}>
            Show first
          </Button>
        </div>
      )}
    </Show>
  );
}
