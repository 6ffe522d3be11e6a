// A dialog hides the rest of the page from screen readers, also what is put into the page later. A list that is opened inside the dialog
// stands elsewhere in the page and must be left out of that.

/** For the `ref` of a portal. The attribute is the library's own word for it. */
export function overDialog(portal: HTMLElement | SVGElement): void {
  portal.dataset["reactAriaTopLayer"] = "true";
}
