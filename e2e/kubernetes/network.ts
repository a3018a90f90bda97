import { matches, type NetworkPolicy } from './rendered.ts';

type Labels = Record<string, string>;

/** A pod of the same namespace, or any pod of another namespace. */
export type Caller = { pod: Labels } | { namespace: Labels };

/** Returns whether the policies let a caller reach a pod's port. A pod that no policy selects is open to all. */
export function reaches(policies: NetworkPolicy[], caller: Caller, pod: Labels, port: string): boolean {
  const applicable = policies.filter(({ spec }) => matches(pod, spec.podSelector.matchLabels));
  if (applicable.length === 0) return true;
  const rules = applicable
    .flatMap(({ spec }) => spec.ingress)
    .filter(({ ports }) => ports.some((one) => one.port === port));
  return rules.some(({ from }) => from === undefined || from.some((peer) => isPeer(peer, caller)));
}

type Peer = NonNullable<NetworkPolicy['spec']['ingress'][number]['from']>[number];

function isPeer({ podSelector, namespaceSelector }: Peer, caller: Caller): boolean {
  if ('pod' in caller) {
    return namespaceSelector === undefined && matches(caller.pod, podSelector?.matchLabels ?? {});
  }
  return namespaceSelector !== undefined && matches(caller.namespace, namespaceSelector.matchLabels);
}
