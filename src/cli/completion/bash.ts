// Completion for bash 3.2 and later, without other packages. Names of commands and flags contain no blanks, so lists of them are plain text.

import { singleQuoted, type Offer, type Value } from "./offers.ts";

/** Finds the command that the words so far name and offers its next words. */
const COMPLETE = `_cairn() {
  local here=cairn commands flags valued choices= kind= flag= word count=0 i=1
  local current=\${COMP_WORDS[COMP_CWORD]}
  _cairn_here "$here"
  while ((i < COMP_CWORD)); do
    word=\${COMP_WORDS[i]}
    case $word in
    -*=*) ;;
    -*)
      if [[ " $valued " == *" $word "* ]]; then
        ((++i))
        # To bash, the sign in --flag=value is a word of its own.
        if [[ \${COMP_WORDS[i]} == = ]]; then
          if ((i == COMP_CWORD)); then
            current=
          else
            ((++i))
          fi
        fi
        if ((i >= COMP_CWORD)); then flag=$word; fi
      fi
      ;;
    *)
      if [[ " $commands " == *" $word "* ]]; then
        here="$here $word"
        _cairn_here "$here"
      else
        ((++count))
      fi
      ;;
    esac
    ((++i))
  done
  if [[ -n $flag ]]; then
    _cairn_value "$here $flag"
  elif [[ $current == -* ]]; then
    choices=$flags
  elif [[ -n $commands ]]; then
    choices=$commands
  else
    _cairn_value "$here $((count + 1))"
  fi
  COMPREPLY=()
  case $kind in
  directory) set -- -d ;;
  file) set -- -f ;;
  *) set -- -W "$choices" ;;
  esac
  if [[ -n $kind ]]; then compopt -o filenames 2>/dev/null; fi
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(compgen "$@" -- "$current")
}

complete -F _cairn cairn
`;

export function bashScript(offers: readonly Offer[]): string {
  return `# Completion of cairn for bash. To load it: source <(cairn completion bash)

_cairn_here() {
  commands= flags= valued=
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
  const all = flags.flatMap((flag) => flag.spellings);
  const valued = flags.filter(({ value }) => value).flatMap((flag) => flag.spellings);
  const parts = [
    ...(commands.length === 0 ? [] : [`commands=${words(commands.map(({ name }) => name))}`]),
    `flags=${words(all)}`,
    ...(valued.length === 0 ? [] : [`valued=${words(valued)}`]),
  ];
  return `  ${singleQuoted(path)})\n${parts.map((part) => `    ${part}`).join("\n")}\n    ;;`;
}

function valueCases({ path, flags, places }: Offer): string[] {
  return [
    ...flags.flatMap((flag) => flag.spellings.flatMap((name) => valueCase(`${path} ${name}`, flag.value))),
    ...places.flatMap((value, index) => valueCase(`${path} ${index + 1}`, value)),
  ];
}

function valueCase(place: string, value: Value | undefined): string[] {
  if (!value || value.kind === "text") return [];
  const set = value.kind === "words" ? `choices=${words(value.words)}` : `kind=${value.kind}`;
  return [`  ${singleQuoted(place)}) ${set} ;;`];
}

const words = (list: readonly string[]) => singleQuoted(list.join(" "));
