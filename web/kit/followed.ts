// Keeps the fields of a form in step with a record that someone else changes while the form is open.

/** Merges a record changed elsewhere into the form: edited fields stay, the others follow. */
export function followed<T extends { readonly [Field in keyof T]: string }>(
  typed: T,
  before: T,
  after: T,
): T {
  const edited = Object.entries(typed).filter(([field, text]) => text !== before[field as keyof T]);
  return { ...after, ...Object.fromEntries(edited) };
}
