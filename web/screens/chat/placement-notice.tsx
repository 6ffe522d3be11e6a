// Says that the next message starts another branch, and lets a person go back to the end of the conversation.

import { type JSX, Show } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { TurnNumber } from "../../state/turn-number.tsx";
import { useRoom } from "./room.ts";

export function PlacementNotice(props: { readonly onCancel: () => void }): JSX.Element {
  const { branches } = useRoom();
  return (
    <Show when={branches.placement()}>
      {(placement) => (
        <div class="notice" role="status">
          <div>
            New branch{" "}
            <Show when={placement().after} fallback="from the beginning">
              {(id) => (
                <>
                  after turn <TurnNumber id={id()} />
                </>
              )}
            </Show>
            . The existing messages stay on their branch; you can switch back at any time.
          </div>
          <Button small onClick={() => props.onCancel()}>
            Cancel
          </Button>
        </div>
      )}
    </Show>
  );
}
