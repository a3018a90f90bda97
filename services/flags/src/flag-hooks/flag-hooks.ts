import {
  auditObject,
  type FlagHook,
  type FlagHookDefinition,
  MAX_FLAG_HOOKS,
  type NewFlagHook,
  putFlag,
} from '@switchboard/contracts';
import { newId } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
import {
  type Audited,
  type AuditedChange,
  type AuditTrail,
  Conflict,
  NotFound,
  type RateLimit,
  Unauthorized,
} from '@switchboard/http';
import {
  type Encryption,
  hashToken,
  isValueOf,
  type Logger,
  newToken,
  reencryptAll,
} from '@switchboard/runtime';
import { type EditFlagOptions, editFlag, type FlagPath } from '../flags/edit-flag.ts';
import { createFlagsStore } from '../flags/store.ts';
import { editRuleset } from '../rulesets/edit.ts';
import type { Signature } from './signatures.ts';
import { createFlagHooksStore, type HookRow } from './store.ts';

/** A call of a hook before its secret is checked. */
export interface HookCall {
  id: string;
  secret: string | undefined;
  /** Undefined: the call has the secret itself. */
  signature: Signature | undefined;
  address: string;
  /** The audit record of the call. */
  audited: Audited;
}

/** A call with the right secret, or with a signature that is not checked yet. */
export interface OpenedCall {
  hook: HookRow;
  signature: Signature | undefined;
  audited: Audited;
}

/** Hooks with which monitors switch flags off. */
export interface FlagHooks {
  /** Throws NotFound for an unknown flag. */
  list(at: FlagPath): Promise<FlagHook[]>;
  /** Throws NotFound for an unknown flag, Conflict if the flag or the project has too many hooks. */
  create(change: AuditedChange, at: FlagPath, definition: FlagHookDefinition): Promise<NewFlagHook>;
  remove(change: AuditedChange, at: FlagPath, id: string): Promise<void>;
  /** Throws Unauthorized for an unknown hook and for a wrong secret, RateLimited for too many calls. */
  open(call: HookCall): Promise<OpenedCall>;
  /** Checks the signature, if the call has one. Throws Unauthorized for a wrong one, RateLimited for too many calls. */
  verify(call: OpenedCall, body: string): Promise<void>;
  /** Switches the flag of a hook off, without approvals. Returns whether it was on. */
  switchOff(call: OpenedCall): Promise<boolean>;
  /** Encrypts every secret with the first value of WEBHOOK_SECRET, if there are several. */
  reencrypt(logger: Logger, signal: AbortSignal): Promise<void>;
}

interface FlagHooksOptions extends EditFlagOptions {
  directory: Directory;
  region: string;
  audit: Pick<AuditTrail, 'refused'>;
  /** The limits of calls. Strangers use up the points of their address, not those of the hook. */
  limits: { address: RateLimit; hook: RateLimit };
  /** The public address of the API, without a slash at the end. */
  publicUrl: string;
  encryption: Encryption;
}

const HOOK_ID = /^fhk_[0-9a-f]{32}$/;
/** Is compared with the secret of a call to an unknown hook, so that it takes as long as others. */
const NO_HASH = '-'.repeat(hashToken('').length);

export function createFlagHooks(options: FlagHooksOptions): FlagHooks {
  const { database, directory, region, audit, limits, publicUrl, encryption } = options;
  const store = createFlagHooksStore(database.drizzle);
  const flags = createFlagsStore(database.drizzle);

  const present = ({ id, name, createdAt }: HookRow): FlagHook => ({
    id,
    name,
    url: `${publicUrl}/v1/flag-hooks/${id}`,
    createdAt: createdAt.toISOString(),
  });

  return {
    async list(at) {
      if ((await flags.find(at.projectId, at.key)) === undefined) throw new NotFound('Flag not found.');
      return (await store.list(at)).map(present);
    },

    async create(change, at, { name, secret = `sbhook_${newToken()}` }) {
      const id = newId('fhk');
      const encryptedSecret = await encryption.encrypt(secret, id);
      change.describe({ object: `flag-hook:${id}`, after: { key: at.key, name } });
      const added = await editRuleset(change, options, at.projectId, async (tx) => {
        const locked = createFlagHooksStore(tx);
        if ((await createFlagsStore(tx).find(at.projectId, at.key)) === undefined)
          throw new NotFound('Flag not found.');
        if ((await locked.list(at)).length >= MAX_FLAG_HOOKS.flag)
          throw new Conflict(`The flag has ${MAX_FLAG_HOOKS.flag} hooks. Delete one first.`);
        if ((await locked.count(at.projectId)) >= MAX_FLAG_HOOKS.project)
          throw new Conflict(`The project has ${MAX_FLAG_HOOKS.project} hooks. Delete one first.`);
        const { projectId, key } = at;
        const result = await locked.add({
          id,
          projectId,
          key,
          name,
          secretHash: hashToken(secret),
          encryptedSecret,
        });
        return { result, hasChanged: false };
      });
      return { ...present(added), secret };
    },

    async remove(change, at, id) {
      await change.transaction(async (tx) => {
        const removed = await createFlagHooksStore(tx).remove(at, id);
        if (removed !== undefined) change.describe({ before: { key: at.key, name: removed.name } });
      });
    },

    async open({ id, secret = '', signature, address, audited }) {
      await limits.address.consume(address);
      const hook = HOOK_ID.test(id) ? await store.find(id) : undefined;
      const isSecret = isValueOf(secret, hook?.secretHash ?? NO_HASH);
      const project = hook && (await directory.project(hook.projectId));
      // The hooks of a deleted project are removed a moment later.
      if (hook === undefined || project?.region !== region) return refuse(audited);
      const { entry } = audited;
      entry.companyId = project.companyId;
      entry.projectId = hook.projectId;
      if (signature === undefined) {
        if (!isSecret) return refuse(audited);
        await limits.hook.consume(id);
      }
      return { hook, signature, audited };
    },

    async verify({ hook: { id, encryptedSecret }, signature, audited }, body) {
      if (signature === undefined) return;
      if (encryptedSecret === null) return refuse(audited);
      if (!signature.matches(await encryption.decrypt(encryptedSecret, id), body)) return refuse(audited);
      await limits.hook.consume(id);
    },

    async switchOff({ hook, audited: { entry, change } }) {
      const { id, projectId, key, name } = hook;
      const found = await flags.find(projectId, key);
      if (found?.entry.enabled !== true) return false;
      entry.actor = { kind: 'service', id, tokenId: null };
      entry.object = auditObject(putFlag.path, (parameter) => (parameter === 'key' ? key : projectId));
      let wasOn = false;
      await editFlag(change, options, hook, { author: id, reason: `Hook ${name}` }, (existing) => {
        const flag = existing.find((one) => one.key === key);
        if (flag === undefined) throw new NotFound('Flag not found.');
        wasOn = flag.enabled;
        return { ...flag, enabled: false };
      });
      return wasOn;
    },

    reencrypt: (logger, signal) =>
      reencryptAll(
        {
          encryption,
          what: 'secrets of hooks',
          page: (after) => store.secretsAfter(after?.context),
          replace: ({ context, encrypted }, by) => store.replaceSecret(context, encrypted, by),
          logger,
        },
        signal,
      ),
  };

  async function refuse(audited: Audited): Promise<never> {
    await audit.refused(audited, 401);
    throw new Unauthorized(
      'Unknown hook, or wrong secret or signature. Send the secret as Authorization: Bearer <secret>, or sign with it.',
    );
  }
}
