import { openClient } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';

export const signingKeys: Command = {
  summary: 'rotate the signing keys of the identity service',
  help: `switchboard signing-keys rotate [--revoke]

Creates a key. It signs after an hour, when every service has fetched it. The previous key verifies for another day.

  --revoke         for a leaked key: delete the previous keys, and sign with the new one at once. Services refuse the
                   tokens of the previous keys after at most ten minutes, and new tokens for up to 30 seconds.
${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, { revoke: { type: 'boolean' } });
    const [verb, ...rest] = positionals;
    if (verb !== 'rotate' || rest.length > 0)
      throw new UsageError('usage: switchboard signing-keys rotate [--revoke]');
    const body = { revoke: values.revoke === true };
    const newest = await openClient(values, terminal).call('rotateSigningKeys', { body });
    const text = `+ signing key ${newest.id}, signs from ${newest.signsFrom}`;
    terminal.out(values.json ? `${JSON.stringify(newest)}\n` : `${text}\n`);
    return EXIT_CODES.done;
  },
};
