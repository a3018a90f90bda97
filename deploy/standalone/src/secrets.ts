import { createECDH, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readIfExists, writeAtomically } from '@switchboard/demo';
import { z } from 'zod';
import { StandaloneError } from './errors.ts';

const secretsFile = z.object({
  LINK_SECRET: z.string(),
  IDENTITY_SECRET: z.string(),
  ACCOUNT_SECRET: z.string(),
  WEBHOOK_SECRET: z.string(),
  VAPID_PUBLIC_KEY: z.string(),
  VAPID_PRIVATE_KEY: z.string(),
});

/** Opens this installation's secrets. They are created once and kept in the home folder. */
export async function openSecrets(home: string): Promise<z.infer<typeof secretsFile>> {
  const path = join(home, 'secrets.json');
  const file = await readIfExists(path);
  if (file === undefined) {
    const made = makeSecrets();
    await writeAtomically(path, JSON.stringify(made));
    return made;
  }
  const kept = secretsFile.safeParse(jsonOf(file));
  if (kept.success) return kept.data;
  const missing = kept.error.issues.map(({ path: [name] }) => name).filter((name) => name !== undefined);
  const problem =
    missing.length === 0 ? 'is damaged' : `has no ${missing.join(', ')}: another version made it`;
  throw new StandaloneError(`${path} ${problem}. Delete ${home} to start over.`);
}

/** Returns the value of a JSON text; undefined if it is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function makeSecrets(): z.infer<typeof secretsFile> {
  const secret = () => randomBytes(32).toString('base64url');
  const vapid = createECDH('prime256v1');
  return {
    LINK_SECRET: secret(),
    IDENTITY_SECRET: secret(),
    ACCOUNT_SECRET: secret(),
    WEBHOOK_SECRET: secret(),
    VAPID_PUBLIC_KEY: vapid.generateKeys('base64url'),
    VAPID_PRIVATE_KEY: Buffer.from(vapid.getPrivateKey('hex').padStart(64, '0'), 'hex').toString('base64url'),
  };
}
