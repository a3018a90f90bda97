import { runService } from '@switchboard/service-kit';
import { flagsService } from './service.ts';

await runService(flagsService);
