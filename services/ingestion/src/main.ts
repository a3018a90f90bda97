import { runService } from '@switchboard/service-kit';
import { ingestionService } from './service.ts';

await runService(ingestionService);
