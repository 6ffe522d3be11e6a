// Parses the server field: this server, another one whose login page can be opened, or an invalid address.

type ServerAddress =
  | { readonly kind: "here" }
  | { readonly kind: "other"; readonly host: string; readonly login: string }
  | { readonly kind: "wrong"; readonly why: string };

/** `origin`: of this page. The scheme defaults to the page's. Only the host and port of the input are used. */
export function serverAddress(typed: string, origin: string): ServerAddress {
  const text = typed.trim();
  if (text === "") return wrong("Enter the address of a server.");
  const url = URL.parse(
    /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${new URL(origin).protocol}//${text}`,
  );
  if (!url || /[\s\\]/.test(text)) return wrong("Not a valid address. Example: https://cairn.example.org");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return wrong("The address must start with http:// or https://.");
  if (url.username !== "" || url.password !== "")
    return wrong("The address must not contain a user name or password.");
  if (url.origin === origin) return { kind: "here" };
  return { kind: "other", host: url.host, login: `${url.origin}/login` };
}

function wrong(why: string): ServerAddress {
  return { kind: "wrong", why };
}
