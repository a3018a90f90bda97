import { type Client, isNotFound } from '@switchboard/management';
import { stringify } from 'yaml';
import { listAll } from '../list-all.ts';
import { openClient } from '../login/session.ts';
import { isRecord } from '../manifest/compare.ts';
import { exportManifest } from '../manifest/export.ts';
import { findKind, type Kind, kinds } from '../manifest/kinds.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';

const all: Kind[] = Object.values(kinds);

const usageOf = ({ name, ids }: Kind) => [name, ...ids.map((id) => `<${id}>`)].join(' ');
const listUsageOf = ({ plural, list }: Kind) =>
  list === undefined ? '' : [plural, ...list.ids.map((id) => `<${id}>`)].join(' ');

function kindCalled(name: string | undefined): Kind {
  const kind = name === undefined ? undefined : findKind(name);
  if (kind !== undefined) return kind;
  const known = all.map((one) => one.name).join(', ');
  throw new UsageError(
    name === undefined ? `name a kind: ${known}` : `unknown kind ${name}; use one of ${known}`,
  );
}

function paramsOf(ids: readonly string[], given: readonly string[]): Record<string, string> {
  return Object.fromEntries(ids.map((id, index) => [id, given[index] ?? '']));
}

export const get: Command = {
  summary: 'show resources',
  help: `switchboard get <kind> <ids...> [options]      one resource
switchboard get <kinds> [ids...] [options]     all of a kind
switchboard get manifest [<companyId>]         everything, or one company, as a manifest

  one: ${all
    .filter((kind) => kind.get !== undefined)
    .map(usageOf)
    .join('\n       ')}
  all: ${all
    .filter((kind) => kind.list !== undefined)
    .map(listUsageOf)
    .join('\n       ')}

Prints YAML, or JSON with --json. A manifest leaves out project keys, identity secrets, push subscriptions,
conversations and report runs.

${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {});
    const [name, ...ids] = positionals;
    const show = (value: unknown) =>
      terminal.out(values.json ? `${JSON.stringify(value, null, 2)}\n` : stringify(value));
    if (name === 'manifest') {
      const [companyId, ...rest] = ids;
      if (rest.length > 0) throw new UsageError('get manifest takes at most one company');
      const onOmitted = (what: string) => terminal.err(`switchboard: skipped ${what}\n`);
      const client = openClient(values, terminal);
      show(await exportManifest({ client, onOmitted, ...(companyId === undefined ? {} : { companyId }) }));
      return EXIT_CODES.done;
    }
    const kind = kindCalled(name);
    show(await readResources(openClient(values, terminal), kind, name ?? '', ids));
    return EXIT_CODES.done;
  },
};

async function readResources(client: Client, kind: Kind, called: string, ids: string[]) {
  const { get: one, list } = kind;
  const wantsAll = one === undefined || (list !== undefined && called === kind.plural);
  if (wantsAll && list !== undefined && ids.length === list.ids.length) {
    return listAll(client, list, paramsOf(list.ids, ids));
  }
  if (one !== undefined && ids.length === kind.ids.length) {
    return client.untyped.call(one, { params: paramsOf(kind.ids, ids) });
  }
  const usage = [one === undefined ? '' : usageOf(kind), listUsageOf(kind)].filter((text) => text !== '');
  throw new UsageError(`usage: switchboard get ${usage.join(', or switchboard get ')}`);
}

/** Returns whether the resource exists. Looks in the list for kinds that cannot be read individually. */
async function exists(client: Client, kind: Kind, params: Record<string, string>) {
  try {
    if (kind.get !== undefined) {
      await client.untyped.call(kind.get, { params });
      return true;
    }
    if (kind.list === undefined) return true;
    const id = params[kind.ids.at(-1) ?? ''];
    const found = await listAll(client, kind.list, params);
    return found.some((one) => one === id || (isRecord(one) && one['id'] === id));
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

const removable = all.filter((kind) => kind.remove !== undefined);

export const remove: Command = {
  summary: 'delete one resource',
  help: `switchboard delete <kind> <ids...> [options]

  ${removable.map(usageOf).join('\n  ')}

Deleting a resource that does not exist changes nothing and succeeds. Deleting a company or project also deletes
what belongs to it and needs --yes.

  --yes            confirm
${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, { yes: { type: 'boolean' } });
    const [name, ...ids] = positionals;
    const kind = kindCalled(name);
    if (kind.remove === undefined) throw new UsageError(`a ${kind.name} cannot be deleted`);
    if (ids.length !== kind.ids.length) throw new UsageError(`usage: switchboard delete ${usageOf(kind)}`);
    const what = [kind.name, ...ids].join(' ');
    if (kind.cascade !== undefined && !values.yes) {
      throw new UsageError(`deleting ${what} also deletes ${kind.cascade}; confirm with --yes`);
    }
    const client = openClient(values, terminal);
    const params = paramsOf(kind.ids, ids);
    const deleted = await exists(client, kind, params);
    if (deleted) await client.untyped.call(kind.remove, { params });
    const text = deleted ? `- ${what}` : `${what}: not found, nothing deleted`;
    terminal.out(`${values.json ? JSON.stringify({ deleted, kind: kind.name, ids }) : text}\n`);
    return EXIT_CODES.done;
  },
};
