// Editors live in a shadow root. There CodeMirror uses constructed style sheets, which the CSP allows; in the page it would write style
// elements, which the CSP refuses. Custom properties are inherited into the root, our classes are not.

import highlight from "../../styles/highlight.css?inline";
import look from "./look.css?inline";

let sheet: CSSStyleSheet | undefined;

/** Returns the shadow root of `host` with our sheet. The editor prepends its own sheet, so ours wins. */
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
