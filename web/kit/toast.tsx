// Toasts report something that just happened elsewhere on the page. Anything that a person must act on is shown where they act.

import { Toast, toaster } from "@kobalte/core/toast";
import X from "lucide-solid/icons/x";
import { type JSX } from "solid-js";
import { Portal } from "solid-js/web";
import { asProblem } from "../api/problem.ts";
import { IconButton } from "./button.tsx";
import { startsLower } from "./format.ts";

const SHOWN_MS = 6_000;
const SHOWN_AT_ONCE_MAX = 4;

export function ToastHost(): JSX.Element {
  return (
    <Portal>
      <Toast.Region duration={SHOWN_MS} limit={SHOWN_AT_ONCE_MAX} aria-label="Messages">
        <Toast.List class="toasts" />
      </Toast.Region>
    </Portal>
  );
}

export function tell(message: JSX.Element): void {
  show(message, "");
}

/** For actions that have no place of their own for a problem. */
export function tellProblem(error: unknown): void {
  show(asProblem(error).message, "bad");
}

/** Runs an action and shows its problem. Resolves with whether it succeeded. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    tellProblem(error);
    return false;
  }
}

function show(message: JSX.Element, look: "" | "bad"): void {
  // Ours begin with a capital or with a name.
  const isLower = () => look === "bad" && typeof message === "string" && startsLower(message);
  toaster.show((props) => (
    <Toast toastId={props.toastId} class={`toast ${look}`}>
      <div>
        <Toast.Description class={isLower() ? "from-server" : undefined}>{message}</Toast.Description>
      </div>
      <Toast.CloseButton as={IconButton} label="Close" small>
        <X aria-hidden="true" />
      </Toast.CloseButton>
    </Toast>
  ));
}
