// The list of gears with their status, and the form for a new one.

import { A, useNavigate, useSearchParams } from "@solidjs/router";
import Cog from "lucide-solid/icons/cog";
import Plus from "lucide-solid/icons/plus";
import { type JSX, Match, Show, Switch } from "solid-js";
import type { Gear, GearStatus } from "../../../src/service/gears/schema.ts";
import { useCrumbs } from "../../frame/top-line.tsx";
import { capitalized, plural } from "../../kit/format.ts";
import { Select } from "../../kit/form.tsx";
import { keptScroll } from "../../kit/kept-scroll.ts";
import { Time } from "../../kit/pieces.tsx";
import { SearchBox } from "../../kit/search-box.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { type Column, found, Table } from "../../kit/table.tsx";
import { MissingImages } from "../../parts/isolation/missing-images.tsx";
import { gearsQuery, isolationQuery } from "../../state/lists.ts";
import { RUNTIME_NAMES, STATUS_NAMES, StatusTag } from "../../parts/gear/gear-words.tsx";
import { NewGear } from "./new-gear.tsx";
import "./gears.css";

const NEW = "/gears?new=1";

export function Gears(): JSX.Element {
  const [params] = useSearchParams<{ new: string }>();
  useCrumbs(() =>
    params.new ? [{ name: "Gears", path: "/gears" }, { name: "Create gear" }] : [{ name: "Gears" }],
  );
  const gears = gearsQuery();
  return (
    <Show when={!params.new} fallback={<NewGear />}>
      <Loaded query={gears} what="list" page="Gears">
        {(list) => (
          <Show when={list().length > 0} fallback={<NoGears />}>
            <GearList gears={list()} />
          </Show>
        )}
      </Loaded>
    </Show>
  );
}

function NoGears(): JSX.Element {
  return (
    <div class="body">
      <div class="title">
        <h1>Gears</h1>
      </div>
      <Empty
        title="No gears yet"
        icon={<Cog aria-hidden="true" />}
        actions={
          <A class="btn primary" href={NEW}>
            Create gear
          </A>
        }
      >
        A gear is a small program that agents can call. It receives its arguments as JSON, and its output is
        the result. Agents can write gears themselves, but cannot run one until an admin has approved exactly
        that program.
      </Empty>
    </div>
  );
}

const columns: readonly Column<Gear>[] = [
  {
    title: "Name",
    cell: (gear) => (
      <div class="gears-name">
        {/* The row is the stop of the Tab key; the link is for a new tab. */}
        <A class="mono ellipsis" href={`/gears/${gear.id}/review`} title={gear.name} tabIndex={-1}>
          {gear.name}
        </A>
        <Show when={gear.description}>
          <span class="small muted ellipsis" dir="auto" title={gear.description}>
            {gear.description}
          </span>
        </Show>
      </div>
    ),
    sortBy: (gear) => gear.name,
  },
  { title: "Status", cell: (gear) => <StatusTag gear={gear} />, sortBy: (gear) => gear.status },
  {
    title: "Runtime",
    optional: true,
    cell: (gear) => RUNTIME_NAMES[gear.runtime],
    sortBy: (gear) => gear.runtime,
  },
  {
    title: "Version",
    number: true,
    optional: true,
    cell: (gear) => gear.version,
    sortBy: (gear) => gear.version,
  },
  {
    title: "From",
    optional: true,
    cell: (gear) => (
      <bdi title={gear.forged_by === null ? undefined : `forged by ${gear.forged_by}, for ${gear.author}`}>
        {gear.forged_by ?? gear.author}
      </bdi>
    ),
    sortBy: (gear) => gear.forged_by ?? gear.author,
  },
  {
    title: "Tags",
    optional: true,
    cell: (gear) => (
      <span class="gears-tags">
        {gear.tags.map((tag) => (
          <span class="tag" dir="auto">
            {tag}
          </span>
        ))}
      </span>
    ),
  },
  {
    title: "Updated",
    number: true,
    optional: true,
    cell: (gear) => <Time time={gear.updated_at} />,
    sortBy: (gear) => gear.updated_at,
    tight: true,
  },
];

function GearList(props: { readonly gears: readonly Gear[] }): JSX.Element {
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams<{ search: string; status: string }>();
  const count = (status: GearStatus) => props.gears.filter((gear) => gear.status === status).length;
  const choices = () => [
    { value: "", label: `All (${props.gears.length})` },
    ...(["pending", "approved", "disabled"] as const).map((status) => ({
      value: status,
      label: `${capitalized(STATUS_NAMES[status])} (${count(status)})`,
    })),
  ];
  const shown = () =>
    found(
      props.gears.filter((gear) => !params.status || gear.status === params.status),
      params.search ?? "",
      (gear) =>
        `${gear.name} ${gear.description} ${gear.tags.join(" ")} ${gear.author} ${gear.forged_by ?? ""} ${gear.runtime}`,
    );
  return (
    <div class="body gears">
      <div class="title">
        <h1>Gears</h1>
        <div class="end">
          <SearchBox
            label="Search gears"
            value={params.search ?? ""}
            onInput={(search) => setParams({ search: search || undefined }, { replace: true })}
          />
          <A class="btn primary" href={NEW}>
            <Plus aria-hidden="true" />
            Create gear
          </A>
        </div>
      </div>
      <Isolation gear={props.gears[0]} />
      <div class="gears-filter">
        <Select
          label="Status"
          value={params.status ?? ""}
          choices={choices()}
          onChange={(status) => setParams({ status: status || undefined }, { replace: true })}
        />
        <span class="small muted gears-count" role="status">
          {plural(shown().length, "gear")}
        </span>
      </div>
      <Switch>
        <Match when={shown().length === 0}>
          <Empty title="No matching gears">Try another search or status.</Empty>
        </Match>
        <Match when={true}>
          <div class="gears-table" ref={keptScroll}>
            <Table
              label="Gears"
              rows={shown()}
              columns={columns}
              key={(gear) => gear.id}
              onChoose={(gear) => navigate(`/gears/${gear.id}/review`)}
            />
          </div>
        </Match>
      </Switch>
    </div>
  );
}

/** The server's statement, which every gear carries, and what keeps gears from running. */
function Isolation(props: { readonly gear: Gear | undefined }): JSX.Element {
  const isolation = isolationQuery();
  return (
    <Show when={props.gear}>
      {(gear) => (
        <>
          <p class="lead" classList={{ "gear-bad": !gear().isolated }}>
            {gear().isolation}
          </p>
          <MissingImages missing={isolation.data()?.missing ?? []} />
        </>
      )}
    </Show>
  );
}
