import { allocateYoung } from '@switchboard/engine';
import { runService } from '@switchboard/http/main';

// Most compiled rulesets are kept. With projects that exceed the memory, most serve one request.
allocateYoung();

await runService('flags', async () => (await import('./service.ts')).flagsService);
