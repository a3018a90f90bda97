import { type RefObject, useEffect, useRef, useState } from 'react';
import { t } from '../../app/i18n.ts';
import {
  type BoxTexts,
  type FromPlayer,
  noneUnseen,
  parseFromPlayer,
  type ToPlayer,
  type Unseen,
} from '../../player/messages.ts';

export const SPEEDS: readonly number[] = [0.5, 1, 2, 4, 8];

/** The player in its own document, and what it said last. */
export interface Player {
  frame: RefObject<HTMLIFrameElement | null>;
  state: 'loading' | 'ready' | 'failed';
  isPlaying: boolean;
  /** Milliseconds from the start. */
  at: number;
  size: { width: number; height: number };
  unseen: Unseen;
  play(): void;
  pause(): void;
  seek(at: number): void;
}

interface PlayerOptions {
  messages: readonly string[];
  lengthMs: number;
  /** Where it starts. */
  at: number;
  speed: number;
  skip: boolean;
  images: boolean;
}

const boxTexts = (): BoxTexts => ({
  frames: t('Frame, not shown'),
  media: t('Video or sound, not recorded'),
  canvases: t('Drawing, not recorded'),
});

/** Plays a recording in a sandboxed frame. Only messages pass between the frame and this page. */
export function usePlayer({ messages, lengthMs, at: start, speed, skip, images }: PlayerOptions): Player {
  const frame = useRef<HTMLIFrameElement>(null);
  const [state, setState] = useState<Player['state']>('loading');
  const [isPlaying, setPlaying] = useState(false);
  const [at, setAt] = useState(start);
  const [size, setSize] = useState({ width: 1280, height: 800 });
  const [unseen, setUnseen] = useState(noneUnseen);
  const first = useRef({ start, speed, skip });

  // The document has no origin that a target could name. It can only be the player: the policy allows no other frame.
  const send = (message: ToPlayer) => frame.current?.contentWindow?.postMessage(message, '*');

  useEffect(() => {
    const obey = (message: FromPlayer) => {
      switch (message.kind) {
        case 'ready': {
          const { start: from, ...settings } = first.current;
          for (const events of messages) send({ kind: 'load', events });
          return send({ kind: 'start', at: from, images, texts: boxTexts(), ...settings });
        }
        case 'started':
          return setState('ready');
        case 'failed':
          setPlaying(false);
          return setState('failed');
        case 'finished':
          setPlaying(false);
          return setAt(lengthMs);
        case 'time':
          return setAt(Math.min(message.at, lengthMs));
        case 'size':
          return setSize(message);
        case 'unseen':
          return setUnseen(message.unseen);
      }
    };
    const listen = ({ source, origin, data }: MessageEvent) => {
      if (source === null || source !== frame.current?.contentWindow || origin !== 'null') return;
      const message = parseFromPlayer(data);
      if (message !== undefined) obey(message);
    };
    addEventListener('message', listen);
    return () => removeEventListener('message', listen);
  });

  useEffect(() => {
    first.current = { ...first.current, speed, skip };
    send({ kind: 'set', speed, skip });
  }, [speed, skip]);

  const play = () => {
    const from = at >= lengthMs ? 0 : at;
    setAt(from);
    setPlaying(true);
    send({ kind: 'play', at: from });
  };
  const pause = () => {
    setPlaying(false);
    send({ kind: 'pause', at });
  };
  const seek = (to: number) => {
    const wanted = Math.min(lengthMs, Math.max(0, to));
    first.current = { ...first.current, start: wanted };
    setAt(wanted);
    send({ kind: isPlaying ? 'play' : 'pause', at: wanted });
  };
  return { frame, state, isPlaying, at, size, unseen, play, pause, seek };
}
