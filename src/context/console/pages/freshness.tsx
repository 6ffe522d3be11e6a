// How fresh the documents of a space are: groups with counts, a filter, and one row for each document with the reason and the way to validate it.

import type { VNode } from "preact";
import {
  SOON_DAYS,
  type FreshnessGroup,
  type FreshnessOrder,
  type FreshnessOverview,
} from "../../freshness/overview.ts";
import { problemText } from "../../freshness/problem-words.ts";
import type { Failure } from "../failure.ts";
import { countText, counted } from "../../../kit/text/amounts.ts";
import { PAGE_ROWS, spacePath, withQuery } from "../format.ts";
import { LastLookLine, type LastLook } from "../last-look.tsx";
import { Empty, FormTo, Name, Pager, Problem, Table } from "../pieces.tsx";
import type { Visit } from "../visit.ts";

export interface FreshnessView {
  /** `none`: documents without a rule. Undefined: all with one. */
  readonly group: FreshnessGroup | "none" | undefined;
  /** Empty: all. */
  readonly text: string;
  readonly order: FreshnessOrder;
  readonly offset: number;
}

export type ShownFreshness = FreshnessOverview & {
  /** The paths of documents without a rule, if they are asked for. */
  readonly undeclared: readonly string[] | undefined;
};

const AREA = "/freshness";

interface FreshnessProps {
  readonly visit: Visit;
  readonly space: string;
  readonly view: FreshnessView;
  readonly shown: ShownFreshness;
  readonly isEditable: (path: string) => boolean;
  readonly look: LastLook | undefined;
  readonly failure: Failure | undefined;
}

export function freshnessAddress(space: string, view: FreshnessView): string {
  return withQuery(spacePath(space, AREA), {
    show: view.group,
    q: view.text === "" ? undefined : view.text,
    sort: view.order === "due" ? undefined : view.order,
    offset: view.offset === 0 ? undefined : view.offset,
  });
}

export function FreshnessBody(props: FreshnessProps): VNode {
  const { space, view, shown, look, failure } = props;
  const { undeclared, documents, matching } = shown;
  const next = view.offset + PAGE_ROWS < matching ? view.offset + PAGE_ROWS : undefined;
  return (
    <div class="console-stack">
      <Problem failure={failure} />
      <Groups {...props} />
      <Filter space={space} view={view} />
      <p class="muted" role="status">
        {counted(matching, "document")}
        {view.text !== "" && " that match"}
        {view.group === "soon" && `, due within ${SOON_DAYS} days`}
      </p>
      {matching === 0 && <Nothing view={view} />}
      {undeclared !== undefined && undeclared.length > 0 && <Undeclared {...props} paths={undeclared} />}
      {documents.length > 0 && <Documents {...props} />}
      <Pager
        first={view.offset > 0 ? freshnessAddress(space, { ...view, offset: 0 }) : undefined}
        next={next === undefined ? undefined : freshnessAddress(space, { ...view, offset: next })}
      />
      <LastLookLine look={look} />
    </div>
  );
}

const GROUPS: Readonly<Record<FreshnessGroup, string>> = {
  stale: "Stale",
  unclear: "Unclear",
  soon: "Due soon",
  fresh: "Fresh",
};
const ORDER: readonly FreshnessGroup[] = ["stale", "unclear", "soon", "fresh"];

function Groups({ space, view, shown: { counts } }: FreshnessProps): VNode {
  const all = ORDER.reduce((sum, group) => sum + counts[group], 0);
  const entries: readonly (readonly [FreshnessView["group"], string])[] = [
    [undefined, `All (${countText(all)})`],
    ...ORDER.map((group) => [group, `${GROUPS[group]} (${countText(counts[group])})`] as const),
    ["none", "Without a rule"],
  ];
  return (
    <nav class="console-choices" aria-label="Freshness">
      <ul>
        {entries.map(([group, label]) => (
          <li>
            <a
              href={freshnessAddress(space, { ...view, group, offset: 0 })}
              aria-current={group === view.group ? "true" : undefined}
            >
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const ORDERS: Readonly<Record<FreshnessOrder, string>> = {
  due: "Due first",
  validated: "Longest not validated first",
  path: "By path",
};

function Filter({ space, view }: Pick<FreshnessProps, "space" | "view">): VNode {
  return (
    <form class="console-bar" method="get" action={spacePath(space, AREA)} role="search">
      {view.group !== undefined && <input type="hidden" name="show" value={view.group} />}
      <input
        class="input"
        type="search"
        name="q"
        value={view.text}
        aria-label="Path or owner"
        placeholder="Path or owner"
        dir="auto"
      />
      {view.group !== "none" && (
        <select class="input" name="sort" aria-label="Order">
          {Object.entries(ORDERS).map(([order, label]) => (
            <option value={order} selected={order === view.order}>
              {label}
            </option>
          ))}
        </select>
      )}
      <button class="btn">Filter</button>
    </form>
  );
}

function Nothing({ view }: { view: FreshnessView }): VNode {
  const isWhole = view.text === "" && view.group === undefined;
  return (
    <Empty>
      {isWhole ? (
        <>
          <p>No document says when it becomes stale.</p>
          <p>
            Add <code>stale-after: 90d</code> to the front matter of a document that needs regular checks.
          </p>
        </>
      ) : (
        <p>No documents here.</p>
      )}
    </Empty>
  );
}

function Documents({ shown: { documents }, ...props }: FreshnessProps): VNode {
  const { space, isEditable } = props;
  const mayAny = documents.some(({ path }) => isEditable(path));
  return (
    <Table label="Documents" head={["Document", "State", "Due", "Why", "Owner", mayAny && ""]}>
      {documents.map((one) => (
        <tr>
          <td class="wide">
            <a href={spacePath(space, "/files", one.path)}>
              <Name>{one.path}</Name>
            </a>
            {one.importance === "high" && (
              <>
                {" "}
                <span class="console-badge plain">Important</span>
              </>
            )}
          </td>
          <td class="tight">
            <span class={`console-fresh ${one.group}`}>{GROUPS[one.group]}</span>
          </td>
          <td class="tight" data-label="Due:">
            {one.due?.slice(0, 10) ?? <span class="muted">—</span>}
          </td>
          <td class="wide">{reasonOf(one)}</td>
          <td data-label="Owner:">
            {one.owner === null ? <span class="muted">—</span> : <Name>{one.owner}</Name>}
          </td>
          {mayAny && (
            <td class="number">
              <ValidateButton {...props} path={one.path} />
            </td>
          )}
        </tr>
      ))}
    </Table>
  );
}

type FreshDocument = ShownFreshness["documents"][number];

function reasonOf({ group, due, stale_after, last_validated, written, problems }: FreshDocument): VNode {
  if (group === "unclear")
    return (
      <>
        {problems.map((problem) => (
          <p>
            <Name>{problemText(problem)}</Name>
          </p>
        ))}
      </>
    );
  if (due === null || stale_after === null) return <span class="muted">no rule</span>;
  const [event, date] =
    last_validated === null ? ["the last version,", written.slice(0, 10)] : ["validation on", last_validated];
  return (
    <>
      {windowText(stale_after)} after {event} <span class="console-date">{date}</span>
    </>
  );
}

const UNITS: Readonly<Record<string, string>> = { d: "day", w: "week", m: "month", y: "year" };

/** `30d` → `30 days` */
function windowText(window: string): string {
  return counted(Number(window.slice(0, -1)), UNITS[window.at(-1)!] ?? "");
}

function Undeclared({ paths, ...props }: FreshnessProps & { paths: readonly string[] }): VNode {
  return (
    <Table label="Documents without a rule" head={["Document"]}>
      {paths.map((path) => (
        <tr>
          <td class="wide">
            <a href={spacePath(props.space, "/files", path)}>
              <Name>{path}</Name>
            </a>
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** Comes back to the same list. */
function ValidateButton(props: Omit<FreshnessProps, "shown"> & { path: string }): VNode | null {
  const { visit, space, view, path, isEditable } = props;
  if (!isEditable(path)) return null;
  return (
    <FormTo visit={visit} action={spacePath(space, `${AREA}/validate`)}>
      <input type="hidden" name="path" value={path} />
      {view.group !== undefined && <input type="hidden" name="show" value={view.group} />}
      {view.text !== "" && <input type="hidden" name="q" value={view.text} />}
      <input type="hidden" name="sort" value={view.order} />
      {view.offset > 0 && <input type="hidden" name="offset" value={view.offset} />}
      <button class="btn small" aria-label={`Validate ${path}`}>
        Validate
      </button>
    </FormTo>
  );
}
