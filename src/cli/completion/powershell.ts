// Completion for PowerShell. Where it offers nothing, the shell offers files.

import type { Offer, OfferedFlag, Value } from "./offers.ts";

export function powershellScript(offers: readonly Offer[]): string {
  return `# Completion of cairn for PowerShell. To load it: cairn completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName cairn -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $tree = @{
${offers.map(entryOf).join("\n")}
  }
  $here = 'cairn'
  $flag = $null
  $count = 0
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
  foreach ($word in $words) {
    $at = $tree[$here]
    if ($flag) { $flag = $null }
    elseif ($word.StartsWith('-')) { if ($at.Takes.Contains($word)) { $flag = $word } }
    elseif ($at.Below.Contains($word)) { $here = "$here $word" }
    else { $count++ }
  }
  $at = $tree[$here]
  $offered = [ordered]@{}
  if ($flag) { foreach ($word in $at.Takes[$flag]) { $offered[$word] = $word } }
  elseif ($wordToComplete.StartsWith('-')) { $offered = $at.Flags }
  elseif ($at.Below.Count -gt 0) { $offered = $at.Below }
  else { foreach ($word in $at.Places["$($count + 1)"]) { $offered[$word] = $word } }
  $offered.Keys | Where-Object { $_ -and $_.StartsWith($wordToComplete) } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $offered[$_])
  }
}
`;
}

function entryOf({ path, commands, flags, places }: Offer): string {
  const parts = [
    ["Below", commands.map(({ name, description }) => [name, quoted(description)])],
    ["Flags", flags.flatMap(flagEntries)],
    [
      "Takes",
      flags.flatMap(({ spellings, value }) =>
        value === undefined ? [] : spellings.map((name) => [name, wordsOf(value)]),
      ),
    ],
    ["Places", places.map((value, index) => [String(index + 1), wordsOf(value)])],
  ] as const;
  const shown = parts.map(([name, entries]) => `      ${name} = ${table(entries)}`);
  return `    ${quoted(path)} = @{\n${shown.join("\n")}\n    }`;
}

function flagEntries({ spellings, description }: OfferedFlag): string[][] {
  // PowerShell rejects an empty tooltip.
  return spellings.map((name) => [name, quoted(description === "" ? name : description)]);
}

function table(entries: readonly (readonly string[])[]): string {
  if (entries.length === 0) return "[ordered]@{}";
  const lines = entries.map(([key, value]) => `        ${quoted(key!)} = ${value}`);
  return `[ordered]@{\n${lines.join("\n")}\n      }`;
}

function wordsOf(value: Value): string {
  return value.kind === "words" ? `@(${value.words.map(quoted).join(", ")})` : "@()";
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
