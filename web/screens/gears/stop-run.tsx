// Ends a run of a gear that is still going.

import { createSignal, type JSX } from "solid-js";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { attempt } from "../../kit/toast.tsx";

export function StopRun(props: { readonly id: number }): JSX.Element {
  const [stopping, setStopping] = createSignal(false);
  const stop = async () => {
    setStopping(true);
    await attempt(async () => {
      await take(api["gear-runs"]({ id: props.id }).cancel.post());
      await refresh("gears");
    });
    setStopping(false);
  };
  return (
    <Button small busy={stopping()} onClick={() => void stop()}>
      Stop
    </Button>
  );
}
