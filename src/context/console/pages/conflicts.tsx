// Open conflicts: a list, and one with both sides.

import type { VNode } from "preact";
import type { ConflictFile } from "../../browsing/browsing.ts";
import type { Failure } from "../failure.ts";
import { spacePath } from "../format.ts";
import { Empty, FormTo, Name, Pager, Problem, Table, Time } from "../pieces.tsx";
import type { Visit } from "../visit.ts";
import { Diff } from "./history.tsx";

interface ConflictsProps {
  readonly space: string;
  readonly conflicts: readonly ConflictFile[];
  readonly next: string | undefined;
  readonly first: string | undefined;
}

export function ConflictsBody({ space, conflicts, next, first }: ConflictsProps): VNode {
  if (conflicts.length === 0)
    return (
      <Empty>
        <p>No conflicts. One appears when two people change the same lines before they sync.</p>
      </Empty>
    );
  return (
    <div class="console-stack">
      <Table label="Conflicts" head={["Document", "Other text by", "Since"]}>
        {conflicts.map((one) => (
          <tr>
            <td class="wide">
              <a href={spacePath(space, "/conflicts", one.copy)}>
                <Name>{one.path}</Name>
              </a>
            </td>
            <td data-label="Other text by:">
              <Name>{one.user}</Name>
            </td>
            <td class="tight" data-label="Since:">
              <Time at={one.opened_at} />
            </td>
          </tr>
        ))}
      </Table>
      <Pager first={first} next={next} />
    </div>
  );
}

/** `diff` null: they cannot be compared. `isAlone`: the document was deleted, or its reader may not see it. */
export type ShownConflict = ConflictFile & { readonly diff: string | null; readonly isAlone: boolean };

interface ConflictProps {
  readonly visit: Visit;
  readonly space: string;
  readonly conflict: ShownConflict;
  readonly mayResolve: boolean;
  readonly failure: Failure | undefined;
}

export function ConflictBody({ visit, space, conflict, mayResolve, failure }: ConflictProps): VNode {
  const { path, copy, user, diff, isAlone } = conflict;
  const other = (
    <a href={spacePath(space, "/files", copy)}>
      <Name>{copy}</Name>
    </a>
  );
  return (
    <div class="console-stack">
      <Problem failure={failure} />
      {isAlone ? (
        <p class="console-lead">
          <Name>{path}</Name> {mayResolve ? "was deleted." : "does not exist, or you may not see it."} {other}{" "}
          holds the text by <Name>{user}</Name>.
        </p>
      ) : (
        <p class="console-lead">
          <a href={spacePath(space, "/files", path)}>
            <Name>{path}</Name>
          </a>{" "}
          is the shared document. {other} holds the other text, by <Name>{user}</Name>.
        </p>
      )}
      <Difference diff={diff} isAlone={isAlone} />
      {mayResolve && (
        <FormTo visit={visit} action={spacePath(space, "/conflicts", copy)} class="console-stack">
          <p class="console-lead">
            {isAlone
              ? "Restoring saves this text as the document."
              : "To merge both, edit the document first, then keep it."}{" "}
            Resolving deletes <Name>{copy}</Name>. All versions of both are kept.
          </p>
          <div class="console-bar">
            {isAlone ? (
              <>
                <button class="btn" name="keep" value="ours">
                  Restore the document
                </button>
                <a class="btn danger" href={spacePath(space, "/remove", copy)}>
                  Delete the other text
                </a>
              </>
            ) : (
              <>
                <button class="btn" name="keep" value="theirs">
                  Keep the document
                </button>
                <button class="btn" name="keep" value="ours">
                  Keep the other text
                </button>
              </>
            )}
          </div>
        </FormTo>
      )}
    </div>
  );
}

function Difference({ diff, isAlone }: Pick<ShownConflict, "diff" | "isAlone">): VNode | null {
  if (diff === null) return isAlone ? null : <p class="muted">The texts cannot be compared. Open both.</p>;
  return (
    <>
      {!isAlone && <p class="muted">Difference from the document to the other text:</p>}
      <Diff text={diff} />
    </>
  );
}
