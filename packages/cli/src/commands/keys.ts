import { createProjectKey } from '@switchboard/contracts';
import { z } from 'zod';
import { listAll } from '../listing.ts';
import { ManagementError } from '../management-client.ts';
import { kinds } from '../manifest/kinds.ts';
import { type Command, commonHelp, exitCodes } from './command.ts';
import { openClient, readArguments } from './session.ts';
import { UsageError } from './terminal.ts';

const created = z.object({ key: z.string() });

export const keys: Command = {
  summary: 'make, revoke and list project keys',
  help: `switchboard keys create <projectId>
switchboard keys revoke <projectId> <key>
switchboard keys list <projectId>

A key says which project is meant; it is public. To replace one, make a new one, ship it, and revoke the old one
when nobody sends it any more: a revoked key is refused everywhere within a second, for good.

${commonHelp}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {});
    const [verb, projectId, key, ...rest] = positionals;
    const isComplete =
      projectId !== undefined && rest.length === 0 && (verb === 'revoke') === (key !== undefined);
    if (!isComplete || (verb !== 'create' && verb !== 'revoke' && verb !== 'list')) {
      throw new UsageError(
        'it is: switchboard keys create|list <projectId>, or keys revoke <projectId> <key>',
      );
    }
    const client = openClient(values, terminal);
    const show = (value: object, text: string) =>
      terminal.out(values.json ? `${JSON.stringify(value)}\n` : `${text}\n`);
    if (verb === 'create') {
      const made = created.parse(await client.call(createProjectKey, { params: { projectId } }));
      show(made, made.key);
      return exitCodes.done;
    }
    const live = z.array(z.string()).parse(await listAll(client, kinds.key.list, { projectId }));
    if (verb === 'list') {
      show({ keys: live }, live.join('\n'));
      return exitCodes.done;
    }
    if (!live.includes(key ?? '')) {
      throw new ManagementError(
        `${key} is no live key of project ${projectId}; switchboard keys list names them`,
      );
    }
    await client.call(kinds.key.remove, { params: { projectId, key: key ?? '' } });
    show({ revoked: key }, `- key ${projectId} ${key}`);
    return exitCodes.done;
  },
};
