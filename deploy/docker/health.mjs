// Checks whether the service in this container is `live` or `ready`. Exits with 0 if it is, and with 1 otherwise.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';

const path = `/health/${process.argv[2] ?? 'live'}`;
const { PORT, TLS_CERT_FILE, TLS_KEY_FILE } = process.env;
const request = { host: '127.0.0.1', port: PORT || 3000, path, timeout: 2500 };
// The service's certificate is also a client certificate. It is for the service's name, not for 127.0.0.1.
const tls = TLS_CERT_FILE && {
  cert: readFileSync(TLS_CERT_FILE),
  key: readFileSync(TLS_KEY_FILE),
  rejectUnauthorized: false,
};
process.exitCode = 1;
const asking = tls ? https.get({ ...request, ...tls }) : http.get(request);
asking.on('response', (answer) => {
  process.exitCode = answer.statusCode === 200 ? 0 : 1;
  asking.destroy();
});
asking.on('timeout', () => asking.destroy());
asking.on('error', () => {});
