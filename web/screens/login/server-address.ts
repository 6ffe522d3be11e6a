// What a person typed as the server: this one, another one whose own login page can be opened, or nothing that is an address.

export type ServerAddress =
  | { readonly kind: "here" }
  | { readonly kind: "other"; readonly host: string; readonly login: string }
  | { readonly kind: "wrong"; readonly why: string };

/** `origin`: of this page. Without a scheme the page's own is meant. Only the host and port of what was typed are used. */
export function serverAddress(typed: string, origin: string): ServerAddress {
  const text = typed.trim();
  if (text === "") return wrong("Give the address of a server.");
  const url = URL.parse(
    /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${new URL(origin).protocol}//${text}`,
  );
  if (!url || /[\s\\]/.test(text))
    return wrong("This is not an address: write it like https://cairn.example.org.");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return wrong("The address must begin with http:// or https://.");
  if (url.username !== "" || url.password !== "")
    return wrong("The address must not contain a name or a password.");
  if (url.origin === origin) return { kind: "here" };
  return { kind: "other", host: url.host, login: `${url.origin}/login` };
}

function wrong(why: string): ServerAddress {
  return { kind: "wrong", why };
}
