// Lists of documents: a folder, the results of a search, deleted documents, files on disk without a version.

import type { VNode } from "preact";
import { visible } from "../../../kit/text/visible.ts";
import type { FolderEntry } from "../../browsing/browsing.ts";
import type { ListedFile } from "../../files/listing-schema.ts";
import type { SearchAnswer, SearchLine } from "../../search/schema.ts";
import { parseConflictName } from "../../sync/conflict-names.ts";
import type { FileRecord } from "../../versioned-store/schema.ts";
import type { Failure } from "../failure.ts";
import { spacePath, withQuery } from "../format.ts";
import { LastLookLine, type LastLook } from "../last-look.tsx";
import { Empty, Field, FormTo, Name, Pager, Problem, Size, Table, Time } from "../pieces.tsx";
import type { Visit } from "../visit.ts";

interface PagerProps {
  readonly next: string | undefined;
  readonly first: string | undefined;
}

interface FolderProps extends PagerProps {
  readonly space: string;
  readonly folder: string;
  readonly entries: readonly FolderEntry[];
  readonly mayCreate: boolean;
}

export function FolderBody({ space, folder, entries, mayCreate, next, first }: FolderProps): VNode {
  const create = (
    <a
      class="btn primary"
      href={withQuery(spacePath(space, "/new"), { folder: folder === "" ? undefined : folder })}
    >
      Create a document
    </a>
  );
  if (entries.length === 0 && folder === "" && first === undefined)
    return (
      <Empty>
        <p>No documents yet. A document is a file that keeps all its versions.</p>
        <p>
          Files in the folder of the space without a version are listed{" "}
          <a href={spacePath(space, "/disk")}>on disk</a>.
        </p>
        {mayCreate && create}
      </Empty>
    );
  return (
    <div class="console-stack">
      <div class="console-bar">
        <form method="get" action={spacePath(space, "/search")} role="search">
          <input class="input" name="q" aria-label="Search this space" placeholder="Search this space" />
          <button class="btn">Search</button>
        </form>
        {mayCreate && <span class="end">{create}</span>}
      </div>
      {entries.length === 0 ? (
        <Empty>
          <p>No documents yet.</p>
        </Empty>
      ) : (
        <div class="console-tree">
          <Table
            label="Documents"
            head={["Name", { label: "Size", class: "number" }, "Version", "Changed", "By"]}
          >
            {entries.map((entry) =>
              entry.kind === "folder" ? (
                <tr>
                  <td class="wide" colSpan={5}>
                    <a class="console-folder" href={spacePath(space, "/tree", entry.path)}>
                      <Name>{entry.name}</Name>/
                    </a>
                  </td>
                </tr>
              ) : (
                <File space={space} name={entry.name} file={entry.file} />
              ),
            )}
          </Table>
        </div>
      )}
      <Pager first={first} next={next} />
    </div>
  );
}

function File({ space, name, file }: { space: string; name: string; file: FileRecord }): VNode {
  return (
    <tr>
      <td class="wide">
        <a class="console-file" href={spacePath(space, "/files", file.path)}>
          <Name>{name}</Name>
        </a>
        {parseConflictName(file.path) && (
          <>
            {" "}
            <a class="console-badge" href={spacePath(space, "/conflicts", file.path)}>
              Conflict
            </a>
          </>
        )}
      </td>
      <td class="number">
        <Size bytes={file.size} />
      </td>
      <LastChange file={file} />
    </tr>
  );
}

/** The cells of the live version: its number, time and author. */
function LastChange({ file }: { file: Pick<FileRecord, "version" | "updated_at" | "author"> }): VNode {
  return (
    <>
      <td class="tight">{file.version === null ? "—" : `v${file.version}`}</td>
      <td class="tight">
        <Time at={file.updated_at} />
      </td>
      <td>
        <Name>{file.author}</Name>
      </td>
    </>
  );
}

export interface SearchShown {
  readonly text: string;
  readonly regex: boolean;
  readonly path: string;
  /** Undefined: nothing was asked for. */
  readonly answer: SearchAnswer | undefined;
  readonly failure: Failure | undefined;
}

export function SearchBody({ space, shown }: { space: string; shown: SearchShown }): VNode {
  const { text, regex, path, answer, failure } = shown;
  return (
    <div class="console-stack">
      <form
        method="get"
        action={spacePath(space, "/search")}
        role="search"
        class="console-stack console-find"
      >
        <Problem failure={failure} fields={["q", "path"]} />
        <div class="console-pair">
          <Field
            label="Find"
            name="q"
            value={text}
            autoFocus={answer === undefined}
            hint={'Words or a "phrase". word* matches every word that begins with it.'}
            failure={failure}
          />
          <Field
            label="Only in this folder or pattern (optional)"
            name="path"
            value={path}
            hint="For example, team or **/*.md"
            failure={failure}
          />
        </div>
        <label class="check">
          <input type="checkbox" name="regex" value="1" checked={regex} /> Regular expression
        </label>
        <div class="console-bar">
          <button class="btn primary">Search</button>
        </div>
      </form>
      {answer && <Results space={space} answer={answer} />}
    </div>
  );
}

function Results({ space, answer: { results, more } }: { space: string; answer: SearchAnswer }): VNode {
  if (results.length === 0)
    return (
      <Empty>
        <p>No document matches.</p>
      </Empty>
    );
  return (
    <>
      <ul class="console-list">
        {results.map((result) => (
          <li>
            <div class="console-hit">
              <a href={spacePath(space, "/files", result.path)}>
                <Name>{result.path}</Name>
              </a>
              {result.lines.map((line) => (
                <p class="console-hits">
                  {line.line}: <Marked line={line} />
                </p>
              ))}
            </div>
          </li>
        ))}
      </ul>
      {more && <p class="muted">More documents match. Narrow the search to see them.</p>}
    </>
  );
}

function Marked({ line: { text, ranges } }: { line: SearchLine }): VNode {
  let at = 0;
  const parts = ranges.flatMap(({ start, end }) => {
    const before = text.slice(at, start);
    at = end;
    return [visible(before), <mark>{visible(text.slice(start, end))}</mark>];
  });
  return (
    <bdi>
      {parts}
      {visible(text.slice(at))}
    </bdi>
  );
}

interface DeletedProps extends PagerProps {
  readonly visit: Visit;
  readonly space: string;
  readonly files: readonly FileRecord[];
  readonly mayRestore: (path: string) => boolean;
}

export function DeletedBody({ visit, space, files, mayRestore, next, first }: DeletedProps): VNode {
  if (files.length === 0 && first === undefined)
    return (
      <Empty>
        <p>No deleted documents. A deleted document keeps all its versions and can be restored here.</p>
      </Empty>
    );
  const mayAny = files.some(({ path }) => mayRestore(path));
  return (
    <div class="console-stack">
      <Table label="Deleted documents" head={["Name", "Version", "Deleted", "By", mayAny && ""]}>
        {files.map((file) => (
          <tr>
            <td class="wide">
              <a href={spacePath(space, "/history", file.path)}>
                <Name>{file.path}</Name>
              </a>
            </td>
            <LastChange file={file} />
            {mayAny && (
              <td class="number">
                {mayRestore(file.path) && (
                  <FormTo visit={visit} action={spacePath(space, "/undelete", file.path)}>
                    <button class="btn small">Restore</button>
                  </FormTo>
                )}
              </td>
            )}
          </tr>
        ))}
      </Table>
      <Pager first={first} next={next} />
    </div>
  );
}

const STATES: Readonly<Record<ListedFile["state"], string>> = {
  live: "Live",
  deleted: "Deleted",
  missing: "Missing",
  modified: "Modified",
  refused: "Refused",
  untracked: "Untracked",
};

interface UnrecordedProps extends PagerProps {
  readonly visit: Visit;
  readonly space: string;
  readonly files: readonly ListedFile[];
  readonly mayAdopt: boolean;
  readonly look: LastLook | undefined;
}

export function UnrecordedBody(props: UnrecordedProps): VNode {
  const { visit, space, files, mayAdopt, look, next, first } = props;
  if (files.length === 0 && first === undefined)
    return (
      <div class="console-stack">
        <Empty>
          <p>Every file on disk matches its last version.</p>
        </Empty>
        <LastLookLine look={look} />
      </div>
    );
  const isRefused = files.some(({ refused }) => refused !== undefined);
  return (
    <div class="console-stack">
      <p class="console-lead">
        These files were edited, added or removed in the folder of the space, outside Cairn.
      </p>
      {mayAdopt && (
        <FormTo visit={visit} action={spacePath(space, "/disk")}>
          <button class="btn primary">Record all edits</button>
        </FormTo>
      )}
      <Table
        label="Changes on disk"
        head={["Name", "State", { label: "Size", class: "number" }, isRefused && "Why"]}
      >
        {files.map((file) => (
          <tr>
            <td class="wide">
              {file.state === "refused" ? (
                <Name>{file.path}</Name>
              ) : (
                <a href={spacePath(space, file.state === "missing" ? "/history" : "/files", file.path)}>
                  <Name>{file.path}</Name>
                </a>
              )}
            </td>
            <td class="tight">{STATES[file.state]}</td>
            <td class="number">
              {/* The record has the size of the last version. */}
              {(file.state === "modified" || file.state === "missing") && "was "}
              <Size bytes={file.size} />
            </td>
            {isRefused && <td class="wide">{file.refused?.reason ?? ""}</td>}
          </tr>
        ))}
      </Table>
      <Pager first={first} next={next} />
      <LastLookLine look={look} />
    </div>
  );
}
