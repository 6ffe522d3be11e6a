// The images without which gears of some runtimes cannot run, each with the command that provides it.

import { For, type JSX, Show } from "solid-js";
import type { GearIsolation } from "../../../src/service/gears/schema.ts";
import { list } from "../../kit/format.ts";
import { CopyButton } from "../../kit/pieces.tsx";
import "./missing-images.css";

export function MissingImages(props: { readonly missing: GearIsolation["missing"] }): JSX.Element {
  return (
    <Show when={props.missing.length > 0}>
      <ul class="missing-images" aria-label="Missing images">
        <For each={props.missing}>
          {(one) => (
            <li class="notice wait">
              <div>
                <b>Gears for {list(one.runtimes)} cannot run:</b> {one.reason}.
                <Show when={one.command}>
                  {(command) => (
                    <div class="missing-images-command">
                      <code>{command()}</code>
                      <CopyButton text={command()} label={`Copy ${command()}`} />
                    </div>
                  )}
                </Show>
              </div>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}
