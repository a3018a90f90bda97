import { matches, type NetworkPolicy } from './rendered.ts';

type Labels = Record<string, string>;

/** Whoever calls: a pod of the same namespace, or any pod of a namespace. */
export type Caller = { pod: Labels } | { namespace: Labels };

/** Whether a pod's port may be reached, as Kubernetes reads its policies: a pod that none selects is open to all. */
export function reaches(policies: NetworkPolicy[], caller: Caller, pod: Labels, port: string): boolean {
  const about = policies.filter(({ spec }) => matches(pod, spec.podSelector.matchLabels));
  if (about.length === 0) return true;
  const rules = about
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
