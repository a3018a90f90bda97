import {
  ErrorCode,
  type EvaluationContext,
  type JsonValue,
  OpenFeatureEventEmitter,
  type Provider,
  ProviderEvents,
  type ResolutionDetails,
  type TrackingEventDetails,
} from '@openfeature/server-sdk';
import type { Client, Person } from '@switchboard/node';

type ValueType = 'boolean' | 'string' | 'number' | 'object';

const RECOVERY_CHECK_MS = 1_000;
const GROUP_ATTRIBUTE = /^group\.([^.]+)\.(.+)$/s;

/**
 * Switchboard's flags for `@openfeature/server-sdk`, evaluated in this process with the attributes of the context:
 * `targetingKey` is the distinct id, `group.<type>.<trait>` is a trait of the person's group, and any other attribute
 * is a trait. Cohorts are read from the server when a flag targets one. A boolean flag that is off is `false`. For a
 * flag of another type that is off, the default of your code applies.
 *
 * Emits PROVIDER_CONFIGURATION_CHANGED with the keys of flags that have a new definition. `track` sends an event.
 * Closing OpenFeature leaves the client open.
 */
export class SwitchboardProvider implements Provider {
  readonly metadata = { name: 'switchboard' };
  readonly runsOn = 'server';
  readonly events = new OpenFeatureEventEmitter();
  readonly #client: Client;
  #stop: (() => void) | undefined;
  #recovery: NodeJS.Timeout | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Rejects without a ruleset within five seconds. The client continues to request it, and PROVIDER_READY follows.
   */
  async initialize(): Promise<void> {
    const { flags } = this.#client;
    this.#stop ??= flags.onChange((flagsChanged) =>
      this.events.emit(ProviderEvents.ConfigurationChanged, { flagsChanged }),
    );
    if (await flags.ready()) return;
    this.#awaitRecovery();
    throw new Error('The ruleset could not be read.');
  }

  async onClose(): Promise<void> {
    this.#stop?.();
    this.#stop = undefined;
    clearTimeout(this.#recovery);
  }

  #awaitRecovery(): void {
    clearTimeout(this.#recovery);
    this.#recovery = setTimeout(async () => {
      if (await this.#client.flags.ready(0)) this.events.emit(ProviderEvents.Ready);
      else if (this.#stop !== undefined) this.#awaitRecovery();
    }, RECOVERY_CHECK_MS);
    this.#recovery.unref();
  }

  resolveBooleanEvaluation(key: string, fallback: boolean, context: EvaluationContext) {
    return this.#resolve(key, fallback, context, 'boolean', (value) => typeof value === 'boolean');
  }

  resolveStringEvaluation(key: string, fallback: string, context: EvaluationContext) {
    return this.#resolve(key, fallback, context, 'string', (value) => typeof value === 'string');
  }

  resolveNumberEvaluation(key: string, fallback: number, context: EvaluationContext) {
    return this.#resolve(key, fallback, context, 'number', (value) => typeof value === 'number');
  }

  resolveObjectEvaluation<T extends JsonValue>(key: string, fallback: T, context: EvaluationContext) {
    return this.#resolve(key, fallback, context, 'object', (value): value is T => typeof value === 'object');
  }

  track(name: string, { targetingKey = '' }: EvaluationContext, details: TrackingEventDetails = {}): void {
    void this.#client.track(targetingKey, name, { ...details });
  }

  async #resolve<T>(
    key: string,
    value: T,
    context: EvaluationContext,
    type: ValueType,
    isOfType: (value: unknown) => value is T,
  ): Promise<ResolutionDetails<T>> {
    const { flags } = this.#client;
    const failed = (errorCode: ErrorCode, errorMessage: string) => ({
      value,
      reason: 'ERROR',
      errorCode,
      errorMessage,
    });
    const { targetingKey = '', ...attributes } = context;
    if (targetingKey === '')
      return failed(ErrorCode.TARGETING_KEY_MISSING, 'The context has no targetingKey.');
    const person = personOf(targetingKey, attributes);
    const resolved = flags.resolve(key, flags.usesCohorts ? await flags.withCohorts(person) : person);
    if (resolved === undefined) {
      const isReady = await flags.ready(0);
      return isReady
        ? failed(ErrorCode.FLAG_NOT_FOUND, `There is no flag ${key}.`)
        : failed(ErrorCode.PROVIDER_NOT_READY, 'The ruleset could not be read yet.');
    }
    const { reason, variant } = resolved;
    if (reason === 'ERROR')
      return failed(ErrorCode.GENERAL, 'The definition of the flag cannot be evaluated.');
    if (resolved.value === undefined) return { value, reason, variant };
    if (!isOfType(resolved.value)) return failed(ErrorCode.TYPE_MISMATCH, `The flag is not of type ${type}.`);
    return { value: resolved.value, reason, variant };
  }
}

function personOf(distinctId: string, attributes: Record<string, unknown>): Person {
  const traits: Record<string, unknown> = Object.create(null);
  const groups: Record<string, Record<string, unknown>> = Object.create(null);
  for (const [name, value] of Object.entries(attributes)) {
    const [, type, trait] = GROUP_ATTRIBUTE.exec(name) ?? [];
    if (type === undefined || trait === undefined) {
      traits[name] = value;
      continue;
    }
    const group = groups[type] ?? Object.create(null);
    group[trait] = value;
    groups[type] = group;
  }
  return { distinctId, traits, groups };
}
