import { linkShape } from '@switchboard/runtime';
import { settingOf } from './setting.ts';
import { serviceSettings } from './settings.ts';

/** The file from which the Helm chart reads the settings of each service. */
export const chartFile = new URL(
  '../../../deploy/kubernetes/switchboard/files/settings.json',
  import.meta.url,
);

/** Returns the content of settings.json, which the chart uses to check settings. */
export function chartSettings(): string {
  const services = [...serviceSettings, ['directory-link', linkShape] as const].map(([service, shape]) => {
    const settings = Object.entries(shape).map(([name, schema]) => {
      const { required, secret } = settingOf(name, schema);
      return [name, { ...(required && { required }), ...(secret && { secret }) }];
    });
    return [service, Object.fromEntries(settings)];
  });
  return `${JSON.stringify(Object.fromEntries(services), null, 2)}\n`;
}
