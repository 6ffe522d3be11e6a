// The frame around every page: the mark, the navigation, who is signed in, the notice of a form. Works without scripts.

import type { ComponentChildren, VNode } from "preact";
import { SCRIPT_PATH, STYLES_PATH } from "./assets.ts";
import { visible } from "../../kit/text/visible.ts";
import { FormTo } from "./pieces.tsx";
import type { Place, Stranger, Visit } from "./visit.ts";

export interface Crumb {
  readonly label: string;
  readonly path: string;
}

interface FrameProps {
  readonly visit: Visit;
  readonly title: string;
  readonly crumbs?: readonly Crumb[] | undefined;
  readonly children: ComponentChildren;
}

export function Frame({ visit, title, crumbs = [], children }: FrameProps): VNode {
  return (
    <Document title={title} nonce={visit.nonce}>
      <a class="console-skip" href="#main">
        Skip to content
      </a>
      <div class="console">
        <header class="console-rail">
          <a class="console-brand" href="/console">
            <Mark /> Cairn
          </a>
          <nav aria-label="Console">
            <Places visit={visit} crumbs={crumbs} />
          </nav>
          <Person visit={visit} />
        </header>
        <main id="main" class="console-main" tabIndex={-1}>
          <Crumbs crumbs={crumbs} />
          <h1 class="console-title">
            <bdi>{title}</bdi>
          </h1>
          <Told visit={visit} />
          {children}
        </main>
      </div>
    </Document>
  );
}

/** A page without navigation, for people who are not signed in. */
export function Alone({
  visit,
  title,
  children,
}: {
  visit: Stranger;
  title: string;
  children: ComponentChildren;
}): VNode {
  return (
    <Document title={title} nonce={visit.nonce}>
      <main id="main" class="console-alone">
        <p class="console-brand">
          <Mark /> Cairn
        </p>
        <h1 class="console-title">{title}</h1>
        {children}
      </main>
    </Document>
  );
}

function Document(props: { title: string; nonce: string; children: ComponentChildren }): VNode {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{props.title === "Cairn" ? "Cairn" : `${props.title} · Cairn`}</title>
        <link rel="icon" href={ICON} />
        <link rel="stylesheet" href={STYLES_PATH} />
        <script src={SCRIPT_PATH} nonce={props.nonce} defer />
      </head>
      <body>{props.children}</body>
    </html>
  );
}

const SHAPES =
  '<ellipse cx="12" cy="19" rx="9" ry="3.3"/><ellipse cx="12.6" cy="12.6" rx="6.2" ry="2.7" opacity=".8"/><ellipse cx="11.6" cy="7.2" rx="3.7" ry="2.1" opacity=".6"/>';
const ICON = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="#2c6e55">${SHAPES}</svg>`)}`;

function Mark(): VNode {
  return (
    <svg class="console-mark" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
      <ellipse cx="12" cy="19" rx="9" ry="3.3" />
      <ellipse cx="12.6" cy="12.6" rx="6.2" ry="2.7" opacity=".8" />
      <ellipse cx="11.6" cy="7.2" rx="3.7" ry="2.1" opacity=".6" />
    </svg>
  );
}

function Places({ visit, crumbs }: { visit: Visit; crumbs: readonly Crumb[] }): VNode {
  const shown = visit.places.filter(({ isShown }) => isShown?.(visit.caller) ?? true);
  const [above] = crumbs;
  const current =
    currentOf(shown, visit.path.replace(/\?.*/s, "")) ?? (above && currentOf(shown, above.path));
  const groups = [...new Set(shown.map(({ group }) => group))];
  return (
    <>
      {groups.map((group) => (
        <div class="console-places">
          {groups.length > 1 && <p class="console-group">{group}</p>}
          <ul>
            {shown
              .filter((place) => place.group === group)
              .map((place) => (
                <li>
                  <a href={place.path} aria-current={place === current ? "page" : undefined}>
                    {place.label}
                  </a>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </>
  );
}

/** Every address lies below it, so it is current only by itself. */
const HOME = "/console";

/** The entry with the longest address that the page lies below. */
function currentOf(places: readonly Place[], path: string): Place | undefined {
  return places
    .filter((place) => path === place.path || (place.path !== HOME && path.startsWith(`${place.path}/`)))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
}

function Person({ visit }: { visit: Visit }): VNode {
  const { caller } = visit;
  return (
    <div class="console-person">
      <p>
        {visit.isSignedIn ? (
          <a class="console-person-name" href="/console/account" title="My account">
            <bdi>{caller.name}</bdi>
          </a>
        ) : (
          <bdi class="console-person-name">{caller.name}</bdi>
        )}
        <span class="muted small">{visit.isSignedIn ? caller.rights.role : "this machine"}</span>
      </p>
      {visit.isSignedIn && (
        <FormTo visit={visit} action="/console/logout">
          <button class="btn quiet small">Sign out</button>
        </FormTo>
      )}
    </div>
  );
}

function Crumbs({ crumbs }: { crumbs: readonly Crumb[] }): VNode | null {
  if (crumbs.length === 0) return null;
  return (
    <nav aria-label="Breadcrumb" class="console-crumbs">
      <ol>
        {crumbs.map(({ label, path }) => (
          <li>
            <a href={path}>
              <bdi>{label}</bdi>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function Told({ visit: { notice } }: { visit: Visit }): VNode | null {
  if (!notice) return null;
  return (
    <div class="console-notice" role="status">
      <p dir="auto">{visible(notice.text)}</p>
      {notice.secret !== undefined && (
        <code class="console-secret" data-copy>
          {notice.secret}
        </code>
      )}
    </div>
  );
}
