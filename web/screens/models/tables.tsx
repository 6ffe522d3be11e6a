// The catalogue as two tables: models, and their providers. A row opens its detail beside them.

import Box from "lucide-solid/icons/box";
import Plus from "lucide-solid/icons/plus";
import { createMemo, createSignal, For, type JSX, Show } from "solid-js";
import type { Model, Provider } from "../../../src/service/catalog/schema.ts";
import { Button } from "../../kit/button.tsx";
import { plural, priceText, tokens } from "../../kit/format.ts";
import { SearchBox } from "../../kit/search-box.tsx";
import { Empty } from "../../kit/states.tsx";
import { type Column, found, Table } from "../../kit/table.tsx";
import { isAdmin } from "../../state/session.ts";
import { isExample, typeTitle } from "../../parts/catalog/provider-words.ts";

export interface Catalogue {
  readonly providers: readonly Provider[];
  readonly models: readonly Model[];
}

/** The content of the side pane. */
interface Opened {
  readonly kind: string;
  readonly id: number;
}

interface TablesProps {
  readonly catalogue: Catalogue;
  readonly opened: Opened | undefined;
  readonly onOpen: (what: string | undefined) => void;
}

export function Tables(props: TablesProps): JSX.Element {
  const [search, setSearch] = createSignal("");
  const counts = createMemo(() => Map.groupBy(props.catalogue.models, ({ provider_id: id }) => id));
  const providers = createMemo(() =>
    found(props.catalogue.providers, search(), (one) => `${one.name} ${one.base_url} ${typeTitle(one.type)}`),
  );
  const hasProviders = () => props.catalogue.providers.length > 0;
  return (
    <div class="body models">
      <section>
        <div class="title">
          <h1>Models</h1>
          <Show when={hasProviders()}>
            <div class="end">
              <SearchBox label="Search models" value={search()} onInput={setSearch} />
              <Button kind="primary" onClick={() => props.onOpen("new-models")}>
                <Plus aria-hidden="true" />
                Add models
              </Button>
            </div>
          </Show>
        </div>
        <Show when={!isAdmin()}>
          <p class="lead">
            Everyone can add models of these providers. Only admins can edit and delete models and manage
            providers.
          </p>
        </Show>
        <Show when={hasProviders()} fallback={<NoProviders onAdd={() => props.onOpen("new-provider")} />}>
          <Models {...props} search={search()} />
        </Show>
      </section>
      <Show when={hasProviders()}>
        <section aria-labelledby="providers-title">
          <div class="title">
            <h2 id="providers-title" class="pane-title">
              Providers
            </h2>
            <span class="muted">{plural(props.catalogue.providers.length, "provider")}</span>
            <Show when={isAdmin()}>
              <div class="end">
                <Button onClick={() => props.onOpen("new-provider")}>
                  <Plus aria-hidden="true" />
                  Add provider
                </Button>
              </div>
            </Show>
          </div>
          <Table
            label="Providers"
            rows={providers()}
            columns={providerColumns((id) => counts().get(id)?.length ?? 0)}
            key={({ id }) => id}
            chosen={chosenId(props.opened, "provider")}
            onChoose={({ id }) => props.onOpen(`provider-${id}`)}
          />
        </section>
      </Show>
    </div>
  );
}

function Models(props: TablesProps & { readonly search: string }): JSX.Element {
  const models = createMemo(() =>
    found(
      props.catalogue.models,
      props.search,
      (one) => `${one.label} ${one.model_name} ${one.provider_name}`,
    ),
  );
  return (
    <Show
      when={models().length > 0}
      fallback={
        <p class="muted" role="status">
          {props.catalogue.models.length === 0
            ? "No models yet. Workspaces need at least one."
            : "No matching models."}
        </p>
      }
    >
      <div class="models-table">
        <Table
          label="Models"
          rows={models()}
          columns={modelColumns}
          key={({ id }) => id}
          chosen={chosenId(props.opened, "model")}
          onChoose={({ id }) => props.onOpen(`model-${id}`)}
        />
      </div>
      <p class="small muted">Prices are in $ per million tokens; – means unknown, not free.</p>
    </Show>
  );
}

function chosenId(opened: Opened | undefined, kind: string): number | undefined {
  return opened?.kind === kind ? opened.id : undefined;
}

function NoProviders(props: { readonly onAdd: () => void }): JSX.Element {
  return (
    <Empty
      title="No providers yet"
      icon={<Box aria-hidden="true" />}
      actions={
        <Show when={isAdmin()}>
          <Button kind="primary" onClick={props.onAdd}>
            Add provider
          </Button>
        </Show>
      }
    >
      A provider runs models for your agents: Anthropic, OpenAI, or a server of your own.
      <Show when={!isAdmin()}> Ask an admin to add one.</Show>
    </Empty>
  );
}

function providerColumns(modelsOf: (id: number) => number): Column<Provider>[] {
  return [
    { title: "Name", cell: (one) => <span dir="auto">{one.name}</span>, sortBy: (one) => one.name },
    { title: "Type", cell: (one) => typeTitle(one.type), tight: true, optional: true },
    {
      title: "Address",
      cell: (one) =>
        isExample(one.type) ? (
          <span class="muted">in this server</span>
        ) : (
          <span class="mono">{one.base_url}</span>
        ),
      optional: true,
    },
    {
      title: "Key",
      tight: true,
      cell: (one) => (one.has_key ? "stored" : <span class="muted">none</span>),
    },
    {
      title: "Models",
      number: true,
      cell: (one) => modelsOf(one.id),
      sortBy: (one) => modelsOf(one.id),
    },
  ];
}

const figureColumns: readonly Column<Model>[] = [
  size("Context", (one) => one.context_tokens),
  price("Input", (one) => one.input_price),
  price("Cached", (one) => one.cached_input_price),
  price("Output", (one) => one.output_price),
];

const modelColumns: readonly Column<Model>[] = [
  {
    title: "Model",
    sortBy: (one) => one.label,
    cell: (one) => (
      <>
        <div dir="auto">{one.label}</div>
        <Show when={one.label !== one.model_name}>
          <div class="mono muted">{one.model_name}</div>
        </Show>
        <Figures model={one} />
      </>
    ),
  },
  { title: "Provider", cell: (one) => one.provider_name, sortBy: (one) => one.provider_name, optional: true },
  ...figureColumns,
];

function size(title: string, of: (model: Model) => number | null): Column<Model> {
  return {
    title,
    number: true,
    optional: true,
    sortBy: (one) => of(one) ?? -1,
    cell: (one) => known(of(one), tokens),
  };
}

function price(title: string, of: (model: Model) => number | null): Column<Model> {
  return {
    title,
    number: true,
    optional: true,
    sortBy: (one) => of(one) ?? -1,
    cell: (one) => known(of(one), priceText),
  };
}

/** The values that wide layouts show as columns. */
function Figures(props: { readonly model: Model }): JSX.Element {
  return (
    <dl class="compact models-figures small num">
      <For each={figureColumns}>
        {({ title, cell }) => (
          <div>
            <dt>{title}</dt>
            <dd>{cell(props.model)}</dd>
          </div>
        )}
      </For>
    </dl>
  );
}

function known(value: number | null, shown: (value: number) => string): JSX.Element {
  return value === null ? (
    <span class="faint">
      <span aria-hidden="true">–</span>
      <span class="visually-hidden">unknown</span>
    </span>
  ) : (
    shown(value)
  );
}
