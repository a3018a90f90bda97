import { randomUUID } from 'node:crypto';
import postgres from 'postgres';

/** A role that may connect to one database. It has no rights there until a migration grants them. */
export interface RestrictedRole {
  /** The URL of the database with this role. */
  url: string;
  /** The role's name. */
  name: string;
  drop(): Promise<void>;
}

/** Creates the role as the owner of the database. */
export async function restrictedRole(ownerUrl: string): Promise<RestrictedRole> {
  const name = `role_${randomUUID().replaceAll('-', '')}`;
  const sql = postgres(ownerUrl, { max: 1, onnotice: () => undefined });
  const database = new URL(ownerUrl).pathname.slice(1);
  await sql.unsafe(`create role ${name} login password 'word'`);
  await sql.unsafe(`revoke all on database ${database} from public`);
  await sql.unsafe(`grant connect on database ${database} to ${name}`);
  return {
    url: Object.assign(new URL(ownerUrl), { username: name, password: 'word' }).href,
    name,
    async drop() {
      await sql.unsafe(`drop owned by ${name}`);
      await sql.unsafe(`drop role ${name}`);
      await sql.end();
    },
  };
}
