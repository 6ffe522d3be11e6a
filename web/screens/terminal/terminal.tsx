// A shell in a throwaway container, for admins. Where it is switched off, the server says why and what to do; then there is nothing to press.

import { useSearchParams } from "@solidjs/router";
import SquareTerminal from "lucide-solid/icons/square-terminal";
import { createEffect, createSignal, type JSX, on, onCleanup, Show } from "solid-js";
import { api, take } from "../../api/client.ts";
import { asProblem } from "../../api/problem.ts";
import { createQuery } from "../../api/query.ts";
import { useCrumbs } from "../../frame/top-line.tsx";
import { Button } from "../../kit/button.tsx";
import { bytes } from "../../kit/format.ts";
import { Select } from "../../kit/form.tsx";
import { Empty, Loaded, ProblemNotice } from "../../kit/states.tsx";
import { tell } from "../../kit/toast.tsx";
import { workspacesQuery } from "../../state/lists.ts";
import { isAdmin } from "../../state/session.ts";
import { theme } from "../../state/theme.ts";
import type { Shell } from "./session.ts";
import "./terminal.css";

export function Terminal(): JSX.Element {
  useCrumbs(() => [{ name: "Terminal" }]);
  const status = createQuery(() =>
    isAdmin() ? { key: ["terminal"], read: () => take(api.terminal.status.get()) } : undefined,
  );
  return (
    <>
      <h1 class="visually-hidden">Terminal</h1>
      <Show
        when={isAdmin()}
        fallback={
          <Empty title="The terminal is for admins" icon={<SquareTerminal aria-hidden="true" />}>
            An admin of this server can open one.
          </Empty>
        }
      >
        <Loaded query={status}>
          {(loaded) => (
            <Show
              when={loaded().on}
              fallback={
                <Empty title="Terminal unavailable" icon={<SquareTerminal aria-hidden="true" />}>
                  {sentence(loaded().reason ?? "")}
                </Empty>
              }
            >
              <Shells />
            </Show>
          )}
        </Loaded>
      </Show>
    </>
  );
}

/** The server's reasons are parts of a line. */
function sentence(reason: string): string {
  const text = reason.charAt(0).toUpperCase() + reason.slice(1);
  return text.endsWith(".") ? text : `${text}.`;
}

type State =
  { readonly kind: "none" | "opening" | "open" } | { readonly kind: "ended"; readonly reason: string };

function Shells(): JSX.Element {
  const [params, setParams] = useSearchParams<{ workspace: string }>();
  const workspaces = workspacesQuery();
  const [host, setHost] = createSignal<HTMLDivElement>();
  const [state, setState] = createSignal<State>({ kind: "none" });
  let shell: Shell | undefined;
  let button: HTMLButtonElement | undefined;
  const workspace = () => (/^[1-9]\d*$/.test(params.workspace ?? "") ? params.workspace : undefined);
  const close = () => {
    shell?.close();
    shell = undefined;
  };
  const ended = async (reason: string | undefined, id: string | undefined) =>
    setState({ kind: "ended", reason: sentence(reason ?? (await whyNot(id))) });
  const start = async () => {
    close();
    setState({ kind: "opening" });
    const id = workspace();
    try {
      const { openShell } = await import("./session.ts");
      const element = host();
      // Somebody chose another workspace, or left, meanwhile.
      if (state().kind !== "opening" || id !== workspace() || !element?.isConnected) return;
      shell = openShell(element, `/api/v1${id === undefined ? "" : `/workspaces/${id}`}/terminal`, {
        opened: () => setState({ kind: "open" }),
        ended: (reason) => void ended(reason, id),
        left: () => button?.focus(),
        tooMuchPasted: (size, max) =>
          tell(`${bytes(size)} are too much to paste; up to ${bytes(max)} go in.`),
      });
    } catch (error) {
      setState({ kind: "ended", reason: asProblem(error).message });
    }
  };
  createEffect(
    on(
      workspace,
      () => {
        close();
        setState({ kind: "none" });
      },
      { defer: true },
    ),
  );
  recolourOnChange(() => shell?.recolour());
  onCleanup(close);
  const reason = () => {
    const now = state();
    return now.kind === "ended" ? now.reason : undefined;
  };
  const started = () => state().kind !== "none";
  return (
    <div class="terminal">
      <div class="terminal-bar">
        <Select
          label="Files to read"
          value={workspace() ?? ""}
          choices={[
            { value: "", label: "None" },
            ...(workspaces.data() ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          onChange={(value) => setParams({ workspace: value === "" ? undefined : value })}
        />
        <Button
          ref={(element) => (button = element)}
          kind={state().kind === "open" ? "plain" : "primary"}
          busy={state().kind === "opening"}
          onClick={() => void start()}
        >
          {started() ? "Start again" : "Start a shell"}
        </Button>
        <p class="terminal-state" role="status">
          <Show when={state().kind === "open"}>
            F6 leaves the terminal. Ctrl Shift C copies, Ctrl Shift V pastes. It ends when you leave this
            page, or after 30 minutes of silence.
          </Show>
          <Show when={reason()}>{(why) => <>The session has ended. {why()}</>}</Show>
        </p>
      </div>
      <Show when={workspaces.problem()}>
        {(problem) => (
          <div class="section">
            <ProblemNotice problem={problem()} onRetry={() => void workspaces.refresh()} />
          </div>
        )}
      </Show>
      <div class="terminal-room">
        <div class="terminal-screen" role="group" aria-label="Shell" ref={setHost} />
        <Show when={!started()}>
          <div class="terminal-before">
            <Empty title="No shell is running" icon={<SquareTerminal aria-hidden="true" />}>
              A shell runs in a container of its own, without network, that is thrown away when it ends. The
              files of the workspace that you choose are under /workspace, to be read only. Start and end are
              in the audit.
            </Empty>
          </div>
        </Show>
      </div>
    </div>
  );
}

/** A refused WebSocket says nothing to a page; its address says it to a plain request, which it refuses as such when nothing else is wrong. */
async function whyNot(workspace: string | undefined): Promise<string> {
  try {
    await take(
      workspace === undefined ? api.terminal.get() : api.workspaces({ id: Number(workspace) }).terminal.get(),
    );
    return "The connection was lost";
  } catch (error) {
    const { code, message } = asProblem(error);
    return code === "invalid" ? "The connection was lost" : message;
  }
}

/** The page's theme is a choice, or the system's. */
function recolourOnChange(recolour: () => void): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", recolour);
  onCleanup(() => system.removeEventListener("change", recolour));
  // After the root element has taken it on.
  createEffect(on(theme, () => queueMicrotask(recolour), { defer: true }));
}
