// The versions of a document, the difference between two, and the form that destroys one.

import type { VNode } from "preact";
import { visible } from "../../../kit/text/visible.ts";
import type { FileDiff } from "../../files/diff.ts";
import type { FileHistory } from "../../versioned-store/schema.ts";
import type { Failure } from "../failure.ts";
import { counted } from "../../../kit/text/amounts.ts";
import { spacePath, withQuery } from "../format.ts";
import { Empty, Field, FormTo, Name, Pager, Problem, Size, Table, Time } from "../pieces.tsx";
import type { Visit } from "../visit.ts";

type VersionRow = FileHistory["versions"][number];

interface HistoryProps {
  readonly visit: Visit;
  readonly space: string;
  readonly history: FileHistory;
  readonly rows: readonly VersionRow[];
  readonly may: { readonly update: boolean; readonly destroy: boolean };
  readonly next: string | undefined;
  readonly first: string | undefined;
}

export function HistoryBody(props: HistoryProps): VNode {
  const { visit, space, history, rows, may, next, first } = props;
  const { path, current, versions } = history;
  if (versions.length === 0)
    return (
      <Empty>
        <p>This file is only on disk. It has no version yet.</p>
        <a class="btn" href={spacePath(space, "/disk")}>
          Changes on disk
        </a>
      </Empty>
    );
  const shown = rows.map((row) => ({ row, acts: actsOn(row, current, may) }));
  const hasActs = shown.some(({ acts }) => acts.compare || acts.restore || acts.destroy);
  return (
    <div class="console-stack">
      <div class="console-bar">
        {current === null ? (
          <span class="console-badge">Deleted</span>
        ) : (
          <a class="btn" href={spacePath(space, "/files", path)}>
            Open the document
          </a>
        )}
        {current === null && may.update && (
          <FormTo visit={visit} action={spacePath(space, "/undelete", path)}>
            <button class="btn primary">Restore the document</button>
          </FormTo>
        )}
      </div>
      <Table
        label="Versions"
        head={["Version", "Time", "By", "What changed", { label: "Size", class: "number" }, hasActs && ""]}
      >
        {shown.map(({ row, acts }) => (
          <Row {...{ visit, space, path, row, current, acts, hasActs }} />
        ))}
      </Table>
      <Pager first={first} next={next} />
    </div>
  );
}

/** The actions for one version. */
function actsOn(row: VersionRow, current: number | null, may: HistoryProps["may"]) {
  const isKept = !row.destroyed && !row.pruned;
  const isOld = isKept && row.version !== current;
  return {
    compare: isKept && row.version > 1,
    restore: isOld && may.update,
    destroy: isOld && may.destroy,
  };
}

interface RowProps extends Pick<HistoryProps, "visit" | "space"> {
  readonly path: string;
  readonly row: VersionRow;
  readonly current: number | null;
  readonly acts: ReturnType<typeof actsOn>;
  readonly hasActs: boolean;
}

function Row({ visit, space, path, row, current, acts, hasActs }: RowProps): VNode {
  const { version } = row;
  return (
    <tr>
      <td class="tight">
        {row.destroyed || row.pruned ? (
          `v${version}`
        ) : (
          <a href={withQuery(spacePath(space, "/files", path), { version })}>v{version}</a>
        )}{" "}
        {version === current && <span class="console-badge plain">Current</span>}
        {row.destroyed && <span class="console-badge">Destroyed</span>}
        {row.pruned && <span class="console-badge">Pruned</span>}
      </td>
      <td class="tight">
        <Time at={row.created_at} />
      </td>
      <td>
        <Name>{row.author}</Name>
      </td>
      <td class="wide">{row.message !== undefined && <Name>{row.message}</Name>}</td>
      <td class="number">
        <Size bytes={row.size} />
      </td>
      {hasActs && (
        <td class="number">
          <span class="console-bar">
            {acts.compare && (
              <a
                class="btn small"
                href={withQuery(spacePath(space, "/diff", path), { from: version - 1, to: version })}
              >
                Difference
              </a>
            )}
            {acts.restore && (
              <FormTo visit={visit} action={spacePath(space, "/restore", path)}>
                <input type="hidden" name="version" value={version} />
                <input type="hidden" name="current" value={current ?? ""} />
                <button class="btn small">Restore</button>
              </FormTo>
            )}
            {acts.destroy && (
              <a class="btn small danger" href={withQuery(spacePath(space, "/destroy", path), { version })}>
                Destroy
              </a>
            )}
          </span>
        </td>
      )}
    </tr>
  );
}

export function DiffBody({ space, diff }: { space: string; diff: FileDiff }): VNode {
  const { path, from, to, added, removed, coarse, text } = diff;
  const name = (version: number | null) =>
    version === null ? "the edit on disk" : version === 0 ? "nothing" : `v${version}`;
  return (
    <div class="console-stack">
      <p>
        From {name(from)} to {name(to)}: {counted(added, "line")} added, {counted(removed, "line")} removed.{" "}
        <a href={spacePath(space, "/history", path)}>All versions</a>
      </p>
      {coarse && <p class="muted">The texts differ too much to compare them line by line.</p>}
      {added + removed === 0 ? (
        <Empty>
          <p>Both have the same text.</p>
        </Empty>
      ) : (
        <Diff text={text} />
      )}
    </div>
  );
}

/** More lines help nobody, and would make a page of many megabytes. */
const LINES_SHOWN_MAX = 2_000;

/** A difference in unified format, without the names of both sides, which the page says already. */
export function Diff({ text }: { text: string }): VNode {
  const all = text.replace(/\n$/, "").split("\n");
  const start = Math.max(
    0,
    all.findIndex((line) => line.startsWith("@@")),
  );
  const lines = all.slice(start);
  return (
    <div class="console-diff" role="region" aria-label="Difference" tabIndex={0}>
      {lines.slice(0, LINES_SHOWN_MAX).map((line) => (
        <div class={kindOf(line)}>{visible(line) || " "}</div>
      ))}
      {lines.length > LINES_SHOWN_MAX && (
        <div class="hunk">{counted(lines.length - LINES_SHOWN_MAX, "more line")} not shown</div>
      )}
    </div>
  );
}

function kindOf(line: string): string | undefined {
  if (line.startsWith("+")) return "add";
  if (line.startsWith("-")) return "del";
  return line.startsWith("@@") || line.startsWith("\\") ? "hunk" : undefined;
}

interface DestroyProps {
  readonly visit: Visit;
  readonly space: string;
  readonly path: string;
  readonly version: number;
  readonly failure: Failure | undefined;
}

export function DestroyBody({ visit, space, path, version, failure }: DestroyProps): VNode {
  return (
    <FormTo visit={visit} action={spacePath(space, "/destroy", path)} class="form console-form">
      <Problem failure={failure} fields={["confirm"]} />
      <p>
        Destroying v{version} of <Name>{path}</Name> removes its content for good. The history keeps a line
        that says so. Use it for content that must not exist, such as a password.
      </p>
      <Field label={`Type v${version} to confirm`} name="confirm" required failure={failure} />
      <input type="hidden" name="version" value={version} />
      <div class="actions">
        <a class="btn" href={spacePath(space, "/history", path)}>
          Cancel
        </a>
        <button class="btn danger primary">Destroy the version</button>
      </div>
    </FormTo>
  );
}
