// Shows a token, once. The dialog ignores Escape, clicks outside and navigation: it closes only after the person confirmed that the
// token is stored.

import { useBeforeLeave } from "@solidjs/router";
import { createSignal, type JSX, onCleanup, Show } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { CopyButton } from "../../kit/pieces.tsx";

interface Shown {
  readonly userId: number;
  readonly name: string;
  readonly hasPassword: boolean;
  readonly token: string;
}

const [shown, setShown] = createSignal<Shown>();

export const showToken = (what: Shown) => void setShown(what);

export function OneTimeToken(): JSX.Element {
  return (
    <Show when={shown()} keyed>
      {(one) => <TokenDialog shown={one} />}
    </Show>
  );
}

function TokenDialog(props: { readonly shown: Shown }): JSX.Element {
  const [stored, setStored] = createSignal(false);
  useBeforeLeave((event) => event.preventDefault());
  const warn = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener("beforeunload", warn);
  onCleanup(() => removeEventListener("beforeunload", warn));
  return (
    <Dialog open onClose={() => {}} title={`Token of ${props.shown.name}`}>
      <p>
        Copy it now: it is not shown again. The server stores only a hash, so a lost token must be replaced.
      </p>
      <div class="people-token">
        <code class="block" aria-label="Token">
          {props.shown.token}
        </code>
        <CopyButton text={props.shown.token} label="Copy token" />
      </div>
      <p class="small muted">
        Programs send it as <code>Authorization: Bearer …</code>.
        <Show when={!props.shown.hasPassword}>
          {" "}
          To sign in on the login page, set a password through the API:{" "}
          <code class="wrap">PUT /api/v1/users/{props.shown.userId}/password</code>
        </Show>
      </p>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (stored()) setShown(undefined);
        }}
      >
        <label class="check">
          <input
            type="checkbox"
            checked={stored()}
            onChange={(event) => setStored(event.currentTarget.checked)}
          />
          I have stored the token
        </label>
        <div class="actions">
          <Button type="submit" kind="primary" disabled={!stored()}>
            Done
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
