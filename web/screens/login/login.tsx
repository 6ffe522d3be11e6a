// The login: server, user, password. It signs in to the server of this page; for another server it links to that server's login and sends
// nothing. After an ended session it is a dialog over the open screen, which stays as it was.

import { Dialog } from "@kobalte/core/dialog";
import { createSignal, type JSX, onCleanup, onMount, Show } from "solid-js";
import type { WhoAmI } from "../../../src/service/people/schema.ts";
import { fieldProblem } from "../../api/problem.ts";
import { Mark } from "../../frame/mark.tsx";
import { Button } from "../../kit/button.tsx";
import { FormProblem } from "../../kit/form-actions.tsx";
import { createSubmission, TextInput } from "../../kit/form.tsx";
import { goOnAsMachineAdmin, machineAdmin, me, signIn } from "../../state/session.ts";
import { serverAddress } from "./server-address.ts";
import "./login.css";

export function Login(): JSX.Element {
  const before = document.title;
  document.title = "Sign in · Cairn";
  onMount(focusOnUser);
  onCleanup(() => (document.title = before));
  return (
    <Show
      when={me()}
      fallback={
        <main class="login">
          <LoginForm heading={<h1>Sign in</h1>} />
        </main>
      }
    >
      <Dialog open modal preventScroll={false}>
        <Dialog.Portal>
          <Dialog.Content
            class="login over"
            onEscapeKeyDown={(event) => event.preventDefault()}
            onInteractOutside={(event) => event.preventDefault()}
            onOpenAutoFocus={(event) => {
              event.preventDefault();
              // The element that had the focus releases it only after this.
              setTimeout(focusOnUser);
            }}
          >
            <LoginForm heading={<Dialog.Title as="h1">Sign in</Dialog.Title>} />
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog>
    </Show>
  );
}

/** Focuses the first empty field. */
function focusOnUser(): void {
  const name = expected() ? "password" : "username";
  document.querySelector<HTMLInputElement>(`.login [name=${name}]`)?.focus();
}

/** The person whose session has ended. */
function expected(): WhoAmI | undefined {
  const who = me();
  return who?.auth === "loopback" ? undefined : who;
}

function createLogin() {
  const [server, setServer] = createSignal(location.origin);
  // Renewing a session needs the password only.
  const [user, setUser] = createSignal(expected()?.name ?? "");
  const [password, setPassword] = createSignal("");
  const address = () => serverAddress(server(), location.origin);
  const other = () => {
    const found = address();
    return found.kind === "other" ? found : undefined;
  };
  const wrong = () => {
    const found = address();
    return found.kind === "wrong" ? found.why : undefined;
  };
  let place: HTMLFormElement | undefined;
  const form = createSubmission(["user", "password"], async () => {
    if (address().kind !== "here") return;
    // From the fields themselves: a password manager may have filled them without an event.
    const given = new FormData(place!);
    const [name, secret] = [String(given.get("username")), String(given.get("password"))];
    if (name.trim() === "") throw fieldProblem("user", "Enter your username.");
    if (secret === "") throw fieldProblem("password", "Enter your password.");
    await signIn(name, secret);
  });
  const at = (element: HTMLFormElement) => (place = element);
  return { server, setServer, user, setUser, password, setPassword, other, wrong, form, at };
}

function LoginForm(props: { readonly heading: JSX.Element }): JSX.Element {
  const login = createLogin();
  const { server, setServer, user, setUser, password, setPassword, other, wrong, form } = login;
  return (
    <div class="login-card">
      <div class="login-brand">
        <Mark />
        <span class="brand">Cairn</span>
      </div>
      <div class="stack">
        {props.heading}
        <Why />
      </div>
      <form class="form" noValidate ref={login.at} onSubmit={(event) => void form.submit(event)}>
        <TextInput
          label="Server"
          name="server"
          type="url"
          autocomplete="url"
          value={server()}
          onInput={setServer}
          problem={wrong()}
        />
        <TextInput
          label="User"
          name="username"
          autocomplete="username"
          value={user()}
          onInput={setUser}
          problem={form.of("user")}
          disabled={other() !== undefined}
        />
        <TextInput
          label="Password"
          name="password"
          type="password"
          autocomplete="current-password"
          value={password()}
          onInput={setPassword}
          problem={form.of("password")}
          disabled={other() !== undefined}
        />
        <FormProblem form={form} />
        <Show
          when={other()}
          fallback={
            <Button
              type="submit"
              kind="primary"
              busy={form.busy()}
              disabled={wrong() !== undefined || form.wait() > 0}
            >
              Sign in
            </Button>
          }
        >
          {(elsewhere) => <Elsewhere host={elsewhere().host} login={elsewhere().login} />}
        </Show>
      </form>
      <MachineAdmin />
    </div>
  );
}

/** Explains why the login appeared unasked. */
function Why(): JSX.Element {
  return (
    <Show when={expected()}>
      {(who) => (
        <p class="muted">
          The session of <b dir="auto">{who().name}</b> has ended. Sign in to continue where you left off.
        </p>
      )}
    </Show>
  );
}

function Elsewhere(props: { readonly host: string; readonly login: string }): JSX.Element {
  return (
    <>
      <p class="small muted wrap" role="status">
        This page only signs in to {location.host}. {props.host} has its own login. Nothing you type here is
        sent to it.
      </p>
      <Button kind="primary" onClick={() => location.assign(props.login)}>
        <span class="ellipsis">Open {props.host}</span>
      </Button>
    </>
  );
}

function MachineAdmin(): JSX.Element {
  return (
    <Show when={machineAdmin()}>
      {(admin) => (
        <div class="login-machine">
          <p class="small muted">You are on the server's own machine, which needs no password.</p>
          <Button onClick={goOnAsMachineAdmin}>
            <span class="ellipsis">Continue as {admin().name}</span>
          </Button>
        </div>
      )}
    </Show>
  );
}
