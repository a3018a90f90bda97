import type { MessengerSettings } from '@switchboard/contracts';

/** Creates a configuration as an operator writes it. */
export function settings(changes: Partial<MessengerSettings> = {}): MessengerSettings {
  return {
    enabled: true,
    launcherPosition: 'right',
    launcherOffsetX: 20,
    launcherOffsetY: 5,
    accentColor: '#3355ff',
    availability: { timezone: 'Europe/Berlin', days: [1, 2, 3], note: null },
    skin: 'plain',
    launcherShape: 'circle',
    launcherFill: 'solid',
    launcherContent: 'icon',
    launcherSize: 'medium',
    bubbleShape: 'round',
    bubbleFill: 'solid',
    composerShape: 'round',
    namePlacement: 'above',
    nameAvatar: true,
    dayDividers: true,
    stampPlacement: 'below',
    stampContent: 'time',
    team: [],
    texts: {},
    ...changes,
  };
}
