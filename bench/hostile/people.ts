import { createHash, randomUUID } from 'node:crypto';
import { eventually, type Harness } from '@switchboard/testkit';
import postgres from 'postgres';

/** The address of the identity service in its pages. Nothing listens there. */
export const SIGN_IN_ORIGIN = 'https://id.example';

/** A person who signs in with a password from the same browser again and again. */
export interface Person {
  email: string;
  password: string;
  /** The cookie of the browser. */
  device: string;
}

const COUNT = 100;

/** Creates accounts by accepting invitations, each in a browser of its own. */
export async function createPeople(harness: Harness, url: string): Promise<Person[]> {
  const sql = postgres(await harness.databaseUrl('identity'), { max: 1 });
  const people: Person[] = [];
  for (let number = 0; number < COUNT; number++) {
    const [email, password, secret] = [`person-${number}@tenant.example`, randomUUID(), randomUUID()];
    const invitation = JSON.stringify({ email, companyId: 'well-behaved', role: 'viewer' });
    await sql`
      insert into tickets (hash, kind, data, expires_at)
      values (${createHash('sha256').update(secret).digest('base64url')}, 'invitation', ${invitation}, now() + interval '1 day')`;
    const accepted = await eventually(async () => {
      const answer = await fetch(`${url}/identity/invitation/${secret}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { Origin: SIGN_IN_ORIGIN, 'X-Forwarded-For': `198.18.${number}.1` },
        body: new URLSearchParams({ name: 'Person', password }),
      });
      if (answer.status !== 303) throw new Error(`invitation: ${answer.status} ${await answer.text()}`);
      return answer;
    });
    const cookies = accepted.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
    people.push({
      email,
      password,
      device: cookies.find((one) => one.startsWith('switchboard_device=')) ?? '',
    });
  }
  await sql.end();
  return people;
}
