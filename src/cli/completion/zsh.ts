// Completion for zsh, as a file in a directory of $fpath or read by `source`. It avoids names with a meaning in zsh (`commands`, `options`,
// `path`).

import { singleQuoted, type Offer, type Value } from "./offers.ts";

/** Finds the command that the words so far name and offers its next words. */
const COMPLETE = `_cairn() {
  local here=cairn kind flag word
  local -i count=0 i=2
  local -a below flags valued choices
  _cairn_here $here
  while ((i < CURRENT)); do
    word=$words[i]
    case $word in
    -*=*) ;;
    -*)
      if (($valued[(Ie)$word])); then
        ((++i))
        if ((i >= CURRENT)); then flag=$word; fi
      fi
      ;;
    *)
      if (($below[(I)$word:*])); then
        here="$here $word"
        _cairn_here $here
      else
        ((++count))
      fi
      ;;
    esac
    ((++i))
  done
  if [[ -z $flag && $words[CURRENT] == --*=* ]]; then
    flag=\${words[CURRENT]%%=*}
    compset -P 1 '*='
  fi
  if [[ -n $flag ]]; then
    _cairn_value "$here $flag"
  elif [[ $words[CURRENT] == -* ]]; then
    _describe -o option flags
    return
  elif (($#below)); then
    _describe command below
    return
  else
    _cairn_value "$here $((count + 1))"
  fi
  case $kind in
  directory) _files -/ ;;
  file) _files ;;
  *) compadd -- $choices ;;
  esac
}

if [[ $funcstack[1] == _cairn ]]; then
  _cairn "$@"
else
  compdef _cairn cairn
fi
`;

export function zshScript(offers: readonly Offer[]): string {
  return `#compdef cairn
# Completion of cairn for zsh. To load it: source <(cairn completion zsh), or put it into a directory of $fpath as _cairn

_cairn_here() {
  below=() flags=() valued=()
  case $1 in
${offers.map(hereCase).join("\n")}
  esac
}

_cairn_value() {
  case $1 in
${offers.flatMap(valueCases).join("\n")}
  esac
}

${COMPLETE}`;
}

function hereCase({ path, commands, flags }: Offer): string {
  const described = flags.flatMap(({ spellings, description }) =>
    spellings.map((name) => ({ name, description })),
  );
  const valued = flags.filter(({ value }) => value).flatMap(({ spellings }) => spellings);
  const parts = [
    ...(commands.length === 0 ? [] : list("below", commands.map(entry))),
    ...list("flags", described.map(entry)),
    ...(valued.length === 0 ? [] : [`valued=(${valued.join(" ")})`]),
  ];
  return `  ${singleQuoted(path)})\n${parts.map((part) => `    ${part}`).join("\n")}\n    ;;`;
}

const entry = ({ name, description }: { name: string; description: string }) =>
  singleQuoted(`${name}:${description}`);

const list = (name: string, entries: readonly string[]) => [
  `${name}=(`,
  ...entries.map((one) => `  ${one}`),
  ")",
];

function valueCases({ path, flags, places }: Offer): string[] {
  return [
    ...flags.flatMap((flag) => flag.spellings.flatMap((name) => valueCase(`${path} ${name}`, flag.value))),
    ...places.flatMap((value, index) => valueCase(`${path} ${index + 1}`, value)),
  ];
}

function valueCase(place: string, value: Value | undefined): string[] {
  if (!value || value.kind === "text") return [];
  const set = value.kind === "words" ? `choices=(${value.words.join(" ")})` : `kind=${value.kind}`;
  return [`  ${singleQuoted(place)}) ${set} ;;`];
}
