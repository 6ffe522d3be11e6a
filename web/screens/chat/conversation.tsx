// The list of what was said. Only what is in sight is in the page. It follows the end while one is there, and stays put everywhere else:
// while others speak, when earlier pages come in above, and when another view is in front.

import { createVirtualizer, elementScroll } from "@tanstack/solid-virtual";
import ArrowDown from "lucide-solid/icons/arrow-down";
import {
  createEffect,
  createMemo,
  For,
  type JSX,
  Match,
  on,
  onCleanup,
  onMount,
  Show,
  Switch,
} from "solid-js";
import { attempt } from "../../kit/toast.tsx";
import { useHere } from "../../state/here.ts";
import type { Item } from "../../state/transcript.ts";
import { BubbleItem } from "./bubble.tsx";
import { createFollowing } from "./following.ts";
import { MessageItem, QueuedItem } from "./message.tsx";
import { TurnEndItem } from "./turn-end.tsx";

const ROWS_BEYOND = 4;
const START_PX = 24;
const END_ROOM_PX = 8;
/** Nearer than this to the beginning, what came before is read. */
const BEGINNING_PX = 1_200;

export function Conversation(props: { readonly items: readonly Item[] }): JSX.Element {
  let scroller!: HTMLDivElement;
  let all!: HTMLDivElement;
  const following = createFollowing(() => scroller);
  const byKey = createMemo(() => new Map(props.items.map((item, index) => [item.key, { item, index }])));
  const rows = createRows(
    () => props.items,
    () => scroller,
    (height) => (all.style.height = `${height}px`),
    following.grown,
  );
  const shown = createMemo(() => rows.getVirtualItems().map(({ key }) => String(key)));
  const offset = createMemo(() => rows.getVirtualItems()[0]?.start ?? 0);
  const unseen = createMemo(() => {
    const from = byKey().get(following.seen() ?? "")?.index;
    return from === undefined ? 0 : props.items.length - 1 - from;
  });
  const readEarlier = createEarlier();
  const look = () => {
    following.scrolled(props.items.at(-1)?.key);
    // A page may be shorter than what is in sight.
    if (scroller.scrollTop < BEGINNING_PX)
      readEarlier(() => requestAnimationFrame(() => scroller.isConnected && look()));
  };
  const jump = () => {
    following.begin();
    rows.scrollToEnd();
  };
  onMount(() => {
    rows.scrollToEnd();
    requestAnimationFrame(() => scroller.isConnected && look());
    // A refusal above the message box, or its growing text, takes room from the end that one is reading.
    const size = new ResizeObserver(() => following.grown());
    size.observe(scroller);
    onCleanup(() => size.disconnect());
  });
  return (
    <div class="chat-conversation">
      <div
        class="chat-scroll"
        ref={(found) => (scroller = found)}
        onScroll={look}
        tabindex="0"
        role="group"
        aria-label="Conversation"
      >
        <div class="chat-all" ref={(made) => (all = made)}>
          <div class="chat-shown" style={{ transform: `translateY(${offset()}px)` }}>
            <For each={shown()}>
              {(key) => <Row found={byKey().get(key)} measure={(element) => rows.measureElement(element)} />}
            </For>
          </div>
        </div>
      </div>
      <Show when={!following.atEnd()}>
        <button type="button" class="btn small chat-jump" onClick={jump}>
          <ArrowDown aria-hidden="true" />
          Jump to latest
          <Show when={unseen() > 0}>
            <span class="tag ok">{unseen()} new</span>
          </Show>
        </button>
      </Show>
    </div>
  );
}

/** Reads the page before, one at a time, while there is one. */
function createEarlier(): (then: () => void) => void {
  const here = useHere();
  let loading = false;
  return (then) => {
    if (loading || !here.state().hasEarlier) return;
    loading = true;
    void attempt(here.feed.loadEarlier).then((went) => {
      loading = false;
      if (went) then();
    });
  };
}

/** The rows that are in sight, and where they stand. What one reads keeps its place when rows come in above it. */
function createRows(
  items: () => readonly Item[],
  scroller: () => HTMLDivElement,
  setHeight: (height: number) => void,
  grown: () => void,
) {
  const rows = createVirtualizer<HTMLDivElement, HTMLDivElement>({
    get count() {
      return items().length;
    },
    getScrollElement: scroller,
    getItemKey: (index) => items()[index]?.key ?? index,
    estimateSize: (index) => estimate(items()[index]),
    overscan: ROWS_BEYOND,
    // Here and not in the style sheet: the list has to know its whole height.
    paddingStart: START_PX,
    paddingEnd: END_ROOM_PX,
    anchorTo: "end",
    // To the fraction: rounded, the rows above would add up to another place.
    measureElement: (element, entry) =>
      entry?.borderBoxSize[0]?.blockSize ?? element.getBoundingClientRect().height,
    // It scrolls before the page has grown: there has to be room already.
    scrollToFn: (offset, options, list) => {
      setHeight(list.getTotalSize());
      elementScroll(offset, options, list);
    },
    onChange: (list) => {
      setHeight(list.getTotalSize());
      grown();
    },
  });
  // What the list decided about its position is carried out when the rows are in the page.
  createEffect(
    on(items, () => {
      setHeight(rows.getTotalSize());
      rows._willUpdate();
      grown();
    }),
  );
  return rows;
}

function Row(props: {
  readonly found: { readonly item: Item; readonly index: number } | undefined;
  readonly measure: (element: HTMLDivElement) => void;
}): JSX.Element {
  let element!: HTMLDivElement;
  // A row that has left the list is about to go: it shows its last item until then.
  const found = createMemo<{ item: Item; index: number } | undefined>((before) => props.found ?? before);
  const item = createMemo(() => found()?.item);
  const index = createMemo(() => found()?.index);
  createEffect(on(index, () => props.measure(element)));
  return (
    <div class="chat-row" ref={(made) => (element = made)} data-index={index()}>
      <Switch>
        <Match when={is(item(), "message")}>{(message) => <MessageItem item={message()} />}</Match>
        <Match when={is(item(), "bubble")}>{(bubble) => <BubbleItem item={bubble()} />}</Match>
        <Match when={is(item(), "end")}>{(end) => <TurnEndItem item={end()} />}</Match>
        <Match when={is(item(), "queued")}>{(queued) => <QueuedItem item={queued()} />}</Match>
      </Switch>
    </div>
  );
}

function is<K extends Item["kind"]>(item: Item | undefined, kind: K): Extract<Item, { kind: K }> | undefined {
  return item?.kind === kind ? (item as Extract<Item, { kind: K }>) : undefined;
}

const CHARACTERS_PER_LINE = 92;
const LINE_PX = 21;

/** Near enough that the scroll bar keeps still; what is in sight is measured. */
function estimate(item: Item | undefined): number {
  const lines = (text: string) => Math.min(400, Math.ceil(text.length / CHARACTERS_PER_LINE)) * LINE_PX;
  switch (item?.kind) {
    case "bubble":
      return item.segments.reduce(
        (sum, { entry, chips }) => sum + lines(entry.text) + chips.length * 36 + 8,
        44 + item.asks.length * 220,
      );
    case "message":
      return 44 + lines(item.text);
    default:
      return 72;
  }
}
