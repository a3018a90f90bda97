import { stringify } from 'yaml';
import { listAll } from '../listing.ts';
import type { ManagementClient } from '../management-client.ts';
import { exportManifest } from '../manifest/export.ts';
import { findKind, type Kind, kinds } from '../manifest/kinds.ts';
import { type Command, commonHelp, exitCodes } from './command.ts';
import { openClient, readArguments } from './session.ts';
import { UsageError } from './terminal.ts';

const all: Kind[] = Object.values(kinds);

const usageOf = ({ name, ids }: Kind) => [name, ...ids.map((id) => `<${id}>`)].join(' ');
const listUsageOf = ({ plural, list }: Kind) =>
  list === undefined ? '' : [plural, ...list.ids.map((id) => `<${id}>`)].join(' ');

function kindCalled(name: string | undefined): Kind {
  const kind = name === undefined ? undefined : findKind(name);
  if (kind !== undefined) return kind;
  const known = all.map((one) => one.name).join(', ');
  throw new UsageError(
    name === undefined ? `name a kind: ${known}` : `there is no kind ${name}, only ${known}`,
  );
}

function paramsOf(ids: readonly string[], given: readonly string[]): Record<string, string> {
  return Object.fromEntries(ids.map((id, index) => [id, given[index] ?? '']));
}

export const get: Command = {
  summary: 'show what a deployment holds',
  help: `switchboard get <kind> <ids...> [options]      one
switchboard get <kinds> [ids...] [options]     all
switchboard get manifest [<companyId>]         everything, or one company, as a manifest to apply

  one: ${all
    .filter((kind) => kind.get !== undefined)
    .map(usageOf)
    .join('\n       ')}
  all: ${all
    .filter((kind) => kind.list !== undefined)
    .map(listUsageOf)
    .join('\n       ')}

The answer is YAML, or JSON with --json. A manifest has no project keys, identity secrets, push subscriptions,
conversations or runs of reports.

${commonHelp}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {});
    const [name, ...ids] = positionals;
    const show = (value: unknown) =>
      terminal.out(values.json ? `${JSON.stringify(value, null, 2)}\n` : stringify(value));
    if (name === 'manifest') {
      const [companyId, ...rest] = ids;
      if (rest.length > 0) throw new UsageError('get manifest takes one company or none');
      const onOmitted = (what: string) => terminal.err(`switchboard: left out ${what}\n`);
      const client = openClient(values, terminal);
      show(await exportManifest({ client, onOmitted, ...(companyId === undefined ? {} : { companyId }) }));
      return exitCodes.done;
    }
    const kind = kindCalled(name);
    show(await readThing(openClient(values, terminal), kind, name ?? '', ids));
    return exitCodes.done;
  },
};

async function readThing(client: ManagementClient, kind: Kind, called: string, ids: string[]) {
  const { get: one, list } = kind;
  const wantsAll = one === undefined || (list !== undefined && called === kind.plural);
  if (wantsAll && list !== undefined && ids.length === list.ids.length) {
    return listAll(client, list, paramsOf(list.ids, ids));
  }
  if (one !== undefined && ids.length === kind.ids.length) {
    return client.call(one, { params: paramsOf(kind.ids, ids) });
  }
  const usage = [one === undefined ? '' : usageOf(kind), listUsageOf(kind)].filter((text) => text !== '');
  throw new UsageError(`it is: switchboard get ${usage.join(', or: switchboard get ')}`);
}

const removable = all.filter((kind) => kind.remove !== undefined);

export const remove: Command = {
  summary: 'remove one thing',
  help: `switchboard delete <kind> <ids...> [options]

  ${removable.map(usageOf).join('\n  ')}

Also done when it was not there. A company or project takes along what belongs to it and needs --yes.

  --yes            do it
${commonHelp}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, { yes: { type: 'boolean' } });
    const [name, ...ids] = positionals;
    const kind = kindCalled(name);
    if (kind.remove === undefined) throw new UsageError(`a ${kind.name} cannot be deleted`);
    if (ids.length !== kind.ids.length) throw new UsageError(`it is: switchboard delete ${usageOf(kind)}`);
    const what = [kind.name, ...ids].join(' ');
    if (kind.takesAlong !== undefined && !values.yes) {
      throw new UsageError(`${what} takes along ${kind.takesAlong}; say --yes if that is meant`);
    }
    await openClient(values, terminal).call(kind.remove, { params: paramsOf(kind.ids, ids) });
    terminal.out(values.json ? `${JSON.stringify({ deleted: { kind: kind.name, ids } })}\n` : `- ${what}\n`);
    return exitCodes.done;
  },
};
