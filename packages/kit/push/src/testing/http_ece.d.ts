declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  interface Decryption {
    version: 'aes128gcm';
    privateKey: ECDH;
    authSecret: string;
  }

  export function decrypt(data: Buffer, params: Decryption): Buffer;
}
