// The catalogue: providers and models in two tables, with details and forms beside them. The address names the open one.

import { useSearchParams } from "@solidjs/router";
import { createMemo, createSignal, type JSX, Match, Show, Switch } from "solid-js";
import type { Provider } from "../../../src/service/catalog/schema.ts";
import { useActions } from "../../frame/offered-actions.ts";
import { useCrumbs } from "../../frame/top-line.tsx";
import { keptRecord } from "../../kit/deleted.tsx";
import { Select } from "../../kit/form.tsx";
import { unlessMovedOn } from "../../kit/moved-on.ts";
import { SideHead } from "../../kit/side-head.tsx";
import { Split } from "../../kit/split.tsx";
import { Loaded, NotFound } from "../../kit/states.tsx";
import { modelsQuery, providersQuery } from "../../state/lists.ts";
import { isAdmin } from "../../state/session.ts";
import { ModelDetail, ProviderDetail } from "./details.tsx";
import { ModelPicker } from "../../parts/catalog/model-picker.tsx";
import { NewProvider } from "../../parts/catalog/provider-form.tsx";
import { typeTitle } from "../../parts/catalog/provider-words.ts";
import { type Catalogue, Tables } from "./tables.tsx";
import "./models.css";

const OPENED = /^(?:(provider|model)-([1-9]\d*)|(new-provider|new-models))$/;

export function Models(): JSX.Element {
  useCrumbs(() => [{ name: "Models" }]);
  const providers = providersQuery();
  const models = modelsQuery();
  const [params, setParams] = useSearchParams<{ open: string }>();
  const open = (what: string | undefined) => setParams({ open: what }, { scroll: false });
  useActions(() => [
    ...(isAdmin() ? [{ label: "Add provider", run: () => open("new-provider") }] : []),
    ...(providers.data()?.length ? [{ label: "Add models", run: () => open("new-models") }] : []),
  ]);
  const opened = createMemo(() => {
    const match = OPENED.exec(params.open ?? "");
    return match ? { kind: match[1] ?? match[3]!, id: Number(match[2]) } : undefined;
  });
  return (
    <Loaded query={providers} page="Models">
      {(knownProviders) => (
        <Loaded query={models} page="Models">
          {(knownModels) => {
            const catalogue = () => ({ providers: knownProviders(), models: knownModels() });
            return (
              <Split
                name="models"
                size={400}
                min={320}
                sideLabel="Details"
                open={opened() !== undefined}
                onClose={() => open(undefined)}
                main={<Tables catalogue={catalogue()} opened={opened()} onOpen={open} />}
                side={
                  <Show when={opened()} keyed>
                    {(what) => <Side what={what} catalogue={catalogue()} onOpen={open} />}
                  </Show>
                }
              />
            );
          }}
        </Loaded>
      )}
    </Loaded>
  );
}

function Side(props: {
  readonly what: { readonly kind: string; readonly id: number };
  readonly catalogue: Catalogue;
  readonly onOpen: (what: string | undefined) => void;
}): JSX.Element {
  const provider = keptRecord(() => props.catalogue.providers.find(({ id }) => id === props.what.id));
  const model = keptRecord(() => props.catalogue.models.find(({ id }) => id === props.what.id));
  const close = () => props.onOpen(undefined);
  const show = unlessMovedOn(({ id }: Provider) => props.onOpen(`provider-${id}`));
  const leave = unlessMovedOn(close);
  return (
    <Switch fallback={<NotFound what={props.what.kind} out={{ name: "Close", go: close }} />}>
      <Match when={props.what.kind === "new-provider" && isAdmin()}>
        <SideHead title="Add provider" onClose={close} />
        <section class="section">
          <NewProvider
            others={props.catalogue.providers}
            action="Add provider"
            onMade={show}
            onCancel={close}
          />
        </section>
      </Match>
      <Match when={props.what.kind === "new-models" && props.catalogue.providers.length > 0}>
        <SideHead title="Add models" onClose={close} />
        <NewModels catalogue={props.catalogue} />
      </Match>
      <Match when={props.what.kind === "provider" && provider.record()}>
        {(one) => (
          <>
            <SideHead title={one().name} tag={typeTitle(one().type)} onClose={close} />
            <ProviderDetail
              provider={one()}
              deleted={provider.deleted()}
              models={props.catalogue.models}
              onGone={leave}
            />
          </>
        )}
      </Match>
      <Match when={props.what.kind === "model" && model.record()}>
        {(one) => (
          <>
            <SideHead title={one().label} tag={one().provider_name} onClose={close} />
            <ModelDetail model={one()} deleted={model.deleted()} onGone={leave} />
          </>
        )}
      </Match>
    </Switch>
  );
}

function NewModels(props: { readonly catalogue: Catalogue }): JSX.Element {
  const [id, setId] = createSignal(props.catalogue.providers[0]!.id);
  const provider = () =>
    props.catalogue.providers.find((one) => one.id === id()) ?? props.catalogue.providers[0]!;
  return (
    <section class="section form">
      <Show when={props.catalogue.providers.length > 1}>
        <Select
          label="Provider"
          value={String(id())}
          choices={props.catalogue.providers.map((one) => ({ value: String(one.id), label: one.name }))}
          onChange={(value) => setId(Number(value))}
        />
      </Show>
      {/* A form for each, which a change of its provider does not end. */}
      <Show when={provider().id} keyed>
        {(chosen) => (
          <ModelPicker
            provider={props.catalogue.providers.find((one) => one.id === chosen) ?? provider()}
            models={props.catalogue.models}
            onAdded={() => {}}
            askNow
          />
        )}
      </Show>
    </section>
  );
}
