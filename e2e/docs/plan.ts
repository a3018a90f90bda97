import type { CodeBlock } from '@switchboard/testkit';
import type { Page } from './pages.ts';
import { classifyCommand, START } from './programs.ts';
import { functionsOf, type Statement, statementsOf } from './statements.ts';

/** The statements of a page that the test runs, and those that it does not. */
export interface Plan {
  run: Statement[];
  notRun: Statement[];
  /** The prefixes of commands that the test is known not to run. */
  known: Set<string>;
  refused: { at: string; reason: string }[];
}

/** Returns whether a block is the response to the last command of the block before: JSON directly below it. */
export function isAnswer(before: CodeBlock | undefined, { language, line }: CodeBlock): boolean {
  if (before?.language !== 'sh' || language !== 'json') return false;
  return line === before.line + before.text.split('\n').length + 2;
}

/**
 * Sorts the statements of a page. Skips the command that starts Switchboard, because it already runs. After a
 * statement that cannot run here, skips the rest of its block too, because it may depend on that statement.
 */
export function planOf(page: Page): Plan {
  const plan: Plan = { run: [], notRun: [], known: new Set(), refused: [] };
  const functions = new Set<string>();
  for (const [index, block] of page.blocks.entries()) {
    if (block.language !== 'sh') continue;
    let stopped = false;
    const { statements, error } = statementsOf(page, block);
    if (error !== undefined) plan.refused.push({ at: `${page.path}:${block.line}`, reason: error });
    const next = page.blocks[index + 1];
    const last = statements.at(-1);
    if (last !== undefined && next !== undefined && isAnswer(block, next))
      last.shown ??= { status: 200, body: next.text };
    for (const statement of statements) {
      for (const name of functionsOf(statement.text)) functions.add(name);
      if (statement.text === START) continue;
      for (const words of statement.commands) {
        const found = classifyCommand(words, functions);
        if ('refused' in found)
          plan.refused.push({ at: `${page.path}:${statement.line}`, reason: found.refused });
        else if (!found.runs) {
          plan.known.add(found.prefix);
          stopped = true;
        }
      }
      if (!stopped) plan.run.push(statement);
      else plan.notRun.push(statement);
    }
  }
  return plan;
}
