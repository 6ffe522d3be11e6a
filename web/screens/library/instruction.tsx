// One instruction: its text, bindings and versions. Its author and admins can edit and delete it.

import { A } from "@solidjs/router";
import Pencil from "lucide-solid/icons/pencil";
import Trash from "lucide-solid/icons/trash";
import X from "lucide-solid/icons/x";
import { createSignal, type JSX, Show } from "solid-js";
import type { Instruction } from "../../../src/service/library/schema.ts";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { createAction } from "../../kit/action.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { DeletedNotice } from "../../kit/deleted.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { plural } from "../../kit/format.ts";
import { unlessMovedOn } from "../../kit/moved-on.ts";
import { Markdown } from "../../kit/markdown.tsx";
import { CopyButton, NameList, Time } from "../../kit/pieces.tsx";
import { createPlaced } from "../../kit/quiet.ts";
import { Loaded } from "../../kit/states.tsx";
import { stored } from "../../kit/storage.ts";
import { tell } from "../../kit/toast.tsx";
import { isAdmin, me } from "../../state/session.ts";
import { EditInstruction, hasDraft } from "./edit-instruction.tsx";
import { instructionQuery, proposalsQuery, type Uses as UsesData, usesQuery } from "./queries.ts";
import { Uses } from "./uses.tsx";
import { Versions } from "./versions.tsx";

export function InstructionDetail(props: { readonly id: number; readonly onClose: () => void }): JSX.Element {
  const query = instructionQuery(() => props.id);
  return (
    <Loaded query={query} what="instruction" out={{ name: "Close", go: () => props.onClose() }}>
      {(instruction) => <Shown instruction={instruction()} gone={query.gone()} onClose={props.onClose} />}
    </Loaded>
  );
}

function Shown(props: {
  readonly instruction: Instruction;
  readonly gone: boolean;
  readonly onClose: () => void;
}): JSX.Element {
  const id = () => props.instruction.id;
  const mayChange = () => isAdmin() || props.instruction.author_id === me()?.id;
  const [editing, setEditing] = createSignal(mayChange() && hasDraft(id()));
  const placing = createPlaced();
  const uses = usesQuery(id);
  const deletion = createAction((of: number) => take(api.instructions({ id: of }).delete()));
  const close = unlessMovedOn(() => props.onClose());
  const remove = async () => {
    const of = id();
    const yes = await confirm({
      title: `Delete ${props.instruction.name}?`,
      text: <Loss instruction={props.instruction} uses={uses.data()} />,
      action: "Delete instruction",
    });
    if (!yes || !(await deletion.run(of))) return;
    tell(`${props.instruction.name} deleted.`);
    close();
    await refresh("instructions");
  };
  return (
    <div class={`library-detail ${placing()}`}>
      <header class="section">
        <div class="row">
          <h2 class="pane-title ellipsis" dir="auto" title={props.instruction.name}>
            {props.instruction.name}
          </h2>
          <span class="tag">v{props.instruction.version}</span>
          <span class="end row">
            <Show when={mayChange() && !editing() && !props.gone}>
              <Button small onClick={() => setEditing(true)}>
                <Pencil aria-hidden="true" />
                Edit
              </Button>
              <IconButton
                small
                label="Delete instruction"
                busy={deletion.busy()}
                onClick={() => void remove()}
              >
                <Trash aria-hidden="true" />
              </IconButton>
            </Show>
            <IconButton small label="Close" onClick={() => props.onClose()}>
              <X aria-hidden="true" />
            </IconButton>
          </span>
        </div>
        <Origin instruction={props.instruction} mayChange={mayChange()} />
      </header>
      <Show when={props.gone}>
        <DeletedNotice name={props.instruction.name} />
      </Show>
      <Proposed id={id()} />
      <Show
        when={!editing()}
        fallback={<EditInstruction instruction={props.instruction} onDone={() => setEditing(false)} />}
      >
        <Wording instruction={props.instruction} />
      </Show>
      <Uses id={id()} query={uses} />
      <Versions instruction={props.instruction} />
    </div>
  );
}

function Origin(props: { readonly instruction: Instruction; readonly mayChange: boolean }): JSX.Element {
  return (
    <p class="small muted">
      By <span dir="auto">{props.instruction.author}</span>,{" "}
      <Time time={props.instruction.created_at} relative />; last edited{" "}
      <Time time={props.instruction.updated_at} relative />.
      <Show when={!props.mayChange}> Only its author and admins can edit it.</Show>
    </p>
  );
}

/** Rendered, or every character as it is sent. Kept from instruction to instruction. */
const [raw, setRaw] = stored("library.raw", false);

function Wording(props: { readonly instruction: Instruction }): JSX.Element {
  const choice = (label: "Read" | "Source") => (
    <Button
      small
      kind={raw() === (label === "Source") ? "plain" : "quiet"}
      aria-pressed={raw() === (label === "Source")}
      onClick={() => setRaw(label === "Source")}
    >
      {label}
    </Button>
  );
  return (
    <section class="section">
      <div class="row library-row">
        <h3 class="heading">Text</h3>
        <span class="end row">
          {choice("Read")}
          {choice("Source")}
          <CopyButton text={props.instruction.text} label="Copy text" />
        </span>
      </div>
      <Show when={props.instruction.text !== ""} fallback={<p class="muted">No text yet.</p>}>
        <Show
          when={raw()}
          fallback={
            <div class="library-rendered" dir="auto" role="group" aria-label="Text of the instruction">
              <Markdown text={props.instruction.text} />
            </div>
          }
        >
          <pre class="block library-text" dir="auto" tabIndex={0} aria-label="Text of the instruction">
            {props.instruction.text}
          </pre>
        </Show>
      </Show>
    </section>
  );
}

function Proposed(props: { readonly id: number }): JSX.Element {
  const proposals = proposalsQuery();
  const mine = () => proposals.data()?.filter(({ instruction_id: id }) => id === props.id) ?? [];
  return (
    <Show when={mine()[0]}>
      {(first) => (
        <div class="section">
          <div class="notice wait">
            <div>
              <span dir="auto">{first().agent}</span> proposes a change
              {mine().length > 1 ? `; ${plural(mine().length - 1, "more proposal")} pending` : ""}. It takes
              effect once approved.
            </div>
            <A href="/approvals" class="btn small">
              Review
            </A>
          </div>
        </div>
      )}
    </Show>
  );
}

/** The text of the delete dialog. */
function Loss(props: {
  readonly instruction: Instruction;
  readonly uses: UsesData | undefined;
}): JSX.Element {
  const places = () => [...new Set(props.uses?.uses.map(({ workspace }) => workspace.display_name))];
  return (
    <>
      <p>
        This deletes its text and {plural(props.instruction.version, "version")}. Recorded model calls keep
        the text that they sent.
      </p>
      <p>
        <Show
          when={places().length > 0}
          fallback={
            props.uses
              ? "It has no bindings that you can see."
              : "Its bindings could not be loaded; they are removed as well."
          }
        >
          Its {plural(props.uses!.uses.length, "binding")} in <NameList names={places()} /> end.
        </Show>
      </p>
    </>
  );
}
