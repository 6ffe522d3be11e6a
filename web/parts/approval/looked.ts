// The version of a gear that a reader looks at. A newer one is announced and never slips under the Approve button.

import { type Accessor, createEffect, createSignal } from "solid-js";
import type { GearDetail } from "../../../src/service/gears/schema.ts";

export interface Looked {
  readonly gear: Accessor<GearDetail>;
  readonly latest: Accessor<GearDetail>;
  /** Another version is current now. */
  readonly outdated: Accessor<boolean>;
  readonly showLatest: () => void;
}

/** Status, tests and approval may change meanwhile; the content may not. */
export function createLooked(latest: Accessor<GearDetail>): Looked {
  const [gear, setGear] = createSignal(latest());
  const outdated = () => latest().content_hash !== gear().content_hash;
  createEffect(() => {
    if (!outdated()) setGear(latest());
  });
  return { gear, latest, outdated, showLatest: () => void setGear(latest()) };
}
