// Completes references and starters while a message is typed: a listbox above the message box, whose focus stays in the box. Loads with the
// first `@` or `/`. Its keys come before those of the box; during composition they belong to the input method.

import BookOpen from "lucide-solid/icons/book-open";
import Bot from "lucide-solid/icons/bot";
import FileText from "lucide-solid/icons/file-text";
import Folder from "lucide-solid/icons/folder";
import { createEffect, createMemo, createSignal, For, type JSX, on, onCleanup, Show } from "solid-js";
import { Dynamic } from "solid-js/web";
import { api, take } from "../../api/client.ts";
import { count, plural } from "../../kit/format.ts";
import { PathText } from "../../kit/path-text.tsx";
import { attempt } from "../../kit/toast.tsx";
import { useHere } from "../../state/here.ts";
import { instructionsQuery } from "../../state/lists.ts";
import { createFileNames } from "./file-names.ts";
import { referenceInto, referenceTo, type Trigger, triggerAt } from "./reference.ts";
import { type Suggested, suggestReferences, type Suggestion, suggestStarters } from "./suggestions.ts";
import "./completion.css";

const LIST = "chat-suggestions";
const NONE: Suggested = { shown: [], total: 0 };
const ICONS = { agent: Bot, file: FileText, directory: Folder, starter: BookOpen };
const KINDS = { agent: "agent", file: "file", directory: "folder", starter: "instruction" };

export function Completion(props: { readonly area: HTMLTextAreaElement }): JSX.Element {
  const { trigger, close } = createTrigger(props.area);
  const suggested = createSuggested(trigger);
  const { active, setActive } = createActive(trigger, suggested);
  const shown = () => suggested().shown;
  const open = createMemo(() => shown().length > 0);
  const choose = (suggestion: Suggestion) => {
    const at = trigger();
    if (at) void put(props.area, at, suggestion);
  };
  const move = (by: number) => setActive((active() + by + shown().length) % shown().length);
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => choose(shown()[active()]!),
    Tab: () => choose(shown()[active()]!),
    Escape: close,
  };
  const onKey = (event: KeyboardEvent) => {
    const act = keys[event.key];
    const plain = !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey;
    if (!open() || !act || !plain || isComposing(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  };
  listenTo(props.area, "keydown", onKey as EventListener);
  describeBox(props.area, open, active);
  return (
    <>
      <Show when={open()}>
        <div class="chat-suggest">
          <ul
            class="menu chat-suggest-list"
            id={LIST}
            role="listbox"
            aria-label={trigger()?.kind === "starter" ? "Instructions" : "Agents and files"}
          >
            <For each={shown()}>
              {(suggestion, index) => (
                <Option
                  suggestion={suggestion}
                  id={`${LIST}-${index()}`}
                  active={index() === active()}
                  onChoose={() => choose(suggestion)}
                />
              )}
            </For>
          </ul>
          <Show when={suggested().total > shown().length}>
            <p class="chat-suggest-more">
              {count(shown().length)} of {count(suggested().total)}. Type more to narrow the list.
            </p>
          </Show>
        </div>
      </Show>
      <span class="visually-hidden" role="status">
        {open() ? plural(suggested().total, "suggestion") : ""}
      </span>
    </>
  );
}

/** The chosen suggestion, as its place in the list. */
function createActive(trigger: () => Trigger | undefined, suggested: () => Suggested) {
  const [active, setActive] = createSignal(0);
  const query = createMemo(() => trigger()?.query);
  createEffect(
    on([suggested, query], ([now, word], before) => {
      // Names that arrive later move what is chosen; another word begins at the top.
      const chosen = before?.[1] === word ? before?.[0].shown[active()] : undefined;
      const at = now.shown.findIndex(({ kind, name }) => kind === chosen?.kind && name === chosen.name);
      setActive(Math.max(0, at));
    }),
  );
  return { active, setActive };
}

function Option(props: {
  readonly suggestion: Suggestion;
  readonly id: string;
  readonly active: boolean;
  readonly onChoose: () => void;
}): JSX.Element {
  const show = (element: HTMLElement) =>
    createEffect(() => props.active && element.scrollIntoView({ block: "nearest" }));
  return (
    <li
      ref={show}
      id={props.id}
      class="menu-item chat-suggest-item"
      role="option"
      aria-selected={props.active}
      data-active={props.active ? "" : undefined}
      // The box keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => props.onChoose()}
    >
      <Dynamic component={ICONS[props.suggestion.kind]} aria-hidden="true" />
      <Show
        when={props.suggestion.kind === "file" || props.suggestion.kind === "directory"}
        fallback={
          <span class="ellipsis" dir="auto" title={props.suggestion.name}>
            {props.suggestion.name}
          </span>
        }
      >
        <PathText path={props.suggestion.name} />
      </Show>
      <span class="small muted end">{KINDS[props.suggestion.kind]}</span>
    </li>
  );
}

/** The text typed at the caret; undefined after Escape, until another place is typed at. */
function createTrigger(area: HTMLTextAreaElement) {
  const [trigger, setTrigger] = createSignal<Trigger>();
  let closedAt: number | undefined;
  const look = () => {
    if (document.activeElement !== area || area.selectionStart !== area.selectionEnd)
      return void setTrigger(undefined);
    const found = triggerAt(area.value, area.selectionStart);
    if (found?.from !== closedAt) closedAt = undefined;
    setTrigger(closedAt === undefined ? found : undefined);
  };
  const onInput = (event: Event) => {
    if (!(event as InputEvent).isComposing) look();
  };
  listenTo(area, "input", onInput);
  listenTo(area, "compositionend", look);
  listenTo(area, "blur", () => setTrigger(undefined));
  listenTo(area, "focus", look);
  // Moving the caret by key or pointer.
  listenTo(document, "selectionchange", () => document.activeElement === area && look());
  look();
  const close = () => {
    closedAt = trigger()?.from;
    setTrigger(undefined);
  };
  return { trigger, close };
}

function createSuggested(trigger: () => Trigger | undefined): () => Suggested {
  const here = useHere();
  const kind = createMemo(() => trigger()?.kind);
  const query = createMemo(() => trigger()?.query ?? "");
  const [files, setFiles] = createSignal<ReturnType<typeof createFileNames>>();
  const instructions = instructionsQuery();
  // Names are read when a reference is first typed.
  createEffect(() => kind() === "reference" && setFiles((before) => before ?? createFileNames(here.id)));
  createEffect(() => {
    if (kind() === "reference") files()?.want(query().slice(0, Math.max(0, query().lastIndexOf("/"))));
  });
  const agents = createMemo(() => here.state().agents);
  return createMemo(() => {
    if (kind() === "starter") return suggestStarters(query(), instructions.data() ?? []);
    if (kind() !== "reference") return NONE;
    const names = agents()
      .filter(({ orchestrator }) => !orchestrator)
      .map(({ name }) => name);
    return suggestReferences(query(), names, files()?.entries() ?? []);
  });
}

/** Replaces what was typed. A directory stays open for what is in it. */
async function put(area: HTMLTextAreaElement, { from, to }: Trigger, suggestion: Suggestion): Promise<void> {
  const { kind, name, id } = suggestion;
  if (kind !== "starter")
    return typeInto(area, from, to, kind === "directory" ? referenceInto(name) : `${referenceTo(name)} `);
  await attempt(async () => {
    const { text } = await take(api.instructions({ id: id! }).get());
    // Meanwhile the message may have changed.
    if (area.value.slice(from, to).startsWith("/")) typeInto(area, from, to, text);
  });
}

/** As if it was typed, so that it can be undone. */
function typeInto(area: HTMLTextAreaElement, from: number, to: number, text: string): void {
  area.focus();
  area.setSelectionRange(from, to);
  if (document.execCommand("insertText", false, text)) return;
  area.setRangeText(text, from, to, "end");
  area.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

/** Tells assistive technology about the list. A text box has no expanded state, so the number of suggestions is announced. */
function describeBox(area: HTMLTextAreaElement, open: () => boolean, active: () => number): void {
  const set = (name: string, value: string | undefined) =>
    value === undefined ? area.removeAttribute(name) : area.setAttribute(name, value);
  area.setAttribute("aria-autocomplete", "list");
  createEffect(() => {
    set("aria-controls", open() ? LIST : undefined);
    set("aria-activedescendant", open() ? `${LIST}-${active()}` : undefined);
  });
  onCleanup(() => {
    for (const name of ["aria-autocomplete", "aria-controls", "aria-activedescendant"])
      area.removeAttribute(name);
  });
}

/** Some browsers end the composition before its last key, which they give this code. */
const COMPOSITION_KEY_CODE = 229;

function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === COMPOSITION_KEY_CODE;
}

function listenTo(target: EventTarget, name: string, hear: (event: Event) => void): void {
  target.addEventListener(name, hear);
  onCleanup(() => target.removeEventListener(name, hear));
}
