// The title of the browser's tab: what waits for this person, and the screen.

import { createSignal } from "solid-js";
import { count } from "../kit/format.ts";

const [pending, setPending] = createSignal(0);
/** The number of approvals that the signed-in person may decide. */
export { pending, setPending };

/** `(3) Release desk · Cairn`. Tracked. */
export function tabTitle(screen: string | undefined): string {
  const waiting = pending() === 0 ? "" : `(${count(pending())}) `;
  return screen === undefined ? `${waiting}Cairn` : `${waiting}${screen} · Cairn`;
}
