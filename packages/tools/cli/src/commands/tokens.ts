import { apiTokenDefinition } from '@switchboard/contracts';
import type { ApiToken } from '@switchboard/management';
import { z } from 'zod';
import { openClient } from '../login/session.ts';
import { readArguments } from '../terminal/arguments.ts';
import { COMMON_HELP, type Command, EXIT_CODES } from '../terminal/command.ts';
import { UsageError } from '../terminal/terminal.ts';
import { printable } from '../terminal/text-table.ts';

const options = {
  name: { type: 'string' },
  service: { type: 'boolean' },
  permission: { type: 'string', multiple: true },
  project: { type: 'string', multiple: true },
  days: { type: 'string' },
  overlap: { type: 'string' },
} as const;

const USAGE =
  'usage: switchboard tokens create <companyId> --name <name> --permission <permission>..., list <companyId>, rotate|revoke <companyId> <tokenId>';

export const tokens: Command = {
  summary: 'create, list, rotate and revoke tokens for automation',
  help: `switchboard tokens create <companyId> --name <name> --permission <permission>... [options]
switchboard tokens list <companyId>
switchboard tokens rotate <companyId> <tokenId> [--overlap <seconds>] [--days <days>]
switchboard tokens revoke <companyId> <tokenId>

A personal access token acts as you, with no more than your role allows at that moment. A service token belongs to the
company. The value of a token is printed once.

  --service          create a service token; without it, a personal access token
  --permission <p>   what it may do, such as flags.write; repeat it for more
  --project <id>     the only project it works in; repeat it for more (default: the company)
  --days <n>         days until it expires (default: 90)
  --overlap <s>      seconds for which the old value stays valid (default: 3600)
${COMMON_HELP}
`,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, options);
    const [verb, companyId, tokenId, ...rest] = positionals;
    const needsToken = verb === 'rotate' || verb === 'revoke';
    if (companyId === undefined || rest.length > 0 || needsToken !== (tokenId !== undefined)) {
      throw new UsageError(USAGE);
    }
    const client = openClient(values, terminal);
    const show = (value: object, text: string) =>
      terminal.out(values.json ? `${JSON.stringify(value)}\n` : `${text}\n`);
    const days = values.days === undefined ? {} : { expiresInDays: wholeNumber('--days', values.days) };

    if (verb === 'create') {
      const { name, permission = [], project } = values;
      if (name === undefined || permission.length === 0) throw new UsageError(USAGE);
      const body = apiTokenDefinition.safeParse({
        name,
        kind: values.service === true ? 'service' : 'personal',
        permissions: permission,
        projectIds: project ?? null,
        ...days,
      });
      if (!body.success) throw new UsageError(z.prettifyError(body.error));
      const made = await client.call('createApiToken', { params: { companyId }, body: body.data });
      show(made, made.token);
      return EXIT_CODES.done;
    }
    if (verb === 'list') {
      const all: ApiToken[] = [];
      for await (const token of client.list('listApiTokens', { params: { companyId } })) all.push(token);
      show({ tokens: all }, all.map(lineOf).join('\n'));
      return EXIT_CODES.done;
    }
    const params = { companyId, tokenId: tokenId ?? '' };
    if (verb === 'rotate') {
      const { overlap = '3600' } = values;
      const body = { overlapSeconds: wholeNumber('--overlap', overlap), ...days };
      const made = await client.call('rotateApiToken', { params, body });
      show(made, made.token);
      return EXIT_CODES.done;
    }
    if (verb !== 'revoke') throw new UsageError(USAGE);
    await client.call('revokeApiToken', { params });
    show({ revoked: tokenId }, `- token ${tokenId}`);
    return EXIT_CODES.done;
  },
};

function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${option}: give a whole number`);
  return Number(text);
}

function lineOf({ id, kind, name, sub, expiresAt, lastUsedAt }: ApiToken): string {
  const owner = sub === null ? '' : ` of ${printable(sub)}`;
  const used = lastUsedAt === null ? 'never used' : `last used ${lastUsedAt}`;
  return `${id}  ${kind}${owner}  ${printable(name)}  expires ${expiresAt}, ${used}`;
}
