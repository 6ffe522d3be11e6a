// The virtual list of the conversation. It follows the end while the reader is there, and otherwise keeps its position: while agents stream,
// when earlier pages load above, and when another view is in front.

import { createVirtualizer, elementScroll, type Virtualizer } from "@tanstack/solid-virtual";
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
import { count } from "../../kit/format.ts";
import { later } from "../../kit/later.tsx";
import { createPlaced } from "../../kit/quiet.ts";
import { attempt } from "../../kit/toast.tsx";
import { useHere } from "../../state/here.ts";
import type { Item } from "../../state/transcript.ts";
import { BubbleItem, DecidedItem } from "./bubble.tsx";
import { createFollowing } from "./following.ts";
import { MessageItem, QueuedItem } from "./message.tsx";
import { createPrinting, PRINTED_ROWS_MAX } from "./printing.ts";
import { useRoom } from "./room.ts";

/** Most turns end well, so it loads with the first that did not. */
const TurnEndItem = later(async () => (await import("./turn-end.tsx")).TurnEndItem);

const ROWS_BEYOND = 4;
const START_PX = 24;
const END_ROOM_PX = 8;
/** Nearer than this to the start, the previous page is read. */
const BEGINNING_PX = 1_200;

export function Conversation(props: { readonly items: readonly Item[] }): JSX.Element {
  let scroller!: HTMLDivElement;
  let all!: HTMLDivElement;
  const following = createFollowing(
    () => scroller,
    () => look(),
  );
  useRoom().onHold(following.hold);
  const byKey = createMemo(() => new Map(props.items.map((item, index) => [item.key, { item, index }])));
  const rows = createRows(
    () => props.items,
    () => scroller,
    (height) => (all.style.height = `${height}px`),
    following.grown,
  );
  useRoom().onReveal((key) => {
    following.leave();
    rows.scrollToIndex(byKey().get(key)?.index ?? 0, { align: "start" });
  });
  const { printing, shown, offset, measure } = createShown({
    items: () => props.items,
    rows,
    scroller: () => scroller,
    grown: following.grown,
  });
  const readEarlier = createEarlier();
  const look = () => {
    following.scrolled(props.items.at(-1)?.key);
    // A page may be shorter than the viewport.
    if (scroller.scrollTop < BEGINNING_PX)
      readEarlier(() => requestAnimationFrame(() => scroller.isConnected && look()));
  };
  const jump = () => {
    following.begin();
    rows.scrollToEnd();
  };
  useRoom().onToEnd(jump);
  onMount(() => {
    rows.scrollToEnd();
    requestAnimationFrame(() => scroller.isConnected && look());
    // A problem above the message box, or its growing text, takes room from the end of the list.
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
        <LeftOut printing={printing()} count={props.items.length} />
        <div class="chat-all" ref={(made) => (all = made)}>
          <Shown offset={offset()}>
            <For each={shown()}>{(key) => <Row found={byKey().get(key)} measure={measure} />}</For>
          </Shown>
        </div>
      </div>
      <Show when={!following.atEnd()}>
        <Jump from={byKey().get(following.seen() ?? "")?.index} count={props.items.length} onJump={jump} />
      </Show>
    </div>
  );
}

/** The keys of the rows in the page and their offset: those in sight, and on paper all. */
function createShown(of: {
  readonly items: () => readonly Item[];
  readonly rows: Virtualizer<HTMLDivElement, HTMLDivElement>;
  readonly scroller: () => HTMLDivElement;
  readonly grown: () => void;
}) {
  let top = 0;
  const printing = createPrinting(
    () => (top = of.scroller().scrollTop),
    () => {
      of.scroller().scrollTop = top;
      of.grown();
    },
  );
  const shown = createMemo(() =>
    printing()
      ? of
          .items()
          .slice(-PRINTED_ROWS_MAX)
          .map(({ key }) => key)
      : of.rows.getVirtualItems().map(({ key }) => String(key)),
  );
  const offset = createMemo(() => (printing() ? 0 : (of.rows.getVirtualItems()[0]?.start ?? 0)));
  /** The heights on paper are others. */
  const measure = (element: HTMLDivElement) => printing() || of.rows.measureElement(element);
  return { printing, shown, offset, measure };
}

/** The rows, shown once the cards and endings of the first ones are there. */
function Shown(props: { readonly offset: number; readonly children: JSX.Element }): JSX.Element {
  const placing = createPlaced();
  return (
    <div class={`chat-shown ${placing()}`} style={{ transform: `translateY(${props.offset}px)` }}>
      {props.children}
    </div>
  );
}

/** On paper, if the conversation began earlier. */
function LeftOut(props: { readonly printing: boolean; readonly count: number }): JSX.Element {
  const here = useHere();
  return (
    <Show when={props.printing && (here.state().hasEarlier || props.count > PRINTED_ROWS_MAX)}>
      <p class="chat-left-out">
        Earlier messages are left out. “Print conversation” in the search prints up to{" "}
        {count(PRINTED_ROWS_MAX)} messages and answers. The export of the workspace has all of them.
      </p>
    </Show>
  );
}

/** `from`: the last item that was seen at the end. */
function Jump(props: {
  readonly from: number | undefined;
  readonly count: number;
  readonly onJump: () => void;
}): JSX.Element {
  const unseen = () => (props.from === undefined ? 0 : props.count - 1 - props.from);
  return (
    <button type="button" class="btn small chat-jump" onClick={() => props.onJump()}>
      <ArrowDown aria-hidden="true" />
      Jump to latest
      <Show when={unseen() > 0}>
        <span class="tag ok">{unseen()} new</span>
      </Show>
    </button>
  );
}

/** Reads previous pages, one at a time. */
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

/** The visible rows and their offsets. Rows keep their place on the screen when others load above. */
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
    // Here and not in the style sheet, because the list must know its full height.
    paddingStart: START_PX,
    paddingEnd: END_ROOM_PX,
    anchorTo: "end",
    // Fractions matter: rounded heights would add up to another offset.
    measureElement: (element, entry) =>
      entry?.borderBoxSize[0]?.blockSize ?? element.getBoundingClientRect().height,
    // It scrolls before the page has grown, so the height is set first.
    scrollToFn: (offset, options, list) => {
      setHeight(list.getTotalSize());
      elementScroll(offset, options, list);
    },
    onChange: (list) => {
      setHeight(list.getTotalSize());
      grown();
    },
  });
  // Applies the list's scroll decision once the rows are in the page.
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
  readonly measure: (element: HTMLDivElement) => unknown;
}): JSX.Element {
  let element!: HTMLDivElement;
  // A row that is being removed keeps its last item.
  const found = createMemo<{ item: Item; index: number } | undefined>((before) => props.found ?? before);
  const item = createMemo(() => found()?.item);
  const index = createMemo(() => found()?.index);
  createEffect(on(index, () => props.measure(element)));
  return (
    <div class="chat-row" ref={(made) => (element = made)} data-index={index()}>
      <Switch>
        <Match when={is(item(), "message")}>{(message) => <MessageItem item={message()} />}</Match>
        <Match when={is(item(), "bubble")}>{(bubble) => <BubbleItem item={bubble()} />}</Match>
        <Match when={is(item(), "decided")}>{(decided) => <DecidedItem item={decided()} />}</Match>
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

/** Close enough to keep the scroll bar steady; visible rows are measured. */
function estimate(item: Item | undefined): number {
  const lines = (text: string) => Math.min(400, Math.ceil(text.length / CHARACTERS_PER_LINE)) * LINE_PX;
  switch (item?.kind) {
    case "bubble":
      return item.segments.reduce(
        (sum, { entry, chips, asks }) => sum + lines(entry.text) + chips.length * 36 + 8 + asks.length * 320,
        44 + item.asks.length * 320,
      );
    case "message":
      return 44 + lines(item.text);
    case "decided":
      return 16 + item.decisions.length * LINE_PX;
    case "end":
    case "queued":
    case undefined:
      return 72;
  }
}
