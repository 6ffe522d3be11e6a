// A shell in a throwaway container, for admins. If it is off, the page shows the server's reason and what to do.

import { useSearchParams } from "@solidjs/router";
import SquareTerminal from "lucide-solid/icons/square-terminal";
import { createEffect, createSignal, type JSX, on, onCleanup, Show } from "solid-js";
import { api, take } from "../../api/client.ts";
import { asProblem } from "../../api/problem.ts";
import { createQuery } from "../../api/query.ts";
import { useCrumbs } from "../../frame/top-line.tsx";
import { Button } from "../../kit/button.tsx";
import { mayTakeFocus } from "../../kit/focus.ts";
import { bytes, sentence } from "../../kit/format.ts";
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
      <Show
        when={isAdmin()}
        fallback={
          <Empty alone title="Only admins open terminals" icon={<SquareTerminal aria-hidden="true" />}>
            A terminal is a shell on the server's machine, in a container. Ask an admin to run a command.
          </Empty>
        }
      >
        <h1 class="visually-hidden">Terminal</h1>
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

/** A WebSocket of the server. */
interface Place {
  readonly workspace: string | undefined;
  /** Without a token, a session needs the ticket of the status. */
  readonly query: { readonly ticket?: string };
}

function pathOf({ workspace, query }: Place): string {
  const parameters = new URLSearchParams(query as Record<string, string>).toString();
  const below = workspace === undefined ? "" : `/workspaces/${workspace}`;
  return `/api/v1${below}/terminal${parameters === "" ? "" : `?${parameters}`}`;
}

type State =
  { readonly kind: "none" | "opening" | "open" } | { readonly kind: "ended"; readonly reason: string };

/** The one shell of the page: it ends when another workspace is chosen or the page is left. */
function createShell(workspace: () => string | undefined, button: () => HTMLButtonElement | undefined) {
  const [host, setHost] = createSignal<HTMLDivElement>();
  const [state, setState] = createSignal<State>({ kind: "none" });
  let shell: Shell | undefined;
  let attempt = 0;
  const close = () => {
    attempt++;
    shell?.close();
    shell = undefined;
  };
  const start = async () => {
    close();
    const own = attempt;
    /** Nothing of an earlier attempt counts, however late it arrives. */
    const show = (next: State) => own === attempt && setState(next);
    setState({ kind: "opening" });
    const id = workspace();
    try {
      const [{ openShell }, { ticket }] = await Promise.all([
        import("./session.ts"),
        take(api.terminal.status.get()),
      ]);
      const place = { workspace: id, query: ticket === null ? {} : { ticket } };
      const element = host();
      // Another workspace was chosen, or the page was left.
      if (own !== attempt || !element?.isConnected) return;
      shell = openShell(element, pathOf(place), {
        opened: () => {
          if (mayTakeFocus(button())) shell?.focus();
          show({ kind: "open" });
        },
        ended: async (reason) => show({ kind: "ended", reason: sentence(reason ?? (await whyNot(place))) }),
        left: () => button()?.focus(),
        tooMuchPasted: (size, max) => tell(`Cannot paste ${bytes(size)}. The limit is ${bytes(max)}.`),
      });
    } catch (error) {
      show({ kind: "ended", reason: asProblem(error).message });
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
  return { state, start, setHost };
}

function Shells(): JSX.Element {
  const [params, setParams] = useSearchParams<{ workspace: string }>();
  const workspaces = workspacesQuery();
  let button: HTMLButtonElement | undefined;
  const workspace = () => (/^[1-9]\d*$/.test(params.workspace ?? "") ? params.workspace : undefined);
  const { state, start, setHost } = createShell(workspace, () => button);
  const reason = () => {
    const now = state();
    return now.kind === "ended" ? now.reason : undefined;
  };
  const started = () => state().kind !== "none";
  return (
    <div class="terminal">
      <div class="terminal-bar">
        <Select
          label="Workspace files"
          value={workspace() ?? ""}
          choices={[
            { value: "", label: "None" },
            ...(workspaces.data() ?? []).map(({ id, display_name: name }) => ({
              value: String(id),
              label: name,
            })),
          ]}
          onChange={(value) => setParams({ workspace: value === "" ? undefined : value })}
        />
        <Button
          ref={(element) => (button = element)}
          kind={state().kind === "open" ? "plain" : "primary"}
          busy={state().kind === "opening"}
          onClick={() => void start()}
        >
          {started() ? "Restart shell" : "Start shell"}
        </Button>
        <p class="terminal-state" role="status">
          <Show when={state().kind === "open"}>
            F6 leaves the terminal, Ctrl Shift C copies, Ctrl Shift V pastes. The session ends when you leave
            this page, or after 30 idle minutes.
          </Show>
          <Show when={reason()}>{(why) => <>Session ended. {why()}</>}</Show>
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
            <Empty title="No session" icon={<SquareTerminal aria-hidden="true" />}>
              A shell runs in its own container without network access, which is deleted when the session
              ends. The files of the selected workspace are mounted read-only at /workspace. The audit records
              the start and end.
            </Empty>
          </div>
        </Show>
      </div>
    </div>
  );
}

/** A page cannot read why a WebSocket was refused. A plain request to the same address gets the reason, or `invalid` if there is none. */
async function whyNot({ workspace, query }: Place): Promise<string> {
  try {
    await take(
      workspace === undefined
        ? api.terminal.get({ query })
        : api.workspaces({ id: Number(workspace) }).terminal.get({ query }),
    );
    return "The connection was lost";
  } catch (error) {
    const { code, message } = asProblem(error);
    return code === "invalid" ? "The connection was lost" : message;
  }
}

/** The theme is a setting, or the system's. */
function recolourOnChange(recolour: () => void): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", recolour);
  onCleanup(() => system.removeEventListener("change", recolour));
  // After the root element has changed.
  createEffect(on(theme, () => queueMicrotask(recolour), { defer: true }));
}
