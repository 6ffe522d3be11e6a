// The state of memory: whether agents have any, of what kind, where, and what to do if not.

import { A } from "@solidjs/router";
import { type JSX, Show } from "solid-js";
import { Button } from "../../kit/button.tsx";
import { Loaded } from "../../kit/states.tsx";
import { SpaceHelp } from "../../parts/memory/space-absent.tsx";
import { kindName, spaceWords } from "../../parts/memory/space-words.ts";
import { spaceQuery } from "../../state/lists.ts";
import { isAdmin } from "../../state/session.ts";

export function Memory(): JSX.Element {
  const space = spaceQuery();
  return (
    <section class="settings-part">
      <h2>Memory</h2>
      <div class="stack">
        <Loaded query={space}>
          {(status) => (
            <>
              <dl class="settings-facts">
                <dt>State</dt>
                <dd>
                  <span class={`tag ${status().available ? "ok" : "wait"}`}>
                    {status().available ? "available" : "unavailable"}
                  </span>
                  <Show when={!status().available}>
                    <span>{spaceWords(status()).title}</span>
                  </Show>
                </dd>
                <dt>Kind</dt>
                <dd>{kindName(status())}</dd>
                <Show when={status().space}>
                  <dt>Space</dt>
                  <dd>
                    <bdi>{status().space}</bdi>
                  </dd>
                </Show>
                <Show when={status().place}>
                  <dt>Place</dt>
                  <dd>
                    <bdi class="mono">{status().place}</bdi>
                  </dd>
                </Show>
              </dl>
              <Show when={!status().available}>
                <SpaceHelp status={status()} />
              </Show>
              <div class="row">
                <Show when={isAdmin()}>
                  <A class="btn" href="/context">
                    Open Context
                  </A>
                </Show>
                <Button onClick={() => void space.refresh()}>Check again</Button>
              </div>
            </>
          )}
        </Loaded>
        <p class="small muted">
          Agents keep documents here, and you can put documents into their prompts. The operator chooses the
          space in the server's configuration.
        </p>
      </div>
    </section>
  );
}
