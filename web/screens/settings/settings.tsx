// What concerns oneself and this server: the look, who one is, and which of the operator's switches are on, in words.

import { For, type JSX, Show } from "solid-js";
import { api, take } from "../../api/client.ts";
import { createQuery, refresh } from "../../api/query.ts";
import { useCrumbs } from "../../frame/top-line.tsx";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { createSubmission } from "../../kit/form.tsx";
import { Avatar } from "../../kit/pieces.tsx";
import { ProblemNotice } from "../../kit/states.tsx";
import { attempt, tell } from "../../kit/toast.tsx";
import { egressQuery, gearsQuery } from "../../state/lists.ts";
import { askToSignIn, isAdmin, me, signOut } from "../../state/session.ts";
import { setTheme, theme, type Theme } from "../../state/theme.ts";
import { shortcuts } from "./shortcuts.ts";
import "./settings.css";

export function Settings(): JSX.Element {
  useCrumbs(() => [{ name: "Settings" }]);
  return (
    <div class="body settings">
      <div class="title">
        <h1>Settings</h1>
      </div>
      <Look />
      <Who />
      <Switches />
      <Keys />
      <About />
    </div>
  );
}

const THEMES: readonly (readonly [Theme, string])[] = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];

function Look(): JSX.Element {
  return (
    <section class="settings-part">
      <h2>Theme</h2>
      <fieldset class="settings-themes">
        <legend class="visually-hidden">Theme</legend>
        <For each={THEMES}>
          {([value, name]) => (
            <label>
              <input type="radio" name="theme" checked={theme() === value} onChange={() => setTheme(value)} />
              {name}
            </label>
          )}
        </For>
      </fieldset>
    </section>
  );
}

const HOW: Readonly<Record<string, string>> = {
  loopback: "You are on the machine that the server runs on, which makes you its admin without signing in.",
  session: "You signed in with a password. The session ends when you sign out, or after 30 days without use.",
  token: "Something between you and the server sends a token for you.",
};

function Who(): JSX.Element {
  return (
    <section class="settings-part">
      <h2>You</h2>
      <Show when={me()}>
        {(who) => (
          <div class="stack">
            <div class="row">
              <Avatar name={who().name} large />
              <span class="strong ellipsis" dir="auto" title={who().name}>
                {who().name}
              </span>
              <span class="tag">{who().role}</span>
            </div>
            <p class="muted">{HOW[who().auth]}</p>
            <div class="row">
              <Show when={who().auth === "session"}>
                <Button onClick={() => void attempt(signOut)}>Sign out</Button>
              </Show>
              <Show when={who().auth === "loopback"}>
                <Button onClick={askToSignIn}>Sign in as somebody else</Button>
              </Show>
            </div>
          </div>
        )}
      </Show>
    </section>
  );
}

function Switches(): JSX.Element {
  const egress = egressQuery();
  const terminal = createQuery(() => ({ key: ["terminal"], read: () => take(api.terminal.status.get()) }));
  const gears = gearsQuery();
  const off = createSubmission([], async () => {
    await take(api.egress.off.post());
    await Promise.all([refresh("egress"), refresh("approvals")]);
    tell("Web search is off.");
  });
  const ask = async () => {
    const yes = await confirm({
      title: "Turn web search off?",
      text: "It stays off until the server starts again; nothing here can turn it on. Searches that wait for a decision are refused, and those that run are broken off.",
      action: "Turn it off",
    });
    if (yes) await off.submit();
  };
  return (
    <section class="settings-part">
      <h2>This server</h2>
      <Show when={egress.problem() ?? terminal.problem() ?? off.problem()}>
        {(problem) => <ProblemNotice problem={problem()} />}
      </Show>
      <dl class="settings-switches">
        <Switch
          name="Web search"
          on={egress.data()?.on}
          text={
            egress.data()?.on
              ? "Agents with a grant may ask to search. Each search waits until a person has approved its exact words."
              : egress.data()?.reason
          }
        >
          <Show when={egress.data()?.on && isAdmin()}>
            <Button kind="danger" small busy={off.busy()} onClick={() => void ask()}>
              Turn off
            </Button>
          </Show>
        </Switch>
        <Switch
          name="Terminal"
          on={terminal.data()?.on}
          text={
            terminal.data()?.on
              ? `A shell in a throwaway container without network. ${terminal.data()!.sessions} of ${terminal.data()!.sessions_max} in use.`
              : terminal.data()?.reason
          }
        />
        <Show
          when={gears.data()?.[0]}
          fallback={<Switch name="Isolation of gears" text="Shown as soon as there is a gear." />}
        >
          {(gear) => <Switch name="Isolation of gears" on={gear().isolated} text={gear().isolation} />}
        </Show>
      </dl>
      <p class="small muted">
        These are set in the server's configuration, by who runs it. They can't be turned on from here.
      </p>
    </section>
  );
}

function Switch(props: {
  readonly name: string;
  readonly on?: boolean | undefined;
  readonly text?: string | null | undefined;
  readonly children?: JSX.Element;
}): JSX.Element {
  return (
    <>
      <dt>
        {props.name}
        <Show when={props.on !== undefined}>
          <span class={`tag ${props.on ? "ok" : ""}`}>{props.on ? "on" : "off"}</span>
        </Show>
      </dt>
      <dd>
        <span class="muted">{props.text ? sentence(props.text) : "…"}</span>
        {props.children}
      </dd>
    </>
  );
}

/** The server's reasons begin small, as the rest of a line. */
function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

function Keys(): JSX.Element {
  return (
    <section class="settings-part">
      <h2>Keyboard</h2>
      <dl class="settings-keys">
        <For each={shortcuts()}>
          {({ keys, what }) => (
            <>
              <dt>
                <For each={keys}>{(key) => <kbd class="kbd">{key}</kbd>}</For>
              </dt>
              <dd>{what}</dd>
            </>
          )}
        </For>
      </dl>
    </section>
  );
}

function About(): JSX.Element {
  const health = createQuery(() => ({ key: ["health"], read: () => take(api.health.get()) }));
  return (
    <section class="settings-part">
      <h2>About</h2>
      <p>
        Cairn <span class="num">{health.data()?.version ?? "…"}</span>
        <span class="muted"> at {location.host}</span>
      </p>
      <p>
        <a href="/api/v1/openapi.json" target="_blank" rel="noopener">
          Description of the API (OpenAPI)
        </a>
      </p>
    </section>
  );
}
