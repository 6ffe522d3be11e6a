// The library: instructions in a table, and the selected one beside it.

import { A, useNavigate, useParams } from "@solidjs/router";
import BookOpen from "lucide-solid/icons/book-open";
import Plus from "lucide-solid/icons/plus";
import ShieldCheck from "lucide-solid/icons/shield-check";
import { createMemo, createSignal, type JSX, Show } from "solid-js";
import type { InstructionSummary } from "../../../src/service/library/schema.ts";
import { useCrumbs } from "../../frame/top-line.tsx";
import { Button } from "../../kit/button.tsx";
import { plural } from "../../kit/format.ts";
import { NameList, Time } from "../../kit/pieces.tsx";
import { createPlaced } from "../../kit/quiet.ts";
import { SearchBox } from "../../kit/search-box.tsx";
import { Split } from "../../kit/split.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { type Column, found, Table } from "../../kit/table.tsx";
import { instructionsQuery } from "../../state/lists.ts";
import { InstructionDetail } from "./instruction.tsx";
import { NewInstruction } from "./new-instruction.tsx";
import { proposalsQuery } from "./queries.ts";
import "./library.css";

const columns: readonly Column<InstructionSummary>[] = [
  {
    title: "Name",
    cell: (row) => (
      <span class="library-name" dir="auto">
        {row.name}
      </span>
    ),
    sortBy: (row) => row.name,
  },
  { title: "Version", cell: (row) => row.version, sortBy: (row) => row.version, number: true },
  {
    title: "Author",
    cell: (row) => <span dir="auto">{row.author}</span>,
    sortBy: (row) => row.author,
    optional: true,
  },
  {
    title: "Updated",
    cell: (row) => <Time time={row.updated_at} />,
    sortBy: (row) => row.updated_at,
    number: true,
  },
];

export function Library(): JSX.Element {
  const params = useParams<{ id?: string }>();
  const navigate = useNavigate();
  const list = instructionsQuery();
  const [adding, setAdding] = createSignal(false);
  const chosen = createMemo(() => (params.id === undefined ? undefined : Number(params.id)));
  const name = () => list.data()?.find(({ id }) => id === chosen())?.name;
  useCrumbs(() =>
    chosen() === undefined
      ? [{ name: "Library" }]
      : [{ name: "Library", path: "/library" }, { name: name() ?? (list.data() ? "Not found" : "…") }],
  );
  const choose = (id: number | undefined) => {
    setAdding(false);
    navigate(id === undefined ? "/library" : `/library/${id}`, { scroll: false });
  };
  const add = () => setAdding(true);
  return (
    <Split
      name="library"
      size={560}
      min={360}
      max={1100}
      sideLabel="Instruction"
      open={adding() || chosen() !== undefined}
      onClose={() => choose(undefined)}
      main={
        <Loaded query={list} page="Library">
          {(rows) => (
            <Body>
              <Show when={rows().length > 0} fallback={<NoInstructions onAdd={add} />}>
                <Instructions rows={rows()} chosen={chosen()} onChoose={choose} onAdd={add} />
              </Show>
            </Body>
          )}
        </Loaded>
      }
      side={
        <Show
          when={adding()}
          fallback={
            <Show when={chosen()} keyed>
              {(id) => <InstructionDetail id={id} onClose={() => choose(undefined)} />}
            </Show>
          }
        >
          <NewInstruction onMade={choose} onCancel={() => setAdding(false)} />
        </Show>
      }
    />
  );
}

/** Shown with the notice of pending proposals, if there are any. */
function Body(props: { readonly children: JSX.Element }): JSX.Element {
  const placing = createPlaced();
  return <div class={`body ${placing()}`}>{props.children}</div>;
}

function Instructions(props: {
  readonly rows: readonly InstructionSummary[];
  readonly chosen: number | undefined;
  readonly onChoose: (id: number) => void;
  readonly onAdd: () => void;
}): JSX.Element {
  const [search, setSearch] = createSignal("");
  const shown = createMemo(() => found(props.rows, search(), (row) => `${row.name} ${row.author}`));
  return (
    <>
      <div class="title">
        <h1>Library</h1>
        <div class="end">
          <SearchBox label="Search instructions" value={search()} onInput={setSearch} />
          <Button kind="primary" onClick={() => props.onAdd()}>
            <Plus aria-hidden="true" />
            Create instruction
          </Button>
        </div>
      </div>
      <p class="lead">
        Instructions tell agents how to work. An instruction that is bound to a workspace or an agent is part
        of every prompt there, always in its newest version.
      </p>
      <Waiting />
      <Show
        when={shown().length > 0}
        fallback={<Empty title="No matching instructions">No name or author contains “{search()}”.</Empty>}
      >
        <Table
          label="Instructions"
          rows={shown()}
          columns={columns}
          key={(row) => row.id}
          chosen={props.chosen}
          onChoose={(row) => props.onChoose(row.id)}
        />
      </Show>
    </>
  );
}

/** Points to the proposals of agents, which are decided under Approvals. */
function Waiting(): JSX.Element {
  const proposals = proposalsQuery();
  const names = () => [...new Set(proposals.data()?.map(({ name }) => name))];
  return (
    <Show when={proposals.data()?.length}>
      {(waiting) => (
        <div class="notice wait library-waiting">
          <ShieldCheck aria-hidden="true" />
          <div>
            {plural(waiting(), "pending proposal")} by agents: <NameList names={names()} />
          </div>
          <A href="/approvals" class="btn small">
            Review
          </A>
        </div>
      )}
    </Show>
  );
}

function NoInstructions(props: { readonly onAdd: () => void }): JSX.Element {
  return (
    <>
      <div class="title">
        <h1>Library</h1>
      </div>
      <Waiting />
      <Empty
        title="No instructions yet"
        icon={<BookOpen aria-hidden="true" />}
        actions={
          <Button kind="primary" onClick={() => props.onAdd()}>
            Create instruction
          </Button>
        }
      >
        An instruction tells agents how to work: a tone, a rule, a procedure. Bind it to workspaces or single
        agents, and it becomes part of their prompts. Every change is kept as a version.
      </Empty>
    </>
  );
}
