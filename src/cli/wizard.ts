// A sequence of questions: each sees the answers so far, those whose answer is known are skipped, and Escape goes back to the one before.
// Nothing is written while it runs.

import { BACK, cancelled, type Answered } from "../kit/terminal/prompts.ts";

export interface Question<A> {
  /** False: the answer is known, or nobody needs it. */
  readonly isOpen: (answers: A) => boolean;
  /** Returns the answers with its own, if it is clear without asking; going back passes it by. */
  readonly known?: (answers: A) => Promise<A | undefined>;
  /** Returns the answers with its own. `last`: what the person answered before going back. */
  readonly ask: (answers: A, last: A) => Promise<Answered<A>>;
}

/** Raises `refused` if the person cancels, or goes back from the first question. */
export async function askEach<A extends object>(questions: readonly Question<A>[], given: A): Promise<A> {
  const asked: { readonly index: number; readonly answers: A }[] = [];
  let answers = given;
  let last = given;
  let index = 0;
  while (index < questions.length) {
    const question = questions[index]!;
    const known = question.isOpen(answers) ? await question.known?.(answers) : answers;
    if (known !== undefined) {
      answers = known;
      index += 1;
      continue;
    }
    const answer = await question.ask(answers, last);
    if (answer === BACK) {
      const before = asked.pop();
      if (before === undefined) throw cancelled();
      ({ index, answers } = before);
      continue;
    }
    asked.push({ index, answers });
    answers = answer;
    last = { ...last, ...answer };
    index += 1;
  }
  return answers;
}
