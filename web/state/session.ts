// Who is signed in. Asked at the start and whenever the server no longer knows us; the login appears over what was open, and the same
// person finds it as it was. On the server's own machine one may also go on as its admin, but only on purpose.

import { createEffect, createRoot, createSignal } from "solid-js";
import type { WhoAmI } from "../../src/service/people/schema.ts";
import { api, onSignedOut, take, takeSignIn } from "../api/client.ts";
import { asProblem, type Problem } from "../api/problem.ts";
import { forgetAll, refresh } from "../api/query.ts";

/** The names that carry the privilege of the machine (docs/loopback.md). */
const OWN_MACHINE = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

const [me, setMe] = createSignal<WhoAmI>();
const [sessionProblem, setSessionProblem] = createSignal<Problem>();
const [signedOut, setSignedOut] = createSignal(false);
const [machineAdmin, setMachineAdmin] = createSignal<WhoAmI>();
/** Who I am; undefined until it is known and after signing out. While a session that ended is renewed: who I was. */
export { me, sessionProblem };
/** The login is shown. */
export { signedOut };
/** Who one can be without signing in, on this machine. */
export { machineAdmin };

export const isAdmin = () => me()?.role === "admin";

/** Whether I may do what is for its owner and for admins. */
export function ownsWorkspace(workspace: { readonly owner_id: number }): boolean {
  return isAdmin() || me()?.id === workspace.owner_id;
}

let asking: Promise<void> | undefined;

/** Asks the server who we are, once at a time. */
export function loadSession(): Promise<void> {
  return (asking ??= askWho().finally(() => (asking = undefined)));
}

async function askWho(): Promise<void> {
  setSessionProblem(undefined);
  try {
    const who = await take(api.whoami.get());
    const before = me();
    // The refusal that brought us here took the cookie away: one would be somebody else without having asked for it.
    if (before && before.auth !== "loopback" && who.auth === "loopback") offerMachineAdmin(who);
    else enter(who);
  } catch (error) {
    const problem = asProblem(error);
    if (problem.code === "unauthenticated") await showLogin();
    // Who is signed in already goes on; the request that failed says so where it was made.
    else if (!me()) setSessionProblem(problem);
  }
}

/** Another person starts with nothing of the former one; the same one goes on where they were. */
function enter(who: WhoAmI): void {
  const renewed = me()?.id === who.id;
  if (!renewed) forgetAll();
  setMe(who);
  setSignedOut(false);
  if (renewed) void refresh();
}

/** With the way in that this machine has, if it has one: the cookie that was not valid is gone by now. */
async function showLogin(): Promise<void> {
  let admin: WhoAmI | undefined;
  if (OWN_MACHINE.test(location.hostname)) {
    try {
      const who = await take(api.whoami.get());
      if (who.auth !== "loopback") return enter(who);
      admin = who;
    } catch {
      // There is only the login then.
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

/** Goes on as `machineAdmin`. */
export function goOnAsMachineAdmin(): void {
  enter(machineAdmin()!);
}

/** For the admin of this machine who wants to be somebody else: nothing is revoked. */
export function askToSignIn(): void {
  offerMachineAdmin(me());
}

/** Raises `Problem`. */
export async function signOut(): Promise<void> {
  await take(api.logout.post());
  setMe(undefined);
  forgetAll();
  await showLogin();
}

/** Resolves when the server knows us again, or at `signal`. */
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

onSignedOut(() => {
  if (!signedOut() && !asking) void loadSession();
});
