import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Server, ServerOptions } from 'node:https';
import { ConfigError, type Logger, type TlsFiles } from '@switchboard/runtime';

/** The polling interval. Kubernetes replaces the target of a mounted link, which only polling notices. */
const LOOK_EVERY_MS = 5_000;

/**
 * Returns options of an HTTPS server that rejects clients without a certificate of the authorities. Throws
 * ConfigError.
 */
export function tlsOptions(files: TlsFiles): ServerOptions {
  const requestCert = files.authorities !== undefined;
  try {
    return { ...read(files), requestCert, rejectUnauthorized: requestCert, minVersion: 'TLSv1.2' };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unreadable';
    throw new ConfigError(`The files of TLS_CERT_FILE, TLS_KEY_FILE or TLS_CLIENT_CA_FILE: ${reason}`);
  }
}

/** Uses new files for new connections. Keeps the old ones while the new ones are incomplete. */
export function followTls(
  server: Server,
  files: TlsFiles,
  logger: Pick<Logger, 'info' | 'warn'> | undefined,
): void {
  const paths = Object.values(files).filter((path) => path !== undefined);
  const reload = () => {
    try {
      server.setSecureContext(read(files));
      logger?.info('certificate files changed, using the new ones');
    } catch (error) {
      logger?.warn({ error }, 'certificate files changed and cannot be used, keeping the old ones');
    }
  };
  for (const path of paths) watchFile(path, { interval: LOOK_EVERY_MS, persistent: false }, reload);
  server.once('close', () => {
    for (const path of paths) unwatchFile(path, reload);
  });
}

function read({ certificate, key, authorities }: TlsFiles) {
  return {
    cert: readFileSync(certificate),
    key: readFileSync(key),
    ...(authorities !== undefined && { ca: readFileSync(authorities) }),
  };
}
