import { z } from 'zod';
import { ConfigError } from './config.ts';

/** Settings for TLS on the service's own port. Without TLS_CERT_FILE it serves plain HTTP. */
export const tlsSettings = {
  TLS_CERT_FILE: z
    .string()
    .optional()
    .describe(
      'Certificate chain (PEM) of the port. Without it, the port serves plain HTTP. Read again when it changes.',
    ),
  TLS_KEY_FILE: z.string().optional().describe('Key (PEM) of TLS_CERT_FILE.'),
  TLS_CLIENT_CA_FILE: z
    .string()
    .optional()
    .describe('Certificate authorities (PEM). One of them must have signed the certificate of every client.'),
};

/** Paths of PEM files. */
export interface TlsFiles {
  certificate: string;
  key: string;
  /** The authorities of client certificates. Without them, clients need no certificate. */
  authorities: string | undefined;
}

type TlsConfig = { [Name in keyof typeof tlsSettings]?: string | undefined };

/** Returns the files of the settings; undefined for plain HTTP. Throws ConfigError if some are missing. */
export function tlsFiles(config: TlsConfig): TlsFiles | undefined {
  const { TLS_CERT_FILE: certificate, TLS_KEY_FILE: key, TLS_CLIENT_CA_FILE: authorities } = config;
  if (certificate !== undefined && key !== undefined) return { certificate, key, authorities };
  if (certificate === undefined && key === undefined && authorities === undefined) return undefined;
  throw new ConfigError(
    'Set both TLS_CERT_FILE and TLS_KEY_FILE, or none of TLS_CERT_FILE, TLS_KEY_FILE and TLS_CLIENT_CA_FILE.',
  );
}
