// Checks whether the service in this container is `live` or `ready`. Exits with 0 if it is, else 1.
const kind = process.argv[2] ?? 'live';
const url = `http://127.0.0.1:${process.env.PORT || 3000}/health/${kind}`;
const answer = await fetch(url, { signal: AbortSignal.timeout(2500) }).catch(() => undefined);
process.exitCode = answer?.ok ? 0 : 1;
