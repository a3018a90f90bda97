import type { Page } from './pages.ts';
import { classifyCommand, START } from './programs.ts';
import { functionsOf, type Statement, statementsOf } from './statements.ts';

/** The statements of a page that run here, and those that do not. */
export interface Plan {
  run: Statement[];
  notRun: Statement[];
  /** The prefixes of commands that are known not to run here. */
  known: Set<string>;
  refused: { at: string; reason: string }[];
}

/**
 * Sorts the statements of a page. The command that starts Switchboard is skipped: it runs already. After a statement
 * that cannot run here, the rest of its block is skipped too, because it may depend on it.
 */
export function planOf(page: Page): Plan {
  const plan: Plan = { run: [], notRun: [], known: new Set(), refused: [] };
  const functions = new Set<string>();
  for (const block of page.blocks.filter(({ language }) => language === 'sh')) {
    let stopped = false;
    const { statements, error } = statementsOf(page, block);
    if (error !== undefined) plan.refused.push({ at: `${page.path}:${block.line}`, reason: error });
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
