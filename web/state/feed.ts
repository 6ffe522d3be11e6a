// Keeps the state of one workspace current: a snapshot, then its events through the reducer. A lost connection is shown, resumes where it
// stopped, and loses nothing.

import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup } from "solid-js";
import type { WorkspaceEvent } from "../../src/service/events.ts";
import { api, take } from "../api/client.ts";
import { asProblem, type Problem } from "../api/problem.ts";
import { refresh } from "../api/query.ts";
import { streamEvents } from "../api/stream.ts";
import { untilSignedIn } from "./session.ts";
import { reduceAll } from "./reducer.ts";
import { stateOf, type Snapshot, type WorkspaceState } from "./workspace-state.ts";

const ENTRIES_AT_FIRST = 200;
const ENTRIES_PER_PAGE = 500;
const TURNS_AT_FIRST = 100;
const TURNS_PER_PAGE = 500;
const DECISIONS_PER_PAGE = 100;
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 8_000;
/** Several model calls may end at nearly the same time. */
const USAGE_DELAY_MS = 400;
/** A background tab gets no animation frames. */
const HIDDEN_FLUSH_MS = 250;

/** `over`: the workspace is deleted or no longer shared; there is no retry. */
export type Connection = "connecting" | "live" | "lost" | "over";

export interface Feed {
  /** Undefined until the snapshot was read. */
  readonly state: Accessor<WorkspaceState | undefined>;
  /** Why there is no state to show. */
  readonly problem: Accessor<Problem | undefined>;
  readonly connection: Accessor<Connection>;
  /** Reads the page of entries before the first. */
  readonly loadEarlier: () => Promise<void>;
  /** Resolves once the entries of the branch that was switched to are read, or could not be. */
  readonly branchRead: () => Promise<void>;
  /** Reconnects at once instead of waiting for the next attempt. */
  readonly retry: () => void;
}

/** Lives as long as the component that creates it. */
export function createFeed(workspaceId: number): Feed {
  const [state, setState] = createSignal<WorkspaceState>();
  const [problem, setProblem] = createSignal<Problem>();
  const [connection, setConnection] = createSignal<Connection>("connecting");
  const stop = new AbortController();
  let wake = () => {};
  onCleanup(() => stop.abort());

  const inbox = createInbox((events) => {
    setState((before) => before && reduceAll(before, events));
    if (events.some(({ type }) => type.startsWith("approval.") || type.startsWith("gear.")))
      void refresh("approvals");
  });
  onCleanup(inbox.dispose);

  const follow = async () => {
    let waitMs = RETRY_MS_MIN;
    while (!stop.signal.aborted && !state()?.gone) {
      try {
        if (!state()) setState(stateOf(await readSnapshot(workspaceId)));
        setProblem(undefined);
        const after = inbox.lastId() ?? state()!.lastId;
        for await (const events of streamEvents(
          `/api/v1/workspaces/${workspaceId}/events?after=${after}`,
          stop.signal,
          { onOpen: () => (setConnection("live"), (waitMs = RETRY_MS_MIN)) },
        )) {
          inbox.push(events as WorkspaceEventInput[]);
        }
      } catch (error) {
        const why = asProblem(error);
        if (why.code === "not_found") setState((before) => before && { ...before, gone: true });
        if (!state()) setProblem(why);
        if (why.code === "not_found") break;
        if (why.code === "unauthenticated") await untilSignedIn(stop.signal);
      }
      if (stop.signal.aborted) return;
      if (state()?.gone) break;
      setConnection("lost");
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, waitMs);
      });
      waitMs = Math.min(waitMs * 2, RETRY_MS_MAX);
    }
    setConnection("over");
  };
  void follow();
  keepUsage(workspaceId, state, setState);
  const branchRead = keepBranch(workspaceId, state, setState);

  let earlier: Promise<void> | undefined;
  return {
    state,
    problem,
    connection,
    branchRead,
    retry: () => wake(),
    loadEarlier: () =>
      (earlier ??= readEarlier(workspaceId, state, setState).finally(() => (earlier = undefined))),
  };
}

async function readSnapshot(id: number): Promise<Snapshot> {
  const here = api.workspaces({ id });
  // Read first: changes made while the rest is read arrive again as events.
  const blueprint = await take(here.blueprint.get({ query: {} }));
  const [workspace, turns, entries, usage, approvals, decisions] = await Promise.all([
    take(here.get()),
    take(here.turns.get({ query: { limit: TURNS_AT_FIRST } })),
    take(here.entries.get({ query: { limit: ENTRIES_AT_FIRST } })),
    take(here.usage.get()),
    take(api.approvals.get()),
    take(here.decisions.get({ query: { limit: DECISIONS_PER_PAGE } })),
  ]);
  return {
    workspace,
    blueprint,
    turns: [...(await turnsBefore(id, turns[0]?.id, entries[0]?.turn_id)), ...turns],
    entries,
    hasEarlier: entries.length === ENTRIES_AT_FIRST,
    usage,
    approvals,
    ...(await decisionsSince(id, entries[0]?.created_at, decisions)),
  };
}

/** Adds pages of decisions before these, as far back as the first entry. */
async function decisionsSince(
  id: number,
  since: string | undefined,
  known: Snapshot["decisions"],
): Promise<Pick<Snapshot, "decisions" | "hasEarlierDecisions">> {
  const hasEarlierDecisions = known.length >= DECISIONS_PER_PAGE;
  if (!hasEarlierDecisions || since === undefined || known[0]!.time <= since)
    return { decisions: known, hasEarlierDecisions };
  const query = { before: known[0]!.id, limit: DECISIONS_PER_PAGE };
  const page = await take(api.workspaces({ id }).decisions.get({ query }));
  if (page.length < DECISIONS_PER_PAGE) return { decisions: [...page, ...known], hasEarlierDecisions: false };
  return decisionsSince(id, since, [...page, ...known]);
}

/** Reads turns before `before`, back to the one that the first entry needs. */
async function turnsBefore(
  id: number,
  before: number | undefined,
  needed: number | undefined,
): Promise<Snapshot["turns"]> {
  const found: Snapshot["turns"][number][] = [];
  let first = before;
  for (;;) {
    if (first === undefined || needed === undefined || first <= needed) return found;
    const page = await take(
      api.workspaces({ id }).turns.get({ query: { before: first, limit: TURNS_PER_PAGE } }),
    );
    if (page.length === 0) return found;
    found.unshift(...page);
    first = page[0]!.id;
  }
}

type SetState = (change: (before: WorkspaceState | undefined) => WorkspaceState | undefined) => unknown;

async function readEarlier(
  id: number,
  state: Accessor<WorkspaceState | undefined>,
  setState: SetState,
): Promise<void> {
  const first = state()?.entries[0];
  const branch = state()?.branchChanges;
  if (!first || !state()?.hasEarlier) return;
  const page = await take(
    api.workspaces({ id }).entries.get({ query: { before: first.id, limit: ENTRIES_PER_PAGE } }),
  );
  const turns = await turnsBefore(id, state()?.turns[0]?.id, page[0]?.turn_id);
  const known = state()?.hasEarlierDecisions ? state()!.decisions : [];
  const earlier = await decisionsSince(id, page[0]?.created_at, known);
  // The page belongs to a branch that was left since.
  if (state()?.branchChanges !== branch) return;
  setState(
    (before) =>
      before && {
        ...before,
        ...(known.length > 0 && {
          decisions: [...earlier.decisions.filter((one) => one.id < known[0]!.id), ...before.decisions],
          hasEarlierDecisions: earlier.hasEarlierDecisions,
        }),
        turns: [...turns.filter((turn) => turn.id < (before.turns[0]?.id ?? Infinity)), ...before.turns],
        entries: [...page.filter((entry) => entry.id < before.entries[0]!.id), ...before.entries],
        hasEarlier: page.length === ENTRIES_PER_PAGE,
      },
  );
}

/** After a switch of the branch, reads its newest entries. After another one, the answer is of no use. */
function keepBranch(
  id: number,
  state: Accessor<WorkspaceState | undefined>,
  setState: SetState,
): () => Promise<void> {
  let reading = Promise.resolve();
  const read = async (branch: number) => {
    const entries = await take(api.workspaces({ id }).entries.get({ query: { limit: ENTRIES_AT_FIRST } }));
    const turns = await turnsBefore(id, state()?.turns[0]?.id, entries[0]?.turn_id);
    if (state()?.branchChanges !== branch) return;
    const last = entries.at(-1)?.id ?? 0;
    setState(
      (before) =>
        before && {
          ...before,
          turns: [...turns.filter((turn) => turn.id < (before.turns[0]?.id ?? Infinity)), ...before.turns],
          entries: [...entries, ...before.entries.filter((entry) => entry.id > last)],
          hasEarlier: entries.length === ENTRIES_AT_FIRST,
        },
    );
  };
  const switches = createMemo(() => state()?.branchChanges);
  createEffect(
    on(switches, (changes) => {
      // The feed shows a lost connection.
      if (changes) reading = read(changes).catch(() => undefined);
    }),
  );
  return () => reading;
}

/** Only the server sums usage, so it is read again when a model call ends. */
function keepUsage(id: number, state: Accessor<WorkspaceState | undefined>, setState: SetState): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  let shown = 0;
  const read = async () => {
    timer = undefined;
    const turn = (asked += 1);
    try {
      const usage = await take(api.workspaces({ id }).usage.get());
      if (turn < shown) return;
      shown = turn;
      setState((before) => before && { ...before, usage });
    } catch {
      // The next model call reads it again, and the feed shows a lost connection.
    }
  };
  // Without the memo, each reading would be a change of the state, and so the cause of the next.
  const spending = createMemo(() => state()?.usageChanges);
  createEffect(
    on(spending, (changes) => {
      if (changes) timer ??= setTimeout(() => void read(), USAGE_DELAY_MS);
    }),
  );
  onCleanup(() => clearTimeout(timer));
}

interface WorkspaceEventInput {
  readonly id: number | null;
  readonly type: string;
  readonly data: { turn_id: number | null; time?: string; data: unknown };
}

/** Batches events per animation frame, so that fast streams cost at most one update per frame. */
function createInbox(handOver: (events: WorkspaceEvent[]) => void) {
  let waiting: WorkspaceEvent[] = [];
  let lastId: number | undefined;
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = 0;
    timer = undefined;
    const events = waiting;
    waiting = [];
    if (events.length > 0) handOver(events);
  };
  return {
    lastId: () => lastId,
    push(events: readonly WorkspaceEventInput[]) {
      for (const { id, type, data } of events) {
        if (id !== null) lastId = id;
        waiting.push({
          id,
          type,
          turn_id: data.turn_id,
          time: data.time ?? new Date().toISOString(),
          data: data.data,
        } as WorkspaceEvent);
      }
      // Both, because frames stop when the tab is hidden.
      if (frame === 0) frame = requestAnimationFrame(flush);
      timer ??= setTimeout(flush, HIDDEN_FLUSH_MS);
    },
    dispose: flush,
  };
}
