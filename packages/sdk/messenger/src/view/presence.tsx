import { presenceAt } from '../core/availability.ts';
import { fill } from '../texts/texts.ts';
import { useAround, useNow } from './context.ts';

/** Renders whether the team is available now, or else when it will be. */
export function Presence() {
  const { config, texts, formats } = useAround();
  const now = useNow();
  const { isHere, from } = presenceAt(config.availability, new Date(now));
  const back = from === undefined ? '' : ` · ${fill(texts.backAt, formats.next(from.getTime(), now))}`;
  return <p class={isHere ? 'presence here' : 'presence'}>{isHere ? texts.here : `${texts.away}${back}`}</p>;
}

/** Renders the project's message for times when the team is not available. */
export function AwayMessage() {
  const { config } = useAround();
  const now = useNow();
  if (config.awayMessage === '' || presenceAt(config.availability, new Date(now)).isHere) return null;
  return (
    <p class="notice away" dir="auto">
      {config.awayMessage}
    </p>
  );
}
