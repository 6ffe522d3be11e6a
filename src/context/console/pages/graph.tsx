// The links of a space: a picture that one can pan where scripts run, and the same links as lists, which need neither a picture nor scripts.

import type { VNode } from "preact";
import type { Picture, PictureNode } from "../../graph/pictures.ts";
import type { CoreDocument, GraphLink, GraphTotals } from "../../graph/schema.ts";
import { countText, counted } from "../../../kit/text/amounts.ts";
import { PAGE_ROWS, spacePath, withQuery } from "../format.ts";
import { LastLookLine, type LastLook } from "../last-look.tsx";
import { Empty, Figure, Name, Pager, Table } from "../pieces.tsx";

export const graphLists = ["linked", "broken", "orphans"] as const;
export type GraphList = (typeof graphLists)[number];

/** `busy`: it could not be laid out in time. */
export type ShownPicture = Picture | "busy";

export interface GraphRows {
  readonly documents?: readonly CoreDocument[];
  readonly links?: readonly GraphLink[];
  readonly orphans?: readonly string[];
}

interface GraphProps {
  readonly space: string;
  readonly totals: GraphTotals;
  readonly picture: ShownPicture;
  readonly list: GraphList;
  readonly offset: number;
  /** One more than a page shows, if there is another page. */
  readonly rows: GraphRows;
  readonly look: LastLook | undefined;
}

const AREA = "/graph";
const LISTS_ID = "lists";

/** The lists are below the picture: another list or page opens there, not at the top. */
function atLists(address: string): string {
  return `${address}#${LISTS_ID}`;
}

export function GraphBody({ space, totals, picture, list, offset, rows, look }: GraphProps): VNode {
  const address = (one: GraphList, at = 0) =>
    atLists(
      withQuery(spacePath(space, AREA), {
        list: one === "linked" ? undefined : one,
        offset: at === 0 ? undefined : at,
      }),
    );
  const count = (rows.documents ?? rows.links ?? rows.orphans ?? []).length;
  return (
    <div class="console-stack">
      <dl class="console-figures">
        <Figure label="Documents">{countText(totals.documents)}</Figure>
        <Figure label="Links">{countText(totals.links)}</Figure>
        <Figure label="Broken links">{countText(totals.broken)}</Figure>
        <Figure label="Orphans">{countText(totals.orphans)}</Figure>
      </dl>
      <Drawing space={space} picture={picture} />
      <section class="console-stack" id={LISTS_ID}>
        <nav class="console-choices" aria-label="Lists">
          <ul>
            {graphLists.map((one) => (
              <li>
                <a href={address(one)} aria-current={one === list ? "true" : undefined}>
                  {LISTS[one]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        {count === 0 ? (
          <Empty>
            <p>{NOTHING[list]}</p>
          </Empty>
        ) : (
          <Rows space={space} rows={rows} />
        )}
        <Pager
          first={offset > 0 ? address(list) : undefined}
          next={count > PAGE_ROWS ? address(list, offset + PAGE_ROWS) : undefined}
        />
      </section>
      <LastLookLine look={look} />
    </div>
  );
}

const LISTS: Readonly<Record<GraphList, string>> = {
  linked: "Most linked",
  broken: "Broken links",
  orphans: "Orphans",
};
const NOTHING: Readonly<Record<GraphList, string>> = {
  linked: "No documents yet.",
  broken: "Every link leads to a document.",
  orphans: "Every document is linked from another one.",
};

function Rows({ space, rows: { documents, links, orphans } }: { space: string; rows: GraphRows }): VNode {
  if (links)
    return (
      <Table label="Broken links" head={["Document", { label: "Line", class: "number" }, "Leads to"]}>
        {links.slice(0, PAGE_ROWS).map(({ from, line, target }) => (
          <tr>
            <td class="wide">
              <DocumentLink space={space} path={from} />
            </td>
            <td class="number" data-label="Line:">
              {line}
            </td>
            <td class="wide">
              <Name>{target}</Name>
            </td>
          </tr>
        ))}
      </Table>
    );
  if (orphans)
    return (
      <Table label="Orphans" head={["Document", "Links"]}>
        {orphans.slice(0, PAGE_ROWS).map((path) => (
          <tr>
            <td class="wide">
              <DocumentLink space={space} path={path} />
            </td>
            <td class="tight">
              <AroundLink space={space} path={path} />
            </td>
          </tr>
        ))}
      </Table>
    );
  return (
    <Table
      label="Most linked documents"
      head={[
        "Document",
        { label: "Linked from", class: "number" },
        { label: "Links to", class: "number" },
        { label: "Broken", class: "number" },
        "Links",
      ]}
    >
      {(documents ?? []).slice(0, PAGE_ROWS).map(({ path, linked, links: out, broken }) => (
        <tr>
          <td class="wide">
            <DocumentLink space={space} path={path} />
          </td>
          <td class="number" data-label="Linked from:">
            {countText(linked)}
          </td>
          <td class="number" data-label="Links to:">
            {countText(out)}
          </td>
          <td class="number" data-label="Broken:">
            {countText(broken)}
          </td>
          <td class="tight">
            <AroundLink space={space} path={path} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function DocumentLink({ space, path }: { space: string; path: string }): VNode {
  return (
    <a href={spacePath(space, "/files", path)}>
      <Name>{path}</Name>
    </a>
  );
}

function AroundLink({ space, path }: { space: string; path: string }): VNode {
  return (
    <a href={spacePath(space, AREA, path)} aria-label={`Show links of ${path}`}>
      Show
    </a>
  );
}

interface NeighboursProps {
  readonly space: string;
  readonly path: string;
  readonly document: CoreDocument;
  readonly picture: ShownPicture;
  /** One more than a page shows, if there is another page. */
  readonly links: readonly GraphLink[];
  readonly offset: number;
  readonly look: LastLook | undefined;
}

export function NeighboursBody(props: NeighboursProps): VNode {
  const { space, path, document, picture, links, offset, look } = props;
  const shown = links.slice(0, PAGE_ROWS);
  const out = shown.filter(({ from }) => from === path);
  const back = shown.filter(({ from, to }) => to === path && from !== path);
  const address = (at?: number) => atLists(withQuery(spacePath(space, AREA, path), { offset: at }));
  return (
    <div class="console-stack">
      <p class="console-bar">
        <a class="btn" href={spacePath(space, "/files", path)}>
          Read the document
        </a>
        <a class="btn" href={spacePath(space, AREA)}>
          Whole graph
        </a>
      </p>
      <dl class="console-figures">
        <Figure label="Linked from">{countText(document.linked)}</Figure>
        <Figure label="Links to">{countText(document.links)}</Figure>
        <Figure label="Broken links">{countText(document.broken)}</Figure>
      </dl>
      <Drawing space={space} picture={picture} here={path} />
      <div class="console-stack" id={LISTS_ID}>
        <Links
          title="Links in this document"
          head="Leads to"
          none="None."
          links={out}
          end={(link) => <Target space={space} link={link} />}
        />
        <Links
          title="Linked from"
          head="Document"
          none="No other document."
          links={back}
          end={({ from }) => <DocumentLink space={space} path={from} />}
        />
        <Pager
          first={offset > 0 ? address() : undefined}
          next={links.length > PAGE_ROWS ? address(offset + PAGE_ROWS) : undefined}
        />
      </div>
      <LastLookLine look={look} />
    </div>
  );
}

interface LinksProps {
  readonly title: string;
  readonly head: string;
  readonly none: string;
  readonly links: readonly GraphLink[];
  readonly end: (link: GraphLink) => VNode;
}

/** The links of a document in one direction. */
function Links({ title, head, none, links, end }: LinksProps): VNode {
  return (
    <section class="console-stack">
      <h2>{title}</h2>
      {links.length === 0 ? (
        <p class="muted">{none}</p>
      ) : (
        <Table label={title} head={[head, { label: "Line", class: "number" }]}>
          {links.map((link) => (
            <tr>
              <td class="wide">{end(link)}</td>
              <td class="number" data-label="Line:">
                {link.line}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

function Target({ space, link: { to, target } }: { space: string; link: GraphLink }): VNode {
  if (to !== null) return <DocumentLink space={space} path={to} />;
  return (
    <>
      <Name>{target}</Name> <span class="console-badge">Broken</span>
    </>
  );
}

/** For eyes only: screen readers and keyboards get the lists. */
function Drawing(props: { space: string; picture: ShownPicture; here?: string }): VNode | null {
  const { space, picture, here } = props;
  if (picture === "busy")
    return (
      <p class="muted">
        The picture could not be drawn, but the lists are complete. Reload the page to try again.
      </p>
    );
  const { nodes, edges, width, height } = picture;
  if (nodes.length < 2) return null;
  const at = (node: number) => `${nodes[node]!.x} ${nodes[node]!.y}`;
  return (
    <figure class="console-graph" data-graph>
      <div class="console-graph-tools" hidden>
        <button type="button" class="btn small" data-zoom="in" aria-label="Zoom in">
          +
        </button>
        <button type="button" class="btn small" data-zoom="out" aria-label="Zoom out">
          −
        </button>
        <button type="button" class="btn small" data-zoom="fit">
          Fit
        </button>
      </div>
      <div class="console-graph-frame" tabIndex={0} role="group" aria-label="Picture of the links">
        <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          <path class="edges" d={edges.map(([a, b]) => `M${at(a!)}L${at(b!)}`).join("")} />
          {nodes.map((node) => (
            <Node space={space} node={node} isHere={node.path === here} />
          ))}
        </svg>
      </div>
      <figcaption class="muted small">{captionOf(picture, here)}</figcaption>
    </figure>
  );
}

const FONT = 11;

function Node({ space, node, isHere }: { space: string; node: PictureNode; isHere: boolean }): VNode {
  const { path, label, size, radius, x, y, labelFrom, linked, links, broken } = node;
  const classes = [`s${size}`, `z${labelFrom}`, isHere ? "here" : "", broken > 0 ? "broken" : ""];
  return (
    <a
      class={classes.filter((one) => one !== "").join(" ")}
      href={spacePath(space, "/files", path)}
      tabIndex={-1}
    >
      <title>{`${path}\n${counted(linked, "link")} to it, ${links} in it${broken > 0 ? `, ${broken} broken` : ""}`}</title>
      <circle cx={x} cy={y} r={radius} />
      <text x={x} y={y} dy={`${((radius + FONT) / FONT).toFixed(1)}em`}>
        {label}
      </text>
    </a>
  );
}

function captionOf({ nodes, leftOut }: Picture, here: string | undefined): string {
  const broken = nodes.some((node) => node.broken > 0) ? " A dashed ring: it has broken links." : "";
  const scope =
    here !== undefined
      ? `${counted(nodes.length - 1, "document")} around this one, up to two links away.`
      : leftOut > 0
        ? `The ${countText(nodes.length)} most linked documents; ${counted(leftOut, "other is", "others are")} left out.`
        : `All ${countText(nodes.length)} documents.`;
  return `${scope} Larger: more links.${broken}`;
}
