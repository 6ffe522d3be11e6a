// Where editors live: a shadow root. In it the editor keeps its rules in style sheets of scripts, which the CSP allows; in the page itself
// it would write style elements, which the CSP refuses. Tokens pass into it, since custom properties are inherited; our classes do not.

import highlight from "../../styles/highlight.css?inline";
import look from "./look.css?inline";

let sheet: CSSStyleSheet | undefined;

/** The root in `host`, with our look in it. The editor puts its own sheet before ours, so that ours wins. */
export function editorRoot(host: HTMLElement): ShadowRoot {
  if (host.shadowRoot) return host.shadowRoot;
  const root = host.attachShadow({ mode: "open" });
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(highlight + look);
  }
  root.adoptedStyleSheets = [sheet];
  return root;
}
