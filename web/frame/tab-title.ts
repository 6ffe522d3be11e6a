// The title of the browser's tab: what waits for this person, and the screen.

import { createSignal } from "solid-js";
import { count } from "../kit/format.ts";

const [pending, setPending] = createSignal(0);
/** The number of approvals that the signed-in person may decide. */
export { pending, setPending };

/** `(3) Release desk · Cairn`, or `Files · Release desk · Cairn` for a view beside the first one. Tracked. */
export function tabTitle(screen: string | undefined, view?: string): string {
  const waiting = pending() === 0 ? "" : `(${count(pending())}) `;
  return `${waiting}${[view, screen, "Cairn"].filter((part) => part !== undefined).join(" · ")}`;
}
