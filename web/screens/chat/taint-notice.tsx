// Explains why agents have no tools that write: the conversation contains untrusted text. Links to the first such entry.

import { createMemo, createSignal, type JSX, Show } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { plural } from "../../kit/format.ts";
import { attempt } from "../../kit/toast.tsx";
import { useHere } from "../../state/here.ts";
import { clearTaintThrough, isTainting } from "../../state/taint.ts";
import { useRoom } from "./room.ts";

export function TaintNotice(): JSX.Element {
  const here = useHere();
  const room = useRoom();
  const tainting = createMemo(() => here.state().entries.filter(isTainting));
  const first = () => tainting()[0];
  const [busy, setBusy] = createSignal(false);
  const clearAll = async () => {
    setBusy(true);
    await attempt(() => clearTaintThrough(here.id, tainting().at(-1)!.id));
    setBusy(false);
  };
  return (
    <Show when={first()}>
      {(entry) => (
        <div class="notice wait" role="group" aria-label="Untrusted text">
          <div>
            {plural(tainting().length, "entry contains", "entries contain")} text from the web or an untrusted
            file, so agents get no tools that write. Forget the entries, or clear their marks after reading
            them.
          </div>
          <Button small onClick={() => room.select({ kind: "entry", id: entry().id })}>
            Show first
          </Button>
          <Button small busy={busy()} onClick={() => void clearAll()}>
            Clear all marks
          </Button>
        </div>
      )}
    </Show>
  );
}
