// Edits a gear. Says what a save means for its approval, and asks when someone else has saved meanwhile.

import { useNavigate } from "@solidjs/router";
import { batch, createEffect, createMemo, createSignal, type JSX, Show } from "solid-js";
import type { GearDetail } from "../../../src/service/gears/schema.ts";
import { api, take } from "../../api/client.ts";
import { refresh } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { FormProblem } from "../../kit/form-actions.tsx";
import { createSubmission } from "../../kit/form.tsx";
import { guardLeaving } from "../../kit/leaving.ts";
import { unlessMovedOn } from "../../kit/moved-on.ts";
import { tell } from "../../kit/toast.tsx";
import { isAdmin, me } from "../../state/session.ts";
import { putGear, readGear } from "../../parts/gear/gear-queries.ts";
import { changed, draftOf, type ProgramDraft, tagsOf, testsOf } from "./program-draft.ts";
import { DetailFields, ProgramEditor, TestFields } from "./program-editor.tsx";
import { StaleSave, type StaleChoice } from "./stale-save.tsx";

const FIELDS = ["code", "files", "entrypoint", "args_schema", "description", "tags", "tests"] as const;

export function Code(props: { readonly gear: GearDetail }): JSX.Element {
  const navigate = useNavigate();
  const review = unlessMovedOn((id: number) => navigate(`/gears/${id}/review`));
  const { draft, setDraft, dirty, restart, saving, theirs } = createEdit(() => props.gear, review);
  const mayWrite = () => isAdmin() || props.gear.author_id === me()?.id;
  guardLeaving(dirty);
  const save = () => {
    if (dirty() && mayWrite()) void saving.submit();
  };
  const editing = () => ({
    draft: draft(),
    onChange: setDraft,
    readOnly: !mayWrite(),
    onSave: save,
    problemOf: saving.of,
  });
  return (
    <form
      class="gear-code"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <h1 class="visually-hidden">Code of {props.gear.name}</h1>
      <div class="gear-save" role="status">
        <span class="small muted">
          <SaveWords gear={props.gear} mayWrite={mayWrite()} dirty={dirty()} />
        </span>
        <Show when={mayWrite()}>
          <span class="row end">
            <Show when={dirty()}>
              <Button kind="quiet" onClick={() => restart(props.gear)} disabled={saving.busy()}>
                Discard
              </Button>
            </Show>
            <Button type="submit" kind="primary" busy={saving.busy()} disabled={!dirty()}>
              Save version {props.gear.version + 1}
            </Button>
          </span>
        </Show>
      </div>
      <Show when={saving.problem() !== undefined || saving.wait() > 0}>
        <div class="section">
          <FormProblem form={saving} />
        </div>
      </Show>
      <ProgramEditor {...editing()} />
      <div class="gear-more form">
        <DetailFields {...editing()} />
        <TestFields {...editing()} />
      </div>
      <Show when={theirs()}>
        {(stale) => (
          <StaleSave gear={stale().gear} draft={draft()} onChoose={(choice) => stale().choose(choice)} />
        )}
      </Show>
    </form>
  );
}

/** The edits of a gear, the version that they are based on, and saving them. */
function createEdit(latest: () => GearDetail, onSaved: (id: number) => void) {
  /** The version that the edits are based on. */
  const [begun, setBegun] = createSignal(latest());
  const [draft, setDraft] = createSignal(draftOf(latest()));
  const [theirs, setTheirs] = createSignal<{ gear: GearDetail; choose: (choice: StaleChoice) => void }>();
  const start = createMemo(() => draftOf(begun()));
  const dirty = () => changed(start(), draft());
  // Without edits, the newest version is shown.
  createEffect(() => {
    const gear = latest();
    if (!dirty() && gear.updated_at > begun().updated_at) restart(gear);
  });
  const restart = (gear: GearDetail) =>
    batch(() => {
      setBegun(gear);
      setDraft(draftOf(gear));
    });
  const saving = createSubmission(FIELDS, async () => {
    const sent = draft();
    const body = bodyOf(sent);
    const newest = await readGear(latest().id);
    if (newest.version !== begun().version && !(await asked(newest))) return;
    const { changed: _, ...saved } = await take(api.gears({ id: newest.id }).put(body));
    const typedMeanwhile = draft() !== sent;
    if (typedMeanwhile) setBegun(saved);
    else restart(saved);
    putGear(saved);
    void Promise.all([refresh("gears"), refresh("approvals")]);
    tell(`Saved version ${saved.version}. It is pending approval.`);
    if (!typedMeanwhile) onSaved(saved.id);
  });
  /** Resolves with whether to save on top of someone else's version. */
  const asked = async (gear: GearDetail) => {
    const choice = await new Promise<StaleChoice>((resolve) => setTheirs({ gear, choose: resolve }));
    setTheirs(undefined);
    if (choice === "theirs") restart(gear);
    return choice === "mine";
  };
  return { draft, setDraft, dirty, restart, saving, theirs };
}

/** Raises a `Problem` about the tests. */
function bodyOf(draft: ProgramDraft) {
  const entrypoint = draft.runtime === "binary" ? { entrypoint: draft.entrypoint } : {};
  return {
    description: draft.description,
    tags: tagsOf(draft),
    tests: testsOf(draft),
    ...entrypoint,
    runtime: draft.runtime,
    files: [...draft.files],
    args_schema: draft.argsSchema,
  };
}

function SaveWords(props: {
  readonly gear: GearDetail;
  readonly mayWrite: boolean;
  readonly dirty: boolean;
}): JSX.Element {
  const words = () => {
    if (!props.mayWrite) return `Only its author, ${props.gear.author}, and admins can save new versions.`;
    if (!props.dirty) return `Version ${props.gear.version}. Edit it to save a new version.`;
    return props.gear.status === "approved"
      ? "Saving creates a new version. Agents cannot call this gear until it is approved."
      : "Saving creates a new version, pending approval.";
  };
  return <>{words()}</>;
}
