import type { FlagUsage } from '@switchboard/management';
import { openClient } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';
import { printable, textColumns } from '../terminal/text-table.ts';
import { findUses, type Use } from './code.ts';

export const flags: Command = {
  summary: 'list stale flags, and the code that uses them',
  help: `switchboard flags stale --project <projectId> [--code <folder>]

Lists the flags that can probably be removed: those that served one variation, or nothing, for 14 days and did not
change for 30, and those that are older than their intent allows.

  --project <id>   the project
  --code <folder>  also print file and line of each use: the key of the flag in quotes. Ignores node_modules and .git.
${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      project: { type: 'string' },
      code: { type: 'string' },
    });
    const { project: projectId, code } = values;
    if (positionals.join(' ') !== 'stale' || projectId === undefined)
      throw new UsageError('usage: switchboard flags stale --project <projectId> [--code <folder>]');
    const client = openClient(values, terminal);
    const { usage } = await client.call('listFlagUsage', { params: { projectId } });
    const stale = usage.filter((flag) => flag.stale !== null);
    const keys = stale.map(({ key }) => key);
    const uses = code === undefined || keys.length === 0 ? [] : await findUses(code, keys);
    if (values.json) {
      const found = stale.map((flag) => ({ ...flag, uses: uses.filter(({ key }) => key === flag.key) }));
      terminal.out(`${JSON.stringify({ flags: code === undefined ? stale : found })}\n`);
    } else if (code === undefined) {
      terminal.out(textColumns(stale.map((flag) => [flag.key, reasonOf(flag)])));
    } else {
      terminal.out(stale.map((flag) => describe(flag, uses)).join(''));
    }
    return EXIT_CODES.done;
  },
};

function reasonOf({ stale, lastSeenAt }: FlagUsage): string {
  const changed = `changed ${dayOf(stale?.changedAt)}`;
  switch (stale?.reason) {
    case 'one_variation':
      return `serves only ${stale.variation}, ${changed}`;
    case 'not_evaluated':
      return `${lastSeenAt === null ? 'never evaluated' : `last evaluated ${dayOf(lastSeenAt)}`}, ${changed}`;
    default:
      return `older than its intent allows, ${changed}`;
  }
}

const dayOf = (time: string | undefined) => time?.slice(0, 10) ?? '';

function describe(flag: FlagUsage, uses: readonly Use[]): string {
  const found = uses.filter(({ key }) => key === flag.key);
  const lines = found.map(({ file, line, text }) => `  ${file}:${line}: ${printable(text)}\n`);
  return `${printable(flag.key)}: ${printable(reasonOf(flag))}\n${lines.join('') || '  no use found\n'}`;
}
