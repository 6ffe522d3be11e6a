// One audit record: its fields, and the hashes that chain it to its neighbours.

import { A } from "@solidjs/router";
import Funnel from "lucide-solid/icons/funnel";
import X from "lucide-solid/icons/x";
import { For, type JSX, Show } from "solid-js";
import type { ListedRecord } from "../../../src/service/audit/schema.ts";
import { IconButton } from "../../kit/button.tsx";
import { exactTime } from "../../kit/format.ts";
import { CopyButton } from "../../kit/pieces.tsx";
import { usersQuery } from "../../state/lists.ts";
import { AUTH_NAMES, isUnreadable } from "./record-words.ts";

interface DetailProps {
  readonly record: ListedRecord;
  readonly onNarrow: (filter: { action?: string; actor?: string }) => void;
  readonly onClose: () => void;
}

export function RecordDetail(props: DetailProps): JSX.Element {
  const details = () => Object.entries(props.record.detail);
  const people = usersQuery();
  /** A person by the present name and the number; only the number of one who was deleted. */
  const detailText = (name: string, value: unknown) => {
    const person = name === "user" ? people.data()?.find(({ id }) => id === value) : undefined;
    return person ? `${person.name} (${person.id})` : String(value);
  };
  return (
    <>
      <header class="section">
        <div class="row audit-head">
          <h2 class="pane-title ellipsis" title={props.record.action}>
            {props.record.action}
          </h2>
          <span class="tag">no. {props.record.seq}</span>
          <span class="end row">
            <CopyButton text={JSON.stringify(props.record, null, 2)} label="Copy record" />
            <IconButton small label="Close" onClick={() => props.onClose()}>
              <X aria-hidden="true" />
            </IconButton>
          </span>
        </div>
        <Show when={isUnreadable(props.record)}>
          <p class="notice bad">
            <span>
              Unreadable: this record was changed in the database, and its content is lost. Verify the audit
              to find the first broken record.
            </span>
          </p>
        </Show>
      </header>
      <Show when={!isUnreadable(props.record)}>
        <Facts record={props.record} onNarrow={props.onNarrow} onClose={props.onClose} />
        <Show when={details().length > 0}>
          <section class="section">
            <h3>Detail</h3>
            <dl class="facts">
              <For each={details()}>
                {([name, value]) => (
                  <>
                    <dt>{name}</dt>
                    <dd dir="auto">{detailText(name, value)}</dd>
                  </>
                )}
              </For>
            </dl>
          </section>
        </Show>
      </Show>
      <section class="section">
        <h3>Hashes</h3>
        <dl class="audit-hashes">
          <Hash name="Content" hash={props.record.content_hash} none="none" />
          <Hash name="This record" hash={props.record.hash} />
          <Hash name="Previous record" hash={props.record.prev} />
        </dl>
      </section>
    </>
  );
}

function Facts(props: DetailProps): JSX.Element {
  const record = () => props.record;
  return (
    <section class="section">
      <dl class="facts audit-facts">
        <dt>Time</dt>
        <dd>
          <Show when={record().time} fallback="unknown">
            {(time) => <time dateTime={time()}>{exactTime(time())}</time>}
          </Show>
        </dd>
        <dt>Who</dt>
        <dd class="row">
          <span dir="auto">{record().actor}</span>
          <span class="muted">{record().role}</span>
          <IconButton
            small
            label={`Show only ${record().actor}`}
            onClick={() => props.onNarrow({ actor: record().actor })}
          >
            <Funnel aria-hidden="true" />
          </IconButton>
        </dd>
        <dt>Signed in by</dt>
        <dd>{AUTH_NAMES[record().auth]}</dd>
        <Show when={record().address !== ""}>
          <dt>Address</dt>
          <dd>
            <code>{record().address}</code>
          </dd>
        </Show>
        <dt>Action</dt>
        <dd class="row">
          <code>{record().action}</code>
          <IconButton
            small
            label={`Show only ${record().action}`}
            onClick={() => props.onNarrow({ action: record().action })}
          >
            <Funnel aria-hidden="true" />
          </IconButton>
        </dd>
        <dt>Target</dt>
        <dd>
          <Target record={record()} />{" "}
          <Show when={record().target_name}>
            <code class="muted">{record().target}</code>
          </Show>
        </dd>
        <Show when={record().request_id !== ""}>
          <dt>Request</dt>
          <dd>
            <code>{record().request_id}</code>
          </dd>
        </Show>
      </dl>
    </section>
  );
}

const PLACES: Readonly<Record<string, string>> = {
  gear: "/gears/",
  instruction: "/library/",
  workspace: "/workspaces/",
};

/** The target of the record: by its name where that is known, and linked where it has a page. */
export function Target(props: { readonly record: ListedRecord }): JSX.Element {
  const about = () => {
    const [noun = "", id = ""] = props.record.target.split(":");
    const place = PLACES[noun];
    const exists = !props.record.action.endsWith(".delete");
    return { noun, href: place !== undefined && exists ? `${place}${id}` : undefined };
  };
  /** A file of the target. */
  const path = () =>
    typeof props.record.detail["path"] === "string" ? props.record.detail["path"] : undefined;
  return (
    <Show when={props.record.target_name} fallback={<code>{props.record.target}</code>}>
      {(name) => (
        <span class="audit-target" title={props.record.target}>
          <span class="muted">{about().noun} </span>
          <Show when={about().href} fallback={<bdi>{name()}</bdi>}>
            {(href) => (
              <A href={href()} onClick={(event) => event.stopPropagation()}>
                <bdi>{name()}</bdi>
              </A>
            )}
          </Show>
          <Show when={path()}>{(file) => <bdi class="mono audit-path"> {file()}</bdi>}</Show>
        </span>
      )}
    </Show>
  );
}

function Hash(props: {
  readonly name: string;
  readonly hash: string | null;
  readonly none?: string;
}): JSX.Element {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>
        <Show when={props.hash} fallback={<span class="muted">{props.none ?? "none"}</span>}>
          {(hash) => (
            <span class="row">
              <code class="wrap">{hash()}</code>
              <CopyButton text={hash()} label={`Copy hash: ${props.name}`} />
            </span>
          )}
        </Show>
      </dd>
    </div>
  );
}
