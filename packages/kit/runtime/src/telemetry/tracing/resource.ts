import {
  defaultResource,
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';

/**
 * Returns the resource of the spans: the service, unless OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override it.
 */
export function resourceOf(service: string): Resource {
  const own = resourceFromAttributes({ 'service.name': service, 'service.namespace': 'switchboard' });
  const fromEnvironment = detectResources({
    detectors: [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector],
  });
  return defaultResource().merge(own).merge(fromEnvironment);
}
