// Settings: theme, session, the operator's switches, memory, backups, keyboard shortcuts, version.

import { For, type JSX, Show } from "solid-js";
import { api, take } from "../../api/client.ts";
import { createQuery, refresh } from "../../api/query.ts";
import { useCrumbs } from "../../frame/top-line.tsx";
import { createAction } from "../../kit/action.ts";
import { Button } from "../../kit/button.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { createSubmission } from "../../kit/form.tsx";
import { sentence } from "../../kit/format.ts";
import { Avatar } from "../../kit/pieces.tsx";
import { ProblemNotice } from "../../kit/states.tsx";
import { tell } from "../../kit/toast.tsx";
import { MissingImages } from "../../parts/isolation/missing-images.tsx";
import { egressQuery, isolationQuery } from "../../state/lists.ts";
import { askToSignIn, isAdmin, me, signOut } from "../../state/session.ts";
import { setTheme, theme, type Theme } from "../../state/theme.ts";
import { Backups } from "./backups.tsx";
import { Memory } from "./memory.tsx";
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
      <Memory />
      <Backups />
      <Keys />
      <About />
    </div>
  );
}

const THEMES: readonly (readonly [Theme, string])[] = [
  ["system", "System"],
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
  loopback: "You are on the server's own machine, so you are its admin without signing in.",
  session:
    "You signed in with a password. The session ends when you sign out, or after 30 days of inactivity.",
  token: "A proxy or program sends a token on your behalf.",
};

function Who(): JSX.Element {
  const leaving = createAction(signOut);
  return (
    <section class="settings-part">
      <h2>You</h2>
      <Show when={me()}>
        {(who) => (
          <div class="stack">
            <div class="row">
              <Avatar name={who().name} size="large" />
              <span class="strong ellipsis" dir="auto" title={who().name}>
                {who().name}
              </span>
              <span class="tag">{who().role}</span>
            </div>
            <p class="muted">{HOW[who().auth]}</p>
            <div class="row">
              <Show when={who().auth === "session"}>
                <Button busy={leaving.busy()} onClick={() => void leaving.run()}>
                  Sign out
                </Button>
              </Show>
              <Show when={who().auth === "loopback"}>
                <Button onClick={askToSignIn}>Switch user</Button>
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
  const isolation = isolationQuery();
  const off = createSubmission([], async () => {
    await take(api.egress.off.post());
    await Promise.all([refresh("egress"), refresh("approvals")]);
    tell("Web search disabled.");
  });
  const ask = async () => {
    const yes = await confirm({
      title: "Disable web search?",
      text: "It stays off until the server restarts. Pending searches are rejected, and running ones are cancelled.",
      action: "Disable web search",
    });
    if (yes) await off.submit();
  };
  return (
    <section class="settings-part">
      <h2>This server</h2>
      <Show when={egress.problem() ?? terminal.problem() ?? isolation.problem() ?? off.problem()}>
        {(problem) => <ProblemNotice problem={problem()} />}
      </Show>
      <dl class="settings-switches">
        <Switch
          name="Web search"
          on={egress.data()?.on}
          text={
            egress.data()?.on
              ? "Agents with internet access may ask to search. Each search needs a person's approval of its exact words."
              : egress.data()?.reason
          }
        >
          <Show when={egress.data()?.on && isAdmin()}>
            <Button kind="danger" small busy={off.busy()} onClick={() => void ask()}>
              Disable
            </Button>
          </Show>
        </Switch>
        <Switch
          name="Terminal"
          on={terminal.data()?.on}
          text={
            terminal.data()?.on
              ? `Shells in disposable containers without network. ${terminal.data()!.sessions} of ${terminal.data()!.sessions_max} in use.`
              : terminal.data()?.reason
          }
        />
        <Switch
          name="Gear isolation"
          on={isolation.data()?.isolated}
          state={isolation.data()?.missing.length ? "images missing" : undefined}
          text={isolation.data()?.text}
        >
          <MissingImages missing={isolation.data()?.missing ?? []} />
        </Switch>
      </dl>
      <p class="small muted">
        The operator sets these in the server's configuration. You cannot enable them here.
      </p>
    </section>
  );
}

function Switch(props: {
  readonly name: string;
  readonly on?: boolean | undefined;
  /** In place of "on", when it does not work. */
  readonly state?: string | undefined;
  readonly text?: string | null | undefined;
  readonly children?: JSX.Element;
}): JSX.Element {
  return (
    <>
      <dt>
        {props.name}
        <Show when={props.on !== undefined}>
          <span class={`tag ${props.state ? "wait" : props.on ? "ok" : ""}`}>
            {props.state ?? (props.on ? "on" : "off")}
          </span>
        </Show>
      </dt>
      <dd>
        <span class="muted">{props.text ? sentence(props.text) : "…"}</span>
        {props.children}
      </dd>
    </>
  );
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
          API description (OpenAPI)
        </a>
      </p>
    </section>
  );
}
