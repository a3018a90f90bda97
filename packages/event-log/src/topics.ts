import { deadLetterTopic } from './deliver.ts';
import type { TopicSpec } from './types.ts';

const DEAD_LETTER_RETENTION_MS = 30 * 24 * 3_600_000;

/** The topics themselves and the dead-letter topic of each: as many partitions, kept for at least 30 days. */
export function withDeadLetters(specs: TopicSpec[]): TopicSpec[] {
  return specs.flatMap((spec) => {
    if (spec.deadLetter === false) return [spec];
    const retentionMs = Math.max(spec.retentionMs ?? 0, DEAD_LETTER_RETENTION_MS);
    return [spec, { ...spec, name: deadLetterTopic(spec.name), cleanup: 'delete', retentionMs }];
  });
}
