import type { CodeBlock } from '@switchboard/testkit';
import { forEachChild, parse, type SyntaxNode } from 'unbash';
import type { Page } from './pages.ts';

/** One top-level command of a page, including nested commands. */
export interface Statement {
  page: string;
  line: number;
  text: string;
  /** The words of each command in it. */
  commands: string[][];
  /** The response in the comment below it: `# 201 {"id":"..."}`. */
  shown?: { status: number; body: string };
}

/** Returns the statements of a shell block, and its syntax error if it has one. */
export function statementsOf({ path }: Page, block: CodeBlock): { statements: Statement[]; error?: string } {
  const script = parse(block.text);
  const [error] = script.errors ?? [];
  if (error !== undefined) return { statements: [], error: error.message };
  const statements = script.commands.map(({ pos, end, command }, index) => {
    const after = block.text.slice(end, script.commands[index + 1]?.pos);
    const [, status, body = ''] = /^# ([1-5]\d\d)(?: (.*))?$/m.exec(after) ?? [];
    return {
      page: path,
      line: block.line + block.text.slice(0, pos).split('\n').length - 1,
      text: block.text.slice(pos, end),
      commands: commandsOf(command),
      ...(status !== undefined && { shown: { status: Number(status), body } }),
    };
  });
  return { statements };
}

function commandsOf(node: SyntaxNode): string[][] {
  const inside: string[][] = [];
  forEachChild(node, (child) => inside.push(...commandsOf(child)));
  if (node.type !== 'Command' || node.name === undefined) return inside;
  const words = node.args.map((arg) => (arg.type === 'Word' ? arg.value : arg.text));
  return [[node.name.value, ...words], ...inside];
}

/** Returns the names of functions that a statement defines. Later statements may call them. */
export function functionsOf(text: string): string[] {
  const names: string[] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Function') names.push(node.name.value);
    forEachChild(node, visit);
  };
  visit(parse(text));
  return names;
}
