import { SERVICE_NAMES, type ServiceName } from '@switchboard/contracts';
import { type Service, type ServiceDefinition, startWithRetries } from '@switchboard/http';
import { serviceContext } from '@switchboard/runtime';
import { analyticsService } from '@switchboard/service-analytics';
import { archiveService } from '@switchboard/service-archive';
import { catalogueService } from '@switchboard/service-catalogue';
import { collaborationService } from '@switchboard/service-collaboration';
import { flagsService } from '@switchboard/service-flags';
import { ingestionService } from '@switchboard/service-ingestion';
import { messengerService } from '@switchboard/service-messenger';

interface RunningService {
  name: ServiceName;
  service: Service;
  start(): Promise<void>;
}

type Environment = Record<string, string | undefined>;

/** Creates every service in this process, each from its own environment, as in a separate process. */
export function createServices(environmentOf: (name: ServiceName) => Environment): RunningService[] {
  const create = <D extends ServiceDefinition>(definition: D): RunningService => {
    const context = serviceContext(definition, environmentOf(definition.name));
    const service = definition.create(context);
    return { name: definition.name, service, start: () => startWithRetries(service, context) };
  };
  return [
    create(catalogueService),
    create(collaborationService),
    create(messengerService),
    create(flagsService),
    create(ingestionService),
    create(archiveService),
    create(analyticsService),
  ];
}

export const DATABASES = [...SERVICE_NAMES, 'event_log'];
