import { ManagementError } from '@switchboard/management';
import { openClient } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';

export const keys: Command = {
  summary: 'create, revoke and list project keys',
  help: `switchboard keys create <projectId>
switchboard keys revoke <projectId> <key>
switchboard keys list <projectId>

A project key is public and names the project. To replace one, create a new key, ship it, and revoke the old key
once no client sends it. A revoked key is refused everywhere within a second and cannot be restored.

${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {});
    const [verb, projectId, key, ...rest] = positionals;
    const isComplete =
      projectId !== undefined && rest.length === 0 && (verb === 'revoke') === (key !== undefined);
    if (!isComplete || (verb !== 'create' && verb !== 'revoke' && verb !== 'list')) {
      throw new UsageError(
        'usage: switchboard keys create|list <projectId>, or switchboard keys revoke <projectId> <key>',
      );
    }
    const client = openClient(values, terminal);
    const show = (value: object, text: string) =>
      terminal.out(values.json ? `${JSON.stringify(value)}\n` : `${text}\n`);
    if (verb === 'create') {
      const made = await client.call('createProjectKey', { params: { projectId } });
      show(made, made.key);
      return EXIT_CODES.done;
    }
    const { keys: live } = await client.call('listProjectKeys', { params: { projectId } });
    if (verb === 'list') {
      show({ keys: live }, live.join('\n'));
      return EXIT_CODES.done;
    }
    if (key === undefined || !live.includes(key)) {
      throw new ManagementError(
        `${key}: not a live key of project ${projectId}; list them with switchboard keys list ${projectId}`,
      );
    }
    await client.call('revokeProjectKey', { params: { projectId, key } });
    show({ revoked: key }, `- key ${projectId} ${key}`);
    return EXIT_CODES.done;
  },
};
