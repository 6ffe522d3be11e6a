// One document: its content, rendered or as text, and what can be done with it.

import type { VNode } from "preact";
import type { ReadFile } from "../../space/door.ts";
import type { Failure } from "../failure.ts";
import { sizeInWords } from "../../../kit/text/amounts.ts";
import { spacePath, withQuery } from "../format.ts";
import { FormTo, Name, Problem, Raw } from "../pieces.tsx";
import { Rendering, type Shown } from "../rendering.ts";
import type { Visit } from "../visit.ts";

interface DocumentProps {
  readonly space: string;
  readonly file: ReadFile;
  /** The version in the address; undefined: the live one. */
  readonly asked: number | undefined;
  readonly shown: Shown;
  readonly may: { readonly edit: boolean; readonly delete: boolean };
  /** Files with another text of it; or itself, if it is one. */
  readonly conflicts: readonly string[];
}

export function DocumentBody({ space, file, asked, shown, may, conflicts }: DocumentProps): VNode {
  const { path } = file;
  const at = (area: string) => spacePath(space, area, path);
  const isOther = Rendering.renders(path) && shown.kind !== "none";
  const other =
    shown.kind === "html"
      ? { label: "Show as text", view: "text" }
      : { label: "Show rendered", view: undefined };
  return (
    <div class="console-stack">
      <div class="console-bar">
        <State file={file} asked={asked} current={at("/files")} />
        <span class="end" />
        {isOther && !("note" in shown) && (
          <a class="btn" href={withQuery(at("/files"), { version: asked, view: other.view })}>
            {other.label}
          </a>
        )}
        <a class="btn" href={withQuery(at("/raw"), { version: asked })}>
          Download
        </a>
        {asked === undefined && (
          <a class="btn" href={at("/graph")}>
            Links
          </a>
        )}
        <a class="btn" href={at("/history")}>
          History
        </a>
        {may.delete && asked === undefined && (
          <a class="btn danger" href={at("/remove")}>
            Delete
          </a>
        )}
        {may.edit && asked === undefined && shown.kind !== "none" && (
          <a class="btn primary" href={at("/edit")}>
            Edit
          </a>
        )}
      </div>
      {conflicts.map((copy) => (
        <p class="console-notice wait">
          {copy === path ? (
            "This file holds another text of a document that two people changed. "
          ) : (
            <>
              <Name>{copy}</Name> holds another text of this document.{" "}
            </>
          )}
          <a href={spacePath(space, "/conflicts", copy)}>Open the conflict</a>
        </p>
      ))}
      <Content shown={shown} />
    </div>
  );
}

function State(props: { file: ReadFile; asked: number | undefined; current: string }): VNode {
  const { file, asked, current } = props;
  const { version, state, bytes } = file;
  return (
    <span class="muted">
      {version !== null && `v${version} · `}
      {sizeInWords(bytes.length)} {asked !== undefined && <a href={current}>Open the current version</a>}
      {state === "modified" && <span class="console-badge">Edited on disk, not recorded yet</span>}
      {state === "untracked" && <span class="console-badge">Only on disk, no version yet</span>}
    </span>
  );
}

export function Content({ shown }: { shown: Shown }): VNode {
  if (shown.kind === "none") return <p class="console-lead">{shown.reason} Download it instead.</p>;
  if (shown.kind === "html")
    return <article class="console-document" dir="auto" dangerouslySetInnerHTML={{ __html: shown.html }} />;
  return (
    <>
      {shown.note !== undefined && <p class="muted">{shown.note}</p>}
      <Raw text={shown.text} label="Content" />
    </>
  );
}

interface DeleteProps {
  readonly visit: Visit;
  readonly space: string;
  readonly file: ReadFile;
  readonly base: string;
  readonly failure: Failure | undefined;
}

export function DeleteDocumentBody({ visit, space, file, base, failure }: DeleteProps): VNode {
  return (
    <FormTo visit={visit} action={spacePath(space, "/remove", file.path)} class="form console-form">
      <Problem failure={failure} />
      <p>
        Deleting <Name>{file.path}</Name> removes it from the space and from disk. All its versions are kept,
        and it can be restored.
      </p>
      <input type="hidden" name="base" value={base} />
      <div class="actions">
        <a class="btn" href={spacePath(space, "/files", file.path)}>
          Cancel
        </a>
        <button class="btn danger primary">Delete the document</button>
      </div>
    </FormTo>
  );
}
