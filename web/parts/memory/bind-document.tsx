// A button that becomes a search for the document to bind. Admins search the whole space, others the memory of the workspace; any path can be
// typed, also of a document that does not exist yet.

import Plus from "lucide-solid/icons/plus";
import { createEffect, createMemo, createSignal, createUniqueId, For, type JSX, Show } from "solid-js";
import { api, take } from "../../api/client.ts";
import { asProblem, fieldOf } from "../../api/problem.ts";
import { createQuery } from "../../api/query.ts";
import { Button } from "../../kit/button.tsx";
import { focusOn, mayTakeFocus } from "../../kit/focus.ts";
import { plural } from "../../kit/format.ts";
import { unlessMovedOn } from "../../kit/moved-on.ts";
import { PathText } from "../../kit/path-text.tsx";
import { useHere } from "../../state/here.ts";
import { documentsQuery, spaceQuery } from "../../state/lists.ts";
import { bindDocument } from "./binding.tsx";
import { matchesOf } from "./document-matches.ts";
import "./bind-document.css";

/** `agentId` null: for all agents. */
export function BindDocument(props: { readonly agentId: number | null }): JSX.Element {
  const [open, setOpen] = createSignal(false);
  let button: HTMLButtonElement | undefined;
  let picker: HTMLElement | undefined;
  const close = () => {
    const takesFocus = mayTakeFocus(picker);
    setOpen(false);
    if (takesFocus) queueMicrotask(() => button?.focus());
  };
  return (
    <Show
      when={open()}
      fallback={
        <div class="bind-document">
          <Button ref={(made) => (button = made)} kind="quiet" small onClick={() => setOpen(true)}>
            <Plus aria-hidden="true" />
            Bind document
          </Button>
        </div>
      }
    >
      <Picker agentId={props.agentId} onClose={close} ref={(element) => (picker = element)} />
    </Show>
  );
}

/** The documents that may be bound here and are not. */
function createPaths(agentId: () => number | null) {
  const here = useHere();
  const own = createQuery(() => ({
    key: ["memory", here.id],
    read: () => take(api.workspaces({ id: here.id }).memory.get()),
  }));
  const all = documentsQuery(spaceQuery());
  const bound = createMemo(
    () =>
      new Set(
        here
          .state()
          .contextBindings.filter(({ agent_id: of }) => of === null || of === agentId())
          .map(({ path }) => path),
      ),
  );
  const isForeign = (path: string) =>
    path.startsWith("workspaces/") && !path.startsWith(`${here.state().workspace.branch}/`);
  return createMemo(() => {
    const files = [...(own.data() ?? []), ...(all.data() ?? [])];
    const paths = new Set(files.filter(({ state }) => state !== "deleted").map(({ path }) => path));
    return [...paths].filter((path) => !bound().has(path) && !isForeign(path));
  });
}

interface PickerProps {
  readonly agentId: number | null;
  readonly onClose: () => void;
  readonly ref: (element: HTMLElement) => void;
}

/** The typed text, its results, and the result that the keys are on. */
function createPicker(props: Pick<PickerProps, "agentId" | "onClose">) {
  const here = useHere();
  const paths = createPaths(() => props.agentId);
  const [search, setSearch] = createSignal("");
  const [active, setActive] = createSignal(0);
  const [busy, setBusy] = createSignal(false);
  const [problem, setProblem] = createSignal<string>();
  const close = unlessMovedOn(() => props.onClose());
  const found = createMemo(() => matchesOf(paths(), search()));
  /** The typed path comes last, unless it is one that was found. */
  const choices = createMemo(() => {
    const typed = search().trim();
    return typed === "" || found().shown.includes(typed) ? found().shown : [...found().shown, typed];
  });
  const bind = async (path: string | undefined) => {
    if (path === undefined || busy()) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await bindDocument(here.id, path, props.agentId);
      close();
    } catch (error) {
      const why = asProblem(error);
      setProblem(fieldOf(why)?.problem ?? why.message);
    } finally {
      setBusy(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setActive((at) => Math.min(choices().length - 1, Math.max(0, at + step)));
    else if (event.key === "Enter") void bind(choices()[active()]);
    else if (event.key === "Escape") props.onClose();
    else return;
    event.preventDefault();
  };
  const type = (text: string) => {
    setSearch(text);
    setActive(0);
    setProblem(undefined);
  };
  return { search, type, active, setActive, found, choices, problem, bind, onKeyDown };
}

function Picker(props: PickerProps): JSX.Element {
  const list = createUniqueId();
  const picker = createPicker(props);
  const { search, active, found, choices, problem } = picker;
  return (
    <div
      ref={(element) => {
        props.ref(element);
        focusOn("input")(element);
      }}
      class="bind-document open"
    >
      <label class="field">
        <span>Document</span>
        <input
          class="input"
          role="combobox"
          dir="auto"
          autocomplete="off"
          placeholder="Type to search, or a path"
          aria-expanded="true"
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={choices().length > 0 ? `${list}-${active()}` : undefined}
          aria-invalid={problem() === undefined ? undefined : "true"}
          value={search()}
          onInput={(event) => picker.type(event.currentTarget.value)}
          onKeyDown={picker.onKeyDown}
        />
      </label>
      <Choices picker={picker} list={list} />
      <Show when={found().more > 0}>
        <p class="small muted">{plural(found().more, "more document")}: type to narrow the search.</p>
      </Show>
      <Show when={choices().length === 0}>
        <p class="small muted">Type the path of a document in the space.</p>
      </Show>
      <Show when={problem()}>
        {(why) => (
          <p class="problem" role="alert">
            {why()}
          </p>
        )}
      </Show>
      <Button small onClick={props.onClose}>
        Cancel
      </Button>
    </div>
  );
}

function Choices(props: {
  readonly picker: ReturnType<typeof createPicker>;
  readonly list: string;
}): JSX.Element {
  const { active, setActive, found, choices, bind } = props.picker;
  return (
    <div class="bind-document-list" id={props.list} role="listbox" aria-label="Documents">
      <For each={choices()}>
        {(path, index) => (
          <div
            id={`${props.list}-${index()}`}
            class="bind-document-choice"
            classList={{ active: index() === active() }}
            role="option"
            aria-selected={index() === active()}
            ref={(element) =>
              createEffect(() => index() === active() && element.scrollIntoView({ block: "nearest" }))
            }
            onPointerMove={() => setActive(index())}
            onClick={() => void bind(path)}
          >
            <PathText path={path} />
            <Show when={!found().shown.includes(path)}>
              <span class="small muted">this path</span>
            </Show>
          </div>
        )}
      </For>
    </div>
  );
}
