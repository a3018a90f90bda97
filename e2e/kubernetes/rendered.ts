import { z } from 'zod';

const labels = z.record(z.string(), z.string());
const selector = z.object({ matchLabels: labels.default({}) });

const env = z.object({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .object({ secretKeyRef: z.object({ name: z.string(), key: z.string(), optional: z.boolean() }) })
    .optional(),
});

const container = z.object({
  name: z.string(),
  image: z.string(),
  env: z.array(env),
  ports: z.array(z.object({ name: z.string(), containerPort: z.int() })),
  securityContext: z.unknown(),
  resources: z.object({ requests: z.record(z.string(), z.string()) }).loose(),
});

const base = { apiVersion: z.string(), metadata: z.looseObject({ name: z.string(), labels }) };

const template = z.looseObject({
  metadata: z.looseObject({ labels }),
  spec: z.looseObject({
    // The other containers are sidecars.
    containers: z.tuple([container.loose()], z.looseObject({ name: z.string() })),
    terminationGracePeriodSeconds: z.int(),
  }),
});

const deployment = z.looseObject({
  ...base,
  kind: z.literal('Deployment'),
  spec: z.looseObject({ replicas: z.int().optional(), selector, template }),
});

const statefulSet = z.looseObject({
  ...base,
  kind: z.literal('StatefulSet'),
  spec: z.looseObject({ replicas: z.int(), serviceName: z.string(), selector, template }),
});

const service = z.looseObject({
  ...base,
  kind: z.literal('Service'),
  spec: z.looseObject({
    selector: labels,
    ports: z.array(z.looseObject({ name: z.string(), port: z.int(), targetPort: z.string() })),
  }),
});

const networkPolicy = z.looseObject({
  ...base,
  kind: z.literal('NetworkPolicy'),
  spec: z.looseObject({
    podSelector: selector,
    policyTypes: z.array(z.string()),
    egress: z.array(z.looseObject({})).optional(),
    ingress: z.array(
      z.object({
        ports: z.array(z.object({ port: z.string(), protocol: z.string() })),
        from: z
          .array(z.object({ podSelector: selector.optional(), namespaceSelector: selector.optional() }))
          .optional(),
      }),
    ),
  }),
});

const budget = z.looseObject({
  ...base,
  kind: z.literal('PodDisruptionBudget'),
  spec: z.looseObject({ selector }),
});

/** A standalone pod: the one of `helm test`. */
const pod = z.looseObject({
  ...base,
  kind: z.literal('Pod'),
  metadata: base.metadata.extend({ annotations: labels }),
  spec: z.looseObject({ containers: z.tuple([container.omit({ env: true, ports: true }).loose()]) }),
});

const other = z.looseObject({
  ...base,
  kind: z.enum([
    'HorizontalPodAutoscaler',
    'HTTPRoute',
    'Ingress',
    'PodMonitor',
    'ScaledObject',
    'ServiceAccount',
    'TriggerAuthentication',
  ]),
});

const prometheusRule = z.looseObject({
  ...base,
  kind: z.literal('PrometheusRule'),
  spec: z.object({
    groups: z.array(
      z.looseObject({
        name: z.string(),
        rules: z.array(
          z
            .looseObject({ alert: z.string().optional(), expr: z.string(), labels, annotations: labels })
            .partial({ labels: true, annotations: true }),
        ),
      }),
    ),
  }),
});

const configMap = z.looseObject({
  ...base,
  kind: z.literal('ConfigMap'),
  data: z.record(z.string(), z.string()),
});

/** A manifest, parsed as far as the tests need it. */
export const rendered = z.discriminatedUnion('kind', [
  deployment,
  statefulSet,
  service,
  networkPolicy,
  budget,
  pod,
  prometheusRule,
  configMap,
  other,
]);
export type Rendered = z.infer<typeof rendered>;
export type Deployment = z.infer<typeof deployment>;
export type NetworkPolicy = z.infer<typeof networkPolicy>;
export type Env = z.infer<typeof env>;

/** Returns the manifests of one kind. */
export function ofKind<K extends Rendered['kind']>(manifests: Rendered[], kind: K) {
  return manifests.filter((one): one is Rendered & { kind: K } => one.kind === kind);
}

/** Returns whether labels include all the wanted ones. */
export function matches(has: Record<string, string>, wanted: Record<string, string>): boolean {
  return Object.entries(wanted).every(([name, value]) => has[name] === value);
}
