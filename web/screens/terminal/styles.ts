// The terminal's renderer writes style elements and `style` attributes, which the service's CSP refuses. While a terminal is open, the page's
// `createElement` returns elements that do the same in ways that the CSP allows: rules go into a constructed style sheet, attributes through
// the element's own style. The renderer's document override does not reach its letters and scroll bar. No other code on the page can miss the
// originals, since the CSP would refuse them.

/** Call before creating a terminal, one at a time. Returns a function that restores the page. */
export function allowTerminalStyles(): () => void {
  const sheets: CSSStyleSheet[] = [];
  const create: (name: string, options?: ElementCreationOptions) => HTMLElement =
    Document.prototype.createElement.bind(document);
  const replaced = (name: string, options?: ElementCreationOptions): HTMLElement => {
    if (name === "style") return ruleElement(create("span"), sheets);
    return name === "span" ? withStyle(create(name, options)) : create(name, options);
  };
  Object.defineProperty(document, "createElement", { configurable: true, value: replaced });
  return () => {
    Reflect.deleteProperty(document, "createElement");
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
  };
}

/** A stand-in for a style element, whose text becomes a style sheet. */
function ruleElement(element: HTMLElement, sheets: CSSStyleSheet[]): HTMLElement {
  const sheet = new CSSStyleSheet();
  sheets.push(sheet);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  element.hidden = true;
  let text = "";
  return Object.defineProperty(element, "textContent", {
    get: () => text,
    set: (rules: string) => {
      text = rules;
      sheet.replaceSync(rules);
    },
  });
}

function withStyle(element: HTMLElement): HTMLElement {
  element.setAttribute = (name, value) => {
    if (name === "style") element.style.cssText = value;
    else Element.prototype.setAttribute.call(element, name, value);
  };
  return element;
}
