import { setFlagsFromString } from 'node:v8';
import { runService } from '@switchboard/service-kit/main';

// Up to twice what is live, below the limit of the heap. V8 counts the buffers of events that come and go outside of
// it, and with its own choice for a small heap looks through all of it after each 10 MB of them.
setFlagsFromString('--heap-growing-percent=100');

await runService('archive', async () => (await import('./service.ts')).archiveService);
