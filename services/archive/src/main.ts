import { growHeapBy } from '@switchboard/engine';
import { runService } from '@switchboard/http/main';

// Engine rule: heap.
growHeapBy(100);

await runService('archive', async () => (await import('./service.ts')).archiveService);
