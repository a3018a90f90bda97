import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

/** The first recommendation of the OWASP Password Storage Cheat Sheet. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const HASH_BYTES = 32;
const SALT_BYTES = 16;

const MIN_LENGTH = 10;
const MAX_LENGTH = 200;
/** About a year of guessing ten thousand times a second. */
const MIN_SCORE = 3;
/** zxcvbn takes time that grows with the length, and a longer password is strong by its first part. */
const MAX_SCORED = 64;

const derive = promisify(argon2);

const hashed = (password: string, nonce: Uint8Array, memory: number, passes: number) =>
  derive('argon2id', {
    message: password.normalize('NFKC'),
    nonce,
    parallelism: LANES,
    tagLength: HASH_BYTES,
    memory,
    passes,
  });

const encoded = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

/** Returns the argon2id hash of a password as a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await hashed(password, salt, MEMORY_KIB, PASSES);
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${encoded(salt)}$${encoded(hash)}`;
}

/** A hash that no password has. Comparing with it takes as long as with any other. */
const NO_PASSWORD = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${encoded(new Uint8Array(SALT_BYTES))}$${encoded(new Uint8Array(HASH_BYTES))}`;
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Compares a password with its hash. Takes the same time without a hash, and is then false. */
export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const [, memory, passes, salt = '', expected = ''] = PHC.exec(hash ?? NO_PASSWORD) ?? [];
  const actual = await hashed(password, Buffer.from(salt, 'base64'), Number(memory), Number(passes));
  const isEqual = timingSafeEqual(actual, Buffer.from(expected, 'base64'));
  return isEqual && hash !== null;
}

/** The reason why a password is refused. */
export type WeakPassword = 'short' | 'long' | 'guessable';

/** Returns a check of new passwords: length, and how hard they are to guess. There are no rules of composition. */
export function createPasswordCheck(): (password: string, known: string[]) => WeakPassword | undefined {
  const scorer = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
  return (password, known) => {
    const length = [...password].length;
    if (length < MIN_LENGTH) return 'short';
    if (length > MAX_LENGTH) return 'long';
    const inputs = known.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u)).filter((text) => text.length > 2);
    const { score } = scorer.check(password.slice(0, MAX_SCORED), [...known, ...inputs, 'switchboard']);
    return score < MIN_SCORE ? 'guessable' : undefined;
  };
}
