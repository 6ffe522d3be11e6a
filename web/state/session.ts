// The signed-in person. Read at the start, at every 401 and 403, and when the page is looked at again. The login appears over the open screen, so that the same person continues where
// they were. On the server's own machine one can also continue as its admin, but only on request.

import { createEffect, createRoot, createSignal } from "solid-js";
import type { WhoAmI } from "../../src/service/people/schema.ts";
import { api, onForbidden, onSignedOut, take, takeSignIn } from "../api/client.ts";
import { asProblem, type Problem } from "../api/problem.ts";
import { onReachedAgain } from "../api/reach.ts";
import { forgetAll, refresh } from "../api/query.ts";
import { mayLeave } from "../kit/leaving.ts";

/** Hostnames with the loopback privilege (docs/loopback.md). */
const OWN_MACHINE = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

const [me, setMe] = createSignal<WhoAmI>();
const [sessionProblem, setSessionProblem] = createSignal<Problem>();
const [signedOut, setSignedOut] = createSignal(false);
const [machineAdmin, setMachineAdmin] = createSignal<WhoAmI>();
/** The signed-in person; undefined until known and after signing out. Kept while an ended session is renewed. */
export { me, sessionProblem };
/** Whether the login is shown. */
export { signedOut };
/** The account that this machine can use without signing in. */
export { machineAdmin };

export const isAdmin = () => me()?.role === "admin";

/** Whether the signed-in person owns the workspace or is an admin. */
export function ownsWorkspace(workspace: { readonly owner_id: number }): boolean {
  return isAdmin() || me()?.id === workspace.owner_id;
}

let asking: Promise<void> | undefined;

/** Reads the session; concurrent calls share one request. */
export function loadSession(): Promise<void> {
  return (asking ??= askWho().finally(() => (asking = undefined)));
}

async function askWho(): Promise<void> {
  setSessionProblem(undefined);
  try {
    const who = await take(api.whoami.get());
    const before = me();
    // The 401 deleted the cookie. Continuing here would switch to the loopback admin without a request for it.
    if (before && before.auth !== "loopback" && who.auth === "loopback") offerMachineAdmin(who);
    else enter(who);
  } catch (error) {
    const problem = asProblem(error);
    if (problem.code === "unauthenticated") await showLogin();
    // A signed-in person continues; the failed request reports its own problem.
    else if (!me()) setSessionProblem(problem);
  }
}

/** Clears the cache for another person; the same person continues where they were. */
function enter(who: WhoAmI): void {
  const renewed = me()?.id === who.id;
  if (!renewed) forgetAll();
  setMe(who);
  setSignedOut(false);
  if (renewed) void refresh();
}

/** Offers the loopback admin on the server's own machine. The invalid cookie is deleted by now. */
async function showLogin(): Promise<void> {
  let admin: WhoAmI | undefined;
  if (OWN_MACHINE.test(location.hostname)) {
    try {
      const who = await take(api.whoami.get());
      if (who.auth !== "loopback") return enter(who);
      admin = who;
    } catch {
      // Only the login remains.
    }
  }
  offerMachineAdmin(admin);
}

function offerMachineAdmin(admin: WhoAmI | undefined): void {
  setMachineAdmin(admin);
  setSignedOut(true);
}

/** Raises `Problem`. */
export async function signIn(user: string, password: string): Promise<void> {
  await takeSignIn(api.login.post({ user, password }));
  await asking;
  await loadSession();
}

/** Continues as `machineAdmin`. */
export function goOnAsMachineAdmin(): void {
  enter(machineAdmin()!);
}

/** Lets the loopback admin sign in as another user. Revokes nothing. */
export function askToSignIn(): void {
  offerMachineAdmin(me());
}

/** Asks before input is lost. Raises `Problem`. */
export async function signOut(): Promise<void> {
  if (!(await mayLeave())) return;
  await take(api.logout.post());
  setMe(undefined);
  forgetAll();
  await showLogin();
}

/** Resolves once someone is signed in again, or when `signal` aborts. */
export async function untilSignedIn(signal: AbortSignal): Promise<void> {
  await asking;
  await new Promise<void>((resolve) => {
    createRoot((dispose) => {
      const end = () => (dispose(), resolve());
      signal.addEventListener("abort", end, { once: true });
      createEffect(() => !signedOut() && end());
    });
  });
}

/** An admin may have changed the role meanwhile. Anything else stays as it is, and a 401 is heard as every other. */
async function readRole(): Promise<void> {
  if (!me() || signedOut() || asking) return;
  const who = await take(api.whoami.get()).catch(() => undefined);
  const known = me();
  if (who && who.id === known?.id && who.auth === known.auth && who.role !== known.role) enter(who);
}

onForbidden(() => void readRole());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") void readRole();
});
onReachedAgain(() => {
  if (sessionProblem()?.code === "offline") void loadSession();
});
onSignedOut(() => {
  if (!signedOut() && !asking) void loadSession();
});
