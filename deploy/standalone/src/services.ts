import { OPTIONAL_SERVICE_NAMES, SERVICE_NAMES, type ServiceName } from '@switchboard/contracts';
import { type Service, type ServiceDefinition, startWithRetries } from '@switchboard/http';
import { type CommonConfig, serviceContext } from '@switchboard/runtime';
import { analyticsService } from '@switchboard/service-analytics';
import { archiveService } from '@switchboard/service-archive';
import { catalogueService } from '@switchboard/service-catalogue';
import { collaborationService } from '@switchboard/service-collaboration';
import { deliveryService } from '@switchboard/service-delivery';
import { flagsService } from '@switchboard/service-flags';
import { type IdentityConstants, identityService } from '@switchboard/service-identity';
import { ingestionService } from '@switchboard/service-ingestion';
import { messengerService } from '@switchboard/service-messenger';
import type { z } from 'zod';

interface RunningService {
  name: ServiceName;
  service: Service;
  start(): Promise<void>;
}

type Environment = Record<string, string | undefined>;

interface ServicesOptions {
  environmentOf(name: ServiceName): Environment;
  /** The issuer of access tokens. Identity signs in its name, at another address. */
  tokenIssuer: string;
  identity: IdentityConstants;
}

/** Creates every service in this process, each from its own environment, as in a separate process. */
export function createServices({ environmentOf, tokenIssuer, identity }: ServicesOptions): RunningService[] {
  const create = <C extends object>(
    definition: ServiceDefinition<z.ZodType<CommonConfig>, C>,
    constants?: C,
  ): RunningService => {
    const context = serviceContext(definition, environmentOf(definition.name));
    const config = { ...context.config, AUTH_ISSUER: tokenIssuer };
    const service = definition.create({ ...context, config }, constants);
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
    create(identityService, identity),
    create(deliveryService),
  ];
}

/** The services that erase colleagues. */
export const ERASING = [...SERVICE_NAMES, ...OPTIONAL_SERVICE_NAMES].filter((name) => name !== 'catalogue');
export const DATABASES = [...SERVICE_NAMES, ...OPTIONAL_SERVICE_NAMES, 'event_log'];
