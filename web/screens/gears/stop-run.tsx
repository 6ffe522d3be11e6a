// Ends a run of a gear that is still going.

import { type JSX } from "solid-js";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { createAction } from "../../kit/action.ts";
import { Button } from "../../kit/button.tsx";

export function StopRun(props: { readonly id: number }): JSX.Element {
  const stopping = createAction(async () => {
    await take(api["gear-runs"]({ id: props.id }).cancel.post());
    await refresh("gears");
  });
  return (
    <Button small busy={stopping.busy()} onClick={() => void stopping.run()}>
      Stop
    </Button>
  );
}
