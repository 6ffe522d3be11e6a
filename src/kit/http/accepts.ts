// Reads the Accept headers of RFC 9110, section 12.5.

/** `br` and `br;q=0.5` accept `br`, but `br;q=0` does not. `wanted` is in lower case. */
export function accepts(header: string, wanted: string): boolean {
  return header.split(",").some((item) => {
    const [name, ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    return name === wanted && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
