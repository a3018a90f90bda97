import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { Config } from '../core/config.ts';
import type { Screen } from '../core/screen.ts';
import type { State, Store } from '../core/store.ts';
import type { Formats } from '../texts/format.ts';
import type { Texts } from '../texts/texts.ts';

/** The context of every part of the widget. */
export interface Around {
  store: Store;
  screen: Screen;
  texts: Texts;
  formats: Formats;
  config: Config;
  state: State;
}

export const Surroundings = createContext<Around | undefined>(undefined);

export function useAround(): Around {
  const around = useContext(Surroundings);
  if (around === undefined) throw new Error('outside of the widget');
  return around;
}

const TICK_MS = 30_000;

/** Returns the current time, updated every half minute. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
