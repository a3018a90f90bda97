import { openClient } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';

export const ids: Command = {
  summary: 'join and part the distinct ids of a person',
  help: `switchboard ids join <projectId> <distinctId> <otherId>
switchboard ids part <projectId> <distinctId> <otherId>

join makes the person of the other id the same person. part takes the other id out again, and each has what it had
before. Both print the ids of the person. Events keep the id that they were sent with.

${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {});
    const [verb, projectId, distinctId, otherId, ...rest] = positionals;
    const isComplete =
      projectId !== undefined && distinctId !== undefined && otherId !== undefined && rest.length === 0;
    if (!isComplete || (verb !== 'join' && verb !== 'part'))
      throw new UsageError('usage: switchboard ids join|part <projectId> <distinctId> <otherId>');
    const client = openClient(values, terminal);
    const params = { projectId, distinctId };
    const person =
      verb === 'join'
        ? await client.call('joinPeople', { params, body: { distinctId: otherId } })
        : await client.call('partPeople', { params: { ...params, joinedId: otherId } });
    const lines = person.ids.map((one) => `${one.distinctId}\n`).join('');
    terminal.out(values.json ? `${JSON.stringify(person)}\n` : lines);
    return EXIT_CODES.done;
  },
};
