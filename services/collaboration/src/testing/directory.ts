import type { Entries } from '@switchboard/directory';
import {
  createDirectoryPublisher,
  type DirectoryPublisher,
  testMember,
} from '@switchboard/directory/testing';
import type { EventLog } from '@switchboard/event-log';

export type { DirectoryPublisher };

export const member = (sub: string, name: string, more: Partial<Entries['member']> = {}) =>
  testMember('acme', sub, { name, email: `${sub}@acme.example`, ...more });

/**
 * Publishes company acme with projects shop and blog, their reports, the editors ada, grace and alan, and the
 * viewer vera. Also publishes company rival with eve.
 */
export async function publishDirectory(log: EventLog): Promise<DirectoryPublisher> {
  const publisher = await createDirectoryPublisher(log, { partitions: 2 });
  const { put, putProject } = publisher;
  await putProject({ id: 'shop', companyId: 'acme', name: 'Web shop' });
  await putProject({ id: 'blog', companyId: 'acme', name: 'Blog' });
  await putProject({ id: 'theirs', companyId: 'rival' });
  await put(
    'report',
    { projectId: 'shop', id: 'signups', name: 'Weekly sign-ups' },
    { projectId: 'shop', id: 'revenue', name: 'Revenue' },
    { projectId: 'blog', id: 'posts', name: 'Posts' },
  );
  await put(
    'member',
    member('ada', 'Ada Lovelace'),
    member('grace', 'Grace Hopper'),
    member('alan', 'Alan Turing'),
    member('vera', 'Vera Rubin', { role: 'viewer' }),
    testMember('rival', 'eve', { name: 'Eve', email: 'eve@acme.example' }),
  );
  return publisher;
}
