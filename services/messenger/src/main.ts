import { runService } from '@switchboard/service-kit';
import { messengerService } from './service.ts';

await runService(messengerService);
