// The versions of an instruction, newest first, and the difference between any two of them.

import { createEffect, createMemo, createSignal, For, type JSX, on, Show } from "solid-js";
import type { Instruction, InstructionVersion } from "../../../src/service/library/schema.ts";
import { Button } from "../../kit/button.tsx";
import { DiffView } from "../../kit/diff-view.tsx";
import { shortHash } from "../../kit/format.ts";
import { Select } from "../../kit/form.tsx";
import { createPagedList } from "../../kit/paged-list.ts";
import { CopyButton, Time } from "../../kit/pieces.tsx";
import { Loaded } from "../../kit/states.tsx";
import { readVersions } from "./queries.ts";

export function Versions(props: { readonly instruction: Instruction }): JSX.Element {
  const { query, all, more, busy, readEarlier } = createPagedList({
    of: () => props.instruction.id,
    key: (id) => ["instruction", id, "versions", props.instruction.version],
    read: readVersions,
    numberOf: ({ version }) => version,
    isLast: (page) => (page.at(-1)?.version ?? 1) === 1,
  });
  return (
    <section class="section">
      <h3>Versions</h3>
      <Loaded query={query}>
        {() => (
          <>
            <Comparison versions={all()} />
            <ul class="library-versions">
              <For each={all()}>{(version) => <VersionRow version={version} />}</For>
            </ul>
            <Show when={more()}>
              <Button small busy={busy()} onClick={() => void readEarlier()}>
                Load earlier versions
              </Button>
            </Show>
          </>
        )}
      </Loaded>
    </section>
  );
}

function VersionRow(props: { readonly version: InstructionVersion }): JSX.Element {
  return (
    <li class="row">
      <span class="tag">v{props.version.version}</span>
      <span class="ellipsis" dir="auto">
        {props.version.author}
        <Show when={props.version.proposed_by}>
          {(agent) => <span class="muted">, proposed by {agent()}</span>}
        </Show>
      </span>
      <span class="end row small muted">
        <span class="mono" title={`sha256 ${props.version.content_hash}`}>
          {shortHash(props.version.content_hash)}
        </span>
        <CopyButton
          text={props.version.content_hash}
          label={`Copy hash of version ${props.version.version}`}
        />
        <Time time={props.version.created_at} />
      </span>
    </li>
  );
}

/** Compares two versions, at first the newest with the previous one. */
function Comparison(props: { readonly versions: readonly InstructionVersion[] }): JSX.Element {
  const [from, setFrom] = createSignal("");
  const [to, setTo] = createSignal("");
  createEffect(
    on(
      () => props.versions[0]?.version,
      (newest) => {
        setTo(String(newest));
        setFrom(String(props.versions[1]?.version ?? newest));
      },
    ),
  );
  const versionOf = (chosen: string) => props.versions.find(({ version }) => String(version) === chosen);
  const chosen = createMemo(() => {
    const pair = { from: versionOf(from()), to: versionOf(to()) };
    return pair.from && pair.to ? { from: pair.from, to: pair.to } : undefined;
  });
  const choices = () =>
    props.versions.map(({ version, name }) => ({ value: String(version), label: `${version}: ${name}` }));
  return (
    <Show when={props.versions.length > 1} fallback={<p class="muted small">No changes yet.</p>}>
      <div class="library-compare">
        <Select label="From version" value={from()} choices={choices()} onChange={setFrom} />
        <Select label="To version" value={to()} choices={choices()} onChange={setTo} />
      </div>
      <Show when={chosen()}>
        {(pair) => (
          <section class="library-difference" aria-label="Difference">
            <DiffView
              fileName={pair().to.name}
              before={pair().from.text}
              after={pair().to.text}
              note={note(pair().from, pair().to)}
              language="markdown"
              wrap
            />
          </section>
        )}
      </Show>
    </Show>
  );
}

/** The two version numbers, and the former name if it changed. */
function note(from: InstructionVersion, to: InstructionVersion): string {
  const versions = `version ${from.version} → version ${to.version}`;
  return from.name === to.name ? versions : `${versions}, renamed from “${from.name}”`;
}
