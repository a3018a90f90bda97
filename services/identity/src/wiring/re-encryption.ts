import { runOnce } from '@switchboard/http';
import { createEncryption, reencryptAll } from '@switchboard/runtime';
import type { Identity } from '../config.ts';
import { createReEncryptionStore } from '../re-encryption/store.ts';

/** Encrypts every text with the first value of ACCOUNT_SECRET, if there are several. */
export function openReencryption({ config, db, logger, run }: Identity): void {
  for (const { purpose, ...column } of createReEncryptionStore(db).columns) {
    const encryption = createEncryption({ secrets: config.ACCOUNT_SECRET, purpose });
    run(runOnce((signal) => reencryptAll({ encryption, what: purpose, logger, ...column }, signal)));
  }
}
