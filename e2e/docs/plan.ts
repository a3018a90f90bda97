import type { CodeBlock, Page } from './pages.ts';
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

/** Returns the JSON block directly below a shell block: the response to its last command. */
function answerBelow({ line, text }: CodeBlock, next: CodeBlock | undefined): string | undefined {
  const isBelow = next?.language === 'json' && next.line === line + text.split('\n').length + 2;
  return isBelow ? next.text : undefined;
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
    const answer = answerBelow(block, page.blocks[index + 1]);
    const last = statements.at(-1);
    if (last !== undefined && answer !== undefined) last.shown ??= { status: 200, body: answer };
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
