import type { Client } from '@switchboard/management';
import { useQuery } from '@tanstack/react-query';
import { useCall } from '../../app/api.ts';
import { usePlace } from '../../app/project.ts';
import { getSession } from '../../app/session.ts';
import type { Draft, Member, Settings } from './draft.ts';

const NEW = '/v1/messenger/avatar/new/';

/** Returns the `avatarUrl` that names a new picture until it is uploaded. */
export const newPath = (): string => `${NEW}${crypto.randomUUID()}`;

/** Returns the id of the teammate whom an uploaded picture belongs to. */
export function userIdOf({ avatarUrl }: Member): string | undefined {
  const [, userId] = /^\/v1\/messenger\/avatar\/([^/]+)\/[0-9a-f]{64}\.\w+$/.exec(avatarUrl ?? '') ?? [];
  return userId === undefined ? undefined : decodeURIComponent(userId);
}

/**
 * Returns the addresses of a draft's pictures by `avatarUrl`. Uploaded ones are read with a project key, which not
 * every role may list.
 */
export function usePictures({ settings, pictures }: Draft): Record<string, string> {
  const { project, may } = usePlace();
  const session = useQuery({ queryKey: ['hosts'], queryFn: async () => (await getSession()).hosts });
  const keys = useCall(
    ['listProjectKeys', project.id],
    (client, options) => client.call('listProjectKeys', { params: { projectId: project.id } }, options),
    { enabled: may('keys.write') && settings.team.some((member) => userIdOf(member) !== undefined) },
  );
  const [key] = keys.data?.keys ?? [];
  const addresses: Record<string, string> = {};
  for (const [path, { address }] of Object.entries(pictures)) addresses[path] = address;
  for (const member of settings.team)
    if (member.avatarUrl && userIdOf(member) !== undefined && session.data !== undefined && key !== undefined)
      addresses[member.avatarUrl] =
        `${session.data.api}${member.avatarUrl}?api_key=${encodeURIComponent(key)}`;
  return addresses;
}

/** Uploads the new pictures of a draft. Returns the team with their paths. */
export async function storePictures(
  client: Client,
  projectId: string,
  { settings, pictures }: Draft,
): Promise<Settings['team']> {
  const isNew = settings.team.some(({ avatarUrl }) => avatarUrl != null && avatarUrl in pictures);
  if (!isNew) return settings.team;
  const { team: known } = await client.call('listTeammates', { params: { projectId } });
  const team: Settings['team'] = [];
  for (const member of settings.team) {
    const picture = pictures[member.avatarUrl ?? ''];
    if (picture === undefined) {
      team.push(member);
      continue;
    }
    const { name, initials, tone } = member;
    const params = { projectId, userId: picture.userId };
    if (!known.some(({ id }) => id === picture.userId))
      await client.call('putTeammate', { params, body: { name, initials, tone } });
    const { url } = await client.call('putTeammateAvatar', { params, body: bytesOf(picture.address) });
    team.push({ ...member, avatarUrl: url });
  }
  return team;
}

function bytesOf(dataUrl: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(dataUrl.slice(dataUrl.indexOf(',') + 1)), (one) => one.charCodeAt(0));
}
