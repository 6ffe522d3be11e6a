// The content of a gear, or its diff from another version: files, argument schema, and everything else that an approval covers. Binary files
// are shown by size and hash.

import { createEffect, createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { GearFile, GearRuntime } from "../../../src/service/gears/schema.ts";
import { DiffView } from "../../kit/diff-view.tsx";
import { bytes, shortHash } from "../../kit/format.ts";
import { indented } from "../../kit/json.ts";
import { RUNTIME_NAMES } from "./gear-words.tsx";
import "./gear.css";

interface Content {
  readonly description: string;
  readonly runtime: GearRuntime;
  readonly entrypoint: string;
  readonly args_schema: string;
  readonly files: readonly GearFile[];
}

interface Pair {
  readonly path: string;
  readonly before: GearFile | undefined;
  readonly after: GearFile | undefined;
}

/** The files of both versions, the entrypoint first, then by path. */
function pairsOf(before: Content | undefined, after: Content): Pair[] {
  const paths = new Set([...after.files, ...(before?.files ?? [])].map(({ path }) => path));
  const rank = (path: string) => (path === after.entrypoint ? 0 : 1);
  return [...paths]
    .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((path) => ({
      path,
      before: before?.files.find((file) => file.path === path),
      after: after.files.find((file) => file.path === path),
    }));
}

export function ContentDiff(props: {
  /** Undefined shows `after` by itself. */
  readonly before: Content | undefined;
  readonly after: Content;
  readonly note: string;
}): JSX.Element {
  const pairs = createMemo(() => pairsOf(props.before, props.after));
  const runtimeChanged = () => props.before !== undefined && props.before.runtime !== props.after.runtime;
  const entryChanged = () => props.before !== undefined && props.before.entrypoint !== props.after.entrypoint;
  return (
    <div class="stack gear-files">
      <Show when={runtimeChanged() || entryChanged()}>
        <p class="gear-warn small">
          Runs in {RUNTIME_NAMES[props.after.runtime]} from {props.after.entrypoint}; previously in{" "}
          {RUNTIME_NAMES[props.before!.runtime]} from {props.before!.entrypoint}.
        </p>
      </Show>
      <For each={pairs()}>
        {(pair) => (
          <Show
            when={isText(pair.before) && isText(pair.after)}
            fallback={<BinaryDiff pair={pair} whole={props.before === undefined} />}
          >
            <DiffView
              fileName={pair.path}
              before={props.before === undefined ? undefined : (pair.before?.content ?? "")}
              after={pair.after?.content ?? ""}
              note={noteOf(pair, props.before !== undefined, props.note)}
            />
          </Show>
        )}
      </For>
      <Show when={props.after.description !== "" || (props.before?.description ?? "") !== ""}>
        <DiffView
          fileName="Description"
          language="text"
          wrap
          before={props.before?.description}
          after={props.after.description}
          note="shown to agents"
        />
      </Show>
      <DiffView
        fileName="Arguments"
        language="json"
        before={props.before === undefined ? undefined : `${indented(props.before.args_schema)}\n`}
        after={`${indented(props.after.args_schema)}\n`}
        note="schema"
      />
    </div>
  );
}

function noteOf(pair: Pair, compares: boolean, note: string): string {
  if (!compares) return note;
  if (!pair.before) return `${note}, new file`;
  return pair.after ? note : `${note}, removed`;
}

function isText(file: GearFile | undefined): boolean {
  return file === undefined || file.encoding === "utf8";
}

function BinaryDiff(props: { readonly pair: Pair; readonly whole: boolean }): JSX.Element {
  const same = () => props.pair.before?.content === props.pair.after?.content;
  return (
    <div class="diff">
      <div class="diff-file">
        <b class="ellipsis">{props.pair.path}</b>
        <span class="diff-note">binary</span>
      </div>
      <div class="diff-remark">
        <Show when={!props.whole && !same() && props.pair.before}>
          {(file) => (
            <div>
              Before: <FileFacts file={file()} />
            </div>
          )}
        </Show>
        <Show when={props.pair.after} fallback={<div>Removed.</div>}>
          {(file) => (
            <div>
              {props.whole || same() ? "" : "Now: "}
              <FileFacts file={file()} />
              {!props.whole && same() ? ", no changes" : ""}
            </div>
          )}
        </Show>
      </div>
    </div>
  );
}

function FileFacts(props: { readonly file: GearFile }): JSX.Element {
  const [facts, setFacts] = createSignal("");
  createEffect(() => void factsOf(props.file).then(setFacts));
  return <>{facts()}</>;
}

async function factsOf(file: GearFile): Promise<string> {
  const content =
    file.encoding === "base64"
      ? Uint8Array.from(atob(file.content), (character) => character.charCodeAt(0))
      : new TextEncoder().encode(file.content);
  // Pages over plain HTTP from another machine have no crypto API.
  if (!globalThis.crypto?.subtle) return bytes(content.byteLength);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  const hash = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${bytes(content.byteLength)}, SHA-256 ${shortHash(hash)}`;
}
