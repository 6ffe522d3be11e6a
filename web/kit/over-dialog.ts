// A dialog hides the rest of the page from screen readers, including elements added later. A list opened inside the dialog is rendered
// elsewhere in the page and must be exempt.

/** For the `ref` of a portal. The library defines the attribute. */
export function overDialog(portal: HTMLElement | SVGElement): void {
  portal.dataset["reactAriaTopLayer"] = "true";
}
