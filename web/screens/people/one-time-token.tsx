// A token is shown once. The dialog does not close by Escape, by a click beside it or by going elsewhere: only after somebody said that
// they have stored it.

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
        It will not be shown again. The server keeps only its hash; a lost token is replaced, not recovered.
      </p>
      <div class="people-token">
        <code class="block" aria-label="Token">
          {props.shown.token}
        </code>
        <CopyButton text={props.shown.token} label="Copy the token" />
      </div>
      <p class="small muted">
        For programs: send it as <code>Authorization: Bearer …</code>.
        <Show when={!props.shown.hasPassword}>
          {" "}
          The login page asks for a password instead. It is set through the API:{" "}
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
          I have stored it
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
