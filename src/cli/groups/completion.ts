// `cairn completion`: what makes a shell complete commands, flags and their words. Written from the tree of commands as it runs, so that
// nothing has to be kept in step.

import { defineCommand } from "citty";
import { oneOfWords } from "../../kit/arguments.ts";
import { commandTree, type Program } from "../../kit/cli.ts";
import { formatOf, printData } from "../../kit/output.ts";
import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { offersOf, type Offer } from "../completion/offers.ts";
import { powershellScript } from "../completion/powershell.ts";
import { zshScript } from "../completion/zsh.ts";

const SHELLS: Readonly<Record<string, (offers: readonly Offer[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

/** `program`: the whole command line, which is being defined when this is imported. */
export const completionOf = (program: () => Program) =>
  defineCommand({
    meta: { name: "completion", description: "Print the completion script for your shell" },
    args: {
      shell: oneOfWords(Object.keys(SHELLS), {
        type: "positional",
        required: true,
        valueHint: "shell",
        description: `One of ${Object.keys(SHELLS).join(", ")}`,
      }),
    },
    async run({ args }) {
      const script = SHELLS[args.shell]!(offersOf(await commandTree(program())));
      await printData({ shell: args.shell, script }, formatOf(args), (made) => made.script.trimEnd());
    },
  });
