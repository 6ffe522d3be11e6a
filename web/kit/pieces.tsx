// Small pieces that many screens show: avatars, times, copy buttons, share bars.

import Check from "lucide-solid/icons/check";
import Copy from "lucide-solid/icons/copy";
import { createSignal, For, type JSX, onCleanup } from "solid-js";
import { aheadMs } from "../api/server-clock.ts";
import { IconButton } from "./button.tsx";
import { ago, exactTime, initials, moment } from "./format.ts";

const COPIED_SHOWN_MS = 1_500;
const NOW_EVERY_MS = 30_000;

/** Of a person by name, or of an agent by its look (state/agent-look.ts). Decorative: the name stands beside it. */
export function Avatar(
  props: ({ readonly name: string } | { readonly initials: string; readonly colour: number }) & {
    readonly size?: "small" | "large" | undefined;
  },
): JSX.Element {
  return (
    <span
      class={`avatar ${"colour" in props ? `agent-${props.colour}` : "person"} ${props.size ?? ""}`}
      aria-hidden="true"
    >
      {"colour" in props ? props.initials : initials(props.name)}
    </span>
  );
}

/** A line of names. Each keeps its own direction: one in Arabic turns neither the line nor its neighbours. */
export function NameList(props: { readonly names: readonly string[] }): JSX.Element {
  return (
    <For each={props.names}>
      {(name, index) => (
        <>
          {index() > 0 ? ", " : ""}
          <bdi>{name}</bdi>
        </>
      )}
    </For>
  );
}

const [read, setRead] = createSignal(Date.now());
setInterval(() => setRead(Date.now()), NOW_EVERY_MS);
/** The server's time, updated twice a minute. */
export const now = () => read() + aheadMs();

/** `relative`: as an age; otherwise the time of day or the date. The tooltip has the exact time. */
export function Time(props: { readonly time: string; readonly relative?: boolean }): JSX.Element {
  return (
    <time dateTime={props.time} title={exactTime(props.time)}>
      {props.relative ? ago(props.time, now()) : moment(props.time)}
    </time>
  );
}

export function CopyButton(props: { readonly text: string; readonly label: string }): JSX.Element {
  const [copied, setCopied] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const copy = async () => {
    await copyText(props.text);
    setCopied(true);
    clearTimeout(timer);
    timer = setTimeout(() => setCopied(false), COPIED_SHOWN_MS);
  };
  return (
    <IconButton small label={copied() ? "Copied" : props.label} onClick={() => void copy()}>
      {copied() ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
    </IconButton>
  );
}

/** Pages over plain HTTP from another machine have no clipboard API. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

export interface Share {
  readonly label: string;
  /** From 0 to 1. */
  readonly share: number;
  readonly colour: string;
}

export function ShareBar(props: { readonly shares: readonly Share[]; readonly label: string }): JSX.Element {
  const text = () =>
    `${props.label}: ${props.shares.map(({ label, share }) => `${label} ${Math.round(share * 100)}%`).join(", ")}`;
  return (
    <div class="bar" role="img" aria-label={text()} title={text()}>
      <For each={props.shares}>
        {({ share, colour }) => (
          <i style={{ width: `${Math.min(1, Math.max(0, share)) * 100}%`, background: colour }} />
        )}
      </For>
    </div>
  );
}
