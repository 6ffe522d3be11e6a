// The terminal's renderer writes its rules into style elements, and the colours of single letters into `style` attributes; the service's CSP
// refuses both. While a terminal is open, the page's `createElement` hands out elements that do the same by ways that the CSP allows: rules
// go into a style sheet of a script, and the attribute is set through the element's own style. (The renderer's option for another document
// does not reach its letters and its scroll bar.) Nobody else on the page could use what is replaced: the CSP would refuse it.

/** To be called before a terminal is made; the result takes everything back. One at a time. */
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

/** Stands for a style element: what is written into it becomes a style sheet. */
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
