// Browser notifications about approvals that began to wait while the page was hidden. A click leads to the approval. Loaded once notifications
// are on.

import type { Approval } from "../../src/service/approvals/schema.ts";
import { plural } from "../kit/format.ts";

/** More at once become one notification. */
const SINGLE_MAX = 3;
const TITLE_CHARACTERS_MAX = 120;

const keyOf = ({ kind, id, content_hash: hash }: Approval) => `${kind}-${id}-${hash}`;

/** An approval that was pending when the page loaded is not news. */
let known: ReadonlySet<string> | undefined;
const shown = new Map<string, Notification>();

/** `open` shows an address of the interface. */
export function tellNew(pending: readonly Approval[], open: (path: string) => void): void {
  const now = new Set(pending.map(keyOf));
  const fresh = known === undefined ? [] : pending.filter((approval) => !known!.has(keyOf(approval)));
  known = now;
  for (const [key, notification] of shown) if (!now.has(key)) close(key, notification);
  if (document.visibilityState === "visible") return;
  if (fresh.length > SINGLE_MAX) {
    show("approvals", `${plural(fresh.length, "approval")} pending`, "", () => open("/approvals"));
    return;
  }
  for (const approval of fresh) {
    const { kind, id, agent, requested_by: by, title } = approval;
    const path = `/approvals?item=${kind}-${id}`;
    show(keyOf(approval), title, `Requested by ${agent ?? by}. Pending your decision.`, () => open(path));
  }
}

function show(key: string, title: string, body: string, open: () => void): void {
  try {
    const notification = new Notification(title.slice(0, TITLE_CHARACTERS_MAX), { body, tag: key });
    notification.addEventListener("click", () => {
      window.focus();
      open();
      close(key, notification);
    });
    shown.set(key, notification);
  } catch {
    // Some browsers of phones have the constructor only to refuse it.
  }
}

function close(key: string, notification: Notification): void {
  notification.close();
  shown.delete(key);
}
