import { jsonFault } from '@switchboard/contracts';
import { z } from 'zod';
import { ScimProblem } from './errors.ts';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const MAX_NAME = 100;
const MAX_EMAIL = 254;

/** Providers such as Entra ID send booleans as words. */
const flag = z.preprocess(
  (value) =>
    typeof value === 'string' ? ({ true: true, false: false }[value.toLowerCase()] ?? value) : value,
  z.boolean(),
);
const text = z.string().max(1000);
const email = z.looseObject({ value: text, type: text.nullish(), primary: flag.nullish() });

const GENERATED = ['id', 'meta', 'groups', 'password'];

/** Returns a copy without the attributes that a client cannot set. A password is never stored. */
function withoutGenerated<T extends Record<string, unknown>>(attributes: T): T {
  const kept = { ...attributes };
  for (const name of Object.keys(kept)) if (GENERATED.includes(name.toLowerCase())) delete kept[name];
  return kept;
}

/** The attributes of a user as its provider sends them. Unknown ones are kept. */
export const scimUser = z
  .looseObject({
    userName: z.string().trim().min(1).max(320),
    externalId: text.nullish(),
    displayName: text.nullish(),
    name: z
      .looseObject({ formatted: text.nullish(), givenName: text.nullish(), familyName: text.nullish() })
      .nullish(),
    emails: z.array(email).max(20).nullish(),
    active: flag.default(true),
  })
  .transform(withoutGenerated);
export type ScimUser = z.output<typeof scimUser>;

export const scimGroup = z.looseObject({
  displayName: z.string().trim().min(1).max(256),
  externalId: text.nullish(),
  members: z
    .array(z.looseObject({ value: text }))
    .max(10_000)
    .nullish(),
});

/** Returns the input as parsed. Refuses texts that cannot be stored. Throws ScimProblem with the path of the first problem. */
export function parsed<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const fault = jsonFault(input);
  if (fault !== undefined) throw new ScimProblem(400, `body: ${fault}`, 'invalidValue');
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ScimProblem(
    400,
    `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'not valid'}`,
    'invalidValue',
  );
}

/** Returns the e-mail address of a user: the primary one, else the first, else a user name that is an address. */
export function emailOf({ emails, userName }: ScimUser): string {
  const list = emails ?? [];
  const address = list.find(({ primary }) => primary === true)?.value ?? list[0]?.value ?? userName;
  if (!z.email().max(MAX_EMAIL).safeParse(address).success) {
    throw new ScimProblem(
      400,
      `emails: the user has no e-mail address of at most ${MAX_EMAIL} characters. Send one in emails, or as userName`,
      'invalidValue',
    );
  }
  return address.toLowerCase();
}

/** Returns the name to show for a user. */
export function nameOf({ displayName, name, userName }: ScimUser): string {
  const parts = [name?.givenName, name?.familyName].filter((part) => part).join(' ');
  const shown = [displayName, name?.formatted, parts].find((one) => one?.trim()) ?? userName;
  return [...shown.trim()].slice(0, MAX_NAME).join('');
}
