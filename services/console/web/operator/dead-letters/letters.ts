import type { DeadLetter } from '@switchboard/management';
import { quoted } from '../../components/copy-as.tsx';

export const TOPICS = ['events', 'identifies', 'groups', 'replays'] as const;
export const STATES = ['waiting', 'replayed'] as const;

export type Topic = (typeof TOPICS)[number];

/** Selects letters. */
export interface LetterFilters {
  topic?: Topic | undefined;
  state?: (typeof STATES)[number] | undefined;
  projectId?: string | undefined;
  reason?: string | undefined;
}

/** Returns the place of a letter as a key. */
export const placeOf = ({ topic, partition, offset }: DeadLetter): string =>
  `${topic}/${partition}/${offset}`;

/** Returns the name of a letter, in the words of the command. */
export const titleOf = ({ topic, partition, offset }: DeadLetter): string =>
  `${topic} ${partition}/${offset}`;

/** Returns the command that lists the letters. */
export const listCommand = ({ state, ...filters }: LetterFilters): string =>
  ['switchboard dead-letters list', ...optionsOf(filters), ...(state === 'waiting' ? [] : ['--all'])].join(
    ' ',
  );

/** Returns the command that replays the letters that were not replayed. */
export const replayCommand = (filters: LetterFilters): string =>
  ['switchboard dead-letters replay', ...optionsOf(filters)].join(' ');

/** Returns the commands that replay single letters, one for each topic. */
export const replaySelectedCommand = (letters: readonly DeadLetter[]): string =>
  [...Map.groupBy(letters, ({ topic }) => topic)]
    .map(([topic, own]) => {
      const places = own.map(({ partition, offset }) => `${partition}/${offset}`);
      const again = own.some(({ replays }) => replays > 0) ? ' --again' : '';
      return `switchboard dead-letters replay ${topic} ${places.join(' ')}${again}`;
    })
    .join('\n');

function optionsOf({ topic, projectId, reason }: LetterFilters): string[] {
  return [
    ...(topic === undefined ? [] : [topic]),
    ...(projectId === undefined ? [] : ['--project', quoted(projectId)]),
    ...(reason === undefined ? [] : ['--reason', quoted(reason)]),
  ];
}
