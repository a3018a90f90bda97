import type { FlagEntry } from '@switchboard/management';
import { openClient } from '../login/session.ts';
import { type Difference, differencesOf } from '../manifest/compare.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';
import { printable } from '../terminal/text-table.ts';

const USAGE = 'usage: switchboard promote [<flag>] --from <projectId> --to <projectId>';

export const promote: Command = {
  summary: 'copy a flag to another project',
  help: `switchboard promote <flag> --from <projectId> --to <projectId>
switchboard promote --from <projectId> --to <projectId>

Replaces the flag of the same key in the other project of the company, such as production. A cohort becomes the one
that has its name there. Without <flag>, lists the flags of --from that differ in --to, and exits with 3 if there are
any.

  --from <projectId>  the project to copy from
  --to <projectId>    the project to copy to
  --dry-run           print what would change, and change nothing
  --reason <text>     the reason, for the history of the flag
${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      from: { type: 'string' },
      to: { type: 'string' },
      'dry-run': { type: 'boolean' },
      reason: { type: 'string' },
    });
    const [key, ...rest] = positionals;
    const { from, to, reason } = values;
    if (from === undefined || to === undefined || rest.length > 0) throw new UsageError(USAGE);
    const client = openClient(values, terminal);
    const flagsOf = async (projectId: string) => {
      const { flags } = await client.call('listFlags', { params: { projectId } });
      return new Map(flags.map((flag) => [flag.key, flag]));
    };
    const [here, there] = await Promise.all([flagsOf(from), flagsOf(to)]);
    const wanted = key === undefined ? [...here.values()] : [flagOf(here, key)];
    const differing = wanted
      .map((flag) => ({ key: flag.key, differences: differencesOf(there.get(flag.key), flag) }))
      .filter(({ differences }) => differences.length > 0);
    const show = () =>
      terminal.out(
        values.json
          ? `${JSON.stringify({ flags: differing })}\n`
          : differing.map((one) => describe(to, one)).join(''),
      );
    if (key === undefined || values['dry-run']) {
      show();
      return differing.length > 0 ? EXIT_CODES.different : EXIT_CODES.done;
    }
    await client.call('promoteFlag', { params: { projectId: from, key }, body: { to, reason } });
    show();
    return EXIT_CODES.done;
  },
};

function flagOf(flags: ReadonlyMap<string, FlagEntry>, key: string): FlagEntry {
  const flag = flags.get(key);
  if (flag === undefined) throw new UsageError(`${key}: the project of --from has no such flag`);
  return flag;
}

function describe(to: string, { key, differences }: { key: string; differences: Difference[] }): string {
  const isNew = differences[0]?.path === '';
  const lines = differences.map(
    ({ path, from, to: wanted }) => `    ${printable(path)}: ${textOf(from)} -> ${textOf(wanted)}\n`,
  );
  return `${isNew ? '+' : '~'} flag ${to} ${printable(key)}\n${isNew ? '' : lines.join('')}`;
}

const textOf = (value: unknown) => (value === undefined ? 'not set' : printable(JSON.stringify(value)));
