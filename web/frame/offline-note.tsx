// Says that the server is unreachable and that what is shown was read earlier.

import { type JSX, Show } from "solid-js";
import { storedAt } from "../api/reach.ts";
import { Time } from "../kit/pieces.tsx";

export function OfflineNote(): JSX.Element {
  return (
    <div role="status" class="top-connection">
      <Show when={storedAt()}>
        {(time) => (
          <>
            <span class="dot wait" />
            <span>
              Offline, as of <Time time={time()} />
            </span>
          </>
        )}
      </Show>
    </div>
  );
}
