// Whether this browser shows a notification for what waits for this person. Off until the person turns it on.

import { stored } from "../kit/storage.ts";

const [isWanted, setWanted] = stored("notify", false);
export { setWanted };

/** The browser's own permission may be withdrawn at any time. */
export function notifies(): boolean {
  return isWanted() && typeof Notification !== "undefined" && Notification.permission === "granted";
}
