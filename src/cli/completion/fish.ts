// Completion for fish: one line per offer, with its condition.

import type { Offer, OfferedFlag, Value } from "./offers.ts";

export function fishScript(offers: readonly Offer[]): string {
  const valued = new Set(
    offers.flatMap(({ flags }) => flags.filter(({ value }) => value).flatMap(({ spellings }) => spellings)),
  );
  return `# Completion of cairn for fish. To load it: cairn completion fish | source

# The words so far, without flags and what they take.
function __cairn_words
    set -l skip 0
    for word in (commandline -opc)[2..]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case '-*=*'
            case ${[...valued].sort().join(" ")}
                set skip 1
            case '-*'
            case '*'
                echo $word
        end
    end
end

# Is it exactly this command?
function __cairn_is
    set -l words (__cairn_words)
    test "$words" = "$argv"
end

# Is it this command, with anything after it?
function __cairn_in
    set -l words (__cairn_words)
    test (count $words) -ge (count $argv); and test "$words[1..$(count $argv)]" = "$argv"
end

# Is it this command, and is this place after it the next? The place comes first.
function __cairn_place
    set -l words (__cairn_words)
    __cairn_in $argv[2..]; and test (count $words) = (math (count $argv) - 2 + $argv[1])
end

complete -c cairn -f
${offers.flatMap(linesOf).join("\n")}
`;
}

function linesOf({ path, commands, flags, places }: Offer): string[] {
  const words = path.split(" ").slice(1).join(" ");
  const is = `__cairn_is ${words}`.trim();
  const inside = commands.length > 0 ? is : `__cairn_in ${words}`;
  return [
    ...commands.map(({ name, description }) => line(is, `-a ${quoted(name)}`, description)),
    ...flags.map((flag) => line(inside, flagText(flag), flag.description)),
    ...places.flatMap((value, index) => {
      const offered = valueText(value);
      return offered === "" ? [] : [line(`__cairn_place ${index + 1} ${words}`, offered, undefined)];
    }),
  ];
}

function line(condition: string, offered: string, description: string | undefined): string {
  const told = description === undefined ? "" : ` -d ${quoted(description)}`;
  return `complete -c cairn -n ${quoted(condition)} ${offered}${told}`;
}

function flagText({ spellings, value }: OfferedFlag): string {
  const names = spellings.map((name) =>
    name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  if (value === undefined) return names.join(" ");
  // fish offers files for the value of a flag unless told otherwise.
  const takes = value.kind === "file" ? ["-r"] : ["-x"];
  return [...names, ...takes, valueText(value)].filter((part) => part !== "").join(" ");
}

/** Files are disabled for the whole command, so enable them where a value is a file. */
function valueText(value: Value): string {
  if (value.kind === "words") return `-a ${quoted(value.words.join(" "))}`;
  if (value.kind === "directory") return "-a '(__fish_complete_directories)'";
  return value.kind === "file" ? "-F" : "";
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
